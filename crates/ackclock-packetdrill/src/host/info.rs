//! What `TCP_INFO` says of the connection.

use ackclock::tcp::Repair;
use ackclock::units::Time;

use super::Host;
use super::connection::Stage;

/// The names of the states of recovery, as assertions use them.
pub(crate) const NAMES: &[(&str, f64)] = &[
    ("TCP_CA_Open", 0.0),
    ("TCP_CA_Disorder", 1.0),
    ("TCP_CA_CWR", 2.0),
    ("TCP_CA_Recovery", 3.0),
    ("TCP_CA_Loss", 4.0),
    ("TCP_ESTABLISHED", 1.0),
    ("TCP_SYN_SENT", 2.0),
    ("TCP_SYN_RECV", 3.0),
    ("TCP_CLOSE", 7.0),
    ("TCPI_OPT_TIMESTAMPS", 1.0),
    ("TCPI_OPT_SACK", 2.0),
    ("TCPI_OPT_WSCALE", 4.0),
    ("TCPI_OPT_ECN", 8.0),
];

impl Host {
    /// The value of this name now, if it is known here.
    pub(crate) fn info(&self, now: Time, name: &str) -> Option<f64> {
        let connection = self.connection.as_ref()?;
        let (sender, standing) = (&connection.sender, connection.sender.standing());
        let (flight, window) = (sender.flight(), sender.window());
        let mss = flight.mss as f64;
        // What is a whole number of segments, but for the last bits.
        let segments = |bytes: f64| (bytes / mss + 1e-9).floor();
        let count = |count: u64| Some(count as f64);
        match name {
            "tcpi_snd_cwnd" => Some(segments(window.cwnd)),
            "tcpi_snd_ssthresh" if window.ssthresh.is_infinite() => Some(f64::from(0x7fff_ffff)),
            "tcpi_snd_ssthresh" => Some(segments(window.ssthresh)),
            "tcpi_unacked" => count((flight.max - flight.una) / flight.mss),
            "tcpi_sacked" => count(standing.counts.held),
            "tcpi_lost" => count(standing.counts.lost),
            "tcpi_retrans" => count(standing.counts.again),
            "tcpi_total_retrans" => count(sender.stats().retransmissions),
            "tcpi_ca_state" => Some(match standing.repair {
                Repair::None => 0.0,
                Repair::Disorder => 1.0,
                Repair::Reduced => 2.0,
                Repair::Recovery => 3.0,
                Repair::Timeout => 4.0,
            }),
            "tcpi_rtt" => sender.timer_state().srtt.map(|srtt| (srtt * 1e6).round()),
            "tcpi_rto" => Some((sender.timer_state().rto * 1e6).round()),
            "tcpi_snd_mss" => Some(mss),
            "tcpi_rwnd_limited" => Some((sender.limited(now).receive_window.as_secs_f64() * 1e6).round()),
            "tcpi_options" => {
                let agreed = &connection.agreed;
                let flags = [agreed.timestamps, agreed.sack, connection.scales(), agreed.ecn];
                Some(flags.iter().enumerate().map(|(bit, &is_set)| f64::from(u8::from(is_set) << bit)).sum())
            }
            "tcpi_state" => match connection.stage {
                Stage::Open if connection.is_quiet() => Some(1.0),
                Stage::Reset => Some(7.0),
                _ => None,
            },
            _ => None,
        }
    }
}
