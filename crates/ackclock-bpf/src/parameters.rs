//! The choices of a Vegas in the kernel, and what of those of the simulator it can have.

use ackclock::tcp::cc::{AbCoupling, AbStep, Increase, VegasAParams, VegasParams};

use crate::Error;

/// Which congestion control is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Vegas, with thresholds that stay.
    Vegas,
    /// Vegas-A, whose thresholds adapt.
    VegasA,
}

/// The choices of a Vegas in the kernel. Thresholds are packets, in whole thousandths from 0 to 1,000,000.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// With fewer packets in queues the window grows; of Vegas-A at the start.
    pub alpha: f64,
    /// With more it shrinks; of Vegas-A at the start.
    pub beta: f64,
    /// With more slow start ends.
    pub gamma: f64,
    /// How the window of Vegas-A grows by a packet.
    pub increase: Increase,
    /// Beyond this the alpha of Vegas-A does not rise.
    pub alpha_max: Option<f64>,
    /// Throughputs that differ by no more than this part of the earlier one are equal; 0 to 1, in whole 65,536ths.
    pub th_tolerance: f64,
    /// With this probability equal throughputs count as risen.
    pub tie_up_probability: f64,
    /// With this probability they count as fallen.
    pub tie_down_probability: f64,
    /// Whether there is no comparison with the throughput before a loss.
    pub reset_th_on_loss: bool,
    /// Whether a timeout sets the thresholds of Vegas-A back to what they were at the start.
    pub reset_ab_on_rto: bool,
}

/// Those of the study, with a tolerance for hosts.
impl Default for Parameters {
    fn default() -> Parameters {
        Parameters::of_vegas_a(&VegasAParams::default()).expect("the defaults of the simulator can be had")
    }
}

/// What hosts make of equal throughputs: acknowledgements for one packet or two, and processors that are elsewhere. With zero two in five
/// rounds of a full link count as risen, and the window grows until packets are lost. Measured: docs/live-vegas-a.md.
const TOLERANCE_OF_HOSTS: f64 = 0.1;

/// As `vegas.h` has it.
const LARGEST_THRESHOLD: f64 = 1e6;

impl Parameters {
    /// Those of the simulator's Vegas.
    ///
    /// # Errors
    /// If changes of route are to be looked for: the program cannot.
    pub fn of_vegas(params: &VegasParams) -> Result<Parameters, Error> {
        if params.reroute.is_some() {
            return Err(not_live("`reroute_detect`", "leave `reroute_detect` out"));
        }
        Ok(Parameters {
            alpha: params.alpha,
            beta: params.beta,
            gamma: params.gamma,
            increase: Increase::AtOnce,
            th_tolerance: 0.0,
            alpha_max: None,
            tie_up_probability: 0.0,
            tie_down_probability: 0.0,
            reset_th_on_loss: true,
            reset_ab_on_rto: false,
        })
    }

    /// Those of the simulator's Vegas-A. A `th_tolerance` as small as the simulator's, whose rounds have no noise, becomes 0.1.
    ///
    /// # Errors
    /// If there is a step, a coupling or a search for changes of route that the program does not have.
    pub fn of_vegas_a(params: &VegasAParams) -> Result<Parameters, Error> {
        if params.step != AbStep::Unit {
            return Err(not_live("a `step` other than \"unit\"", "say step = \"unit\""));
        }
        if params.coupling != AbCoupling::Locked {
            return Err(not_live("a `coupling` other than \"locked\"", "say coupling = \"locked\""));
        }
        Ok(Parameters {
            increase: params.increase,
            th_tolerance: if params.th_tolerance > 1e-9 { params.th_tolerance } else { TOLERANCE_OF_HOSTS },
            tie_up_probability: params.tie_up_probability,
            tie_down_probability: params.tie_down_probability,
            alpha_max: params.alpha_max,
            reset_th_on_loss: params.reset_th_on_loss,
            reset_ab_on_rto: params.reset_ab_on_rto,
            ..Parameters::of_vegas(&params.vegas)?
        })
    }

    /// `struct vegas_parameters` of `bpf/vegas.h`, little-endian.
    ///
    /// # Errors
    /// If a value is out of its limits.
    pub fn octets(&self, kind: Kind) -> Result<[u8; 64], Error> {
        let Parameters { alpha, beta, tie_up_probability: up, tie_down_probability: down, .. } = *self;
        if alpha > beta {
            return Err(wrong(
                format!("`alpha` is {alpha}, more than `beta`, {beta}"),
                "the window could never rest: raise `beta`, or lower `alpha`",
            ));
        }
        if !(up >= 0.0 && down >= 0.0 && up + down <= 1.0) {
            return Err(wrong(
                format!("`tie_up_probability` is {up}, `tie_down_probability` {down}"),
                "probabilities are from 0 to 1, and no more than 1 together",
            ));
        }
        if !(0.0..=1.0).contains(&self.th_tolerance) {
            return Err(wrong(
                format!("`th_tolerance` is {}", self.th_tolerance),
                "it is a part of the throughput, from 0 to 1",
            ));
        }
        if self.alpha_max.is_some_and(|max| max < alpha) {
            return Err(wrong(format!("`alpha_max` is less than `alpha`, {alpha}"), "raise it: alpha begins above it"));
        }
        let in_32_bits = |probability: f64| (probability * 4_294_967_296.0) as u64;
        let adaptive = u32::from(kind == Kind::VegasA);
        let increase = match self.increase {
            Increase::AtOnce => 0,
            Increase::Spread => 1,
            Increase::SpreadAtFloor => 2,
        };
        let words = [
            adaptive,
            thousandths("alpha", alpha)?,
            thousandths("beta", beta)?,
            thousandths("gamma", self.gamma)?,
            thousandths("alpha_max", self.alpha_max.unwrap_or(LARGEST_THRESHOLD))?,
            increase,
            u32::from(self.reset_th_on_loss),
            u32::from(self.reset_ab_on_rto),
            (self.th_tolerance * 65_536.0) as u32,
        ];
        let mut octets = [0; 64];
        octets[..8].copy_from_slice(&in_32_bits(up).to_le_bytes());
        octets[8..16].copy_from_slice(&in_32_bits(down).to_le_bytes());
        for (place, word) in octets[16..].chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        Ok(octets)
    }
}

/// Whole thousandths of a packet.
fn thousandths(name: &str, packets: f64) -> Result<u32, Error> {
    let scaled = (packets * 1000.0).round();
    // What is written with three decimals is this close to a thousandth.
    if !(0.0..=LARGEST_THRESHOLD).contains(&packets) || (packets * 1000.0 - scaled).abs() > 1e-6 * scaled.max(1.0) {
        return Err(wrong(
            format!("`{name}` is {packets}"),
            "in the kernel it is 0 to 1,000,000 packets, with three decimals at most",
        ));
    }
    Ok(scaled as u32)
}

fn wrong(problem: String, remedy: &str) -> Error {
    Error::Parameter { problem, remedy: remedy.to_owned() }
}

fn not_live(what: &str, remedy: &str) -> Error {
    wrong(format!("Vegas in the kernel does not have {what}"), &format!("{remedy}, or simulate it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_octets_are_those_of_the_header() {
        let parameters = Parameters {
            alpha: 1.5,
            alpha_max: Some(20.0),
            tie_up_probability: 0.5,
            tie_down_probability: 0.25,
            increase: Increase::SpreadAtFloor,
            reset_ab_on_rto: true,
            th_tolerance: 0.0625,
            ..Parameters::default()
        };
        let octets = parameters.octets(Kind::VegasA).unwrap();
        let longs = octets.chunks_exact(8).map(|part| u64::from_le_bytes(part.try_into().unwrap())).collect::<Vec<_>>();
        assert_eq!(longs[..2], [1 << 31, 1 << 30]);
        let words = octets.chunks_exact(4).map(|part| u32::from_le_bytes(part.try_into().unwrap())).collect::<Vec<_>>();
        assert_eq!(words[4..], [1, 1500, 3000, 1000, 20_000, 2, 1, 1, 4096, 0, 0, 0]);
        assert_eq!(Parameters::default().octets(Kind::Vegas).unwrap()[16], 0);
    }

    #[test]
    fn what_the_program_cannot_have_is_refused_with_the_remedy() {
        let of = |change: fn(&mut VegasAParams)| {
            let mut params = VegasAParams::default();
            change(&mut params);
            Parameters::of_vegas_a(&params).map_err(|error| error.to_string())
        };
        assert_eq!(of(|_| ()), Ok(Parameters::default()));
        assert_eq!(
            [0.0, 1e-8].map(|th_tolerance| {
                Parameters::of_vegas_a(&VegasAParams { th_tolerance, ..VegasAParams::default() }).unwrap().th_tolerance
            }),
            [0.1, 1e-8]
        );
        assert_eq!(
            of(|params| params.step = AbStep::Rtt).unwrap_err(),
            "Vegas in the kernel does not have a `step` other than \"unit\"\nhelp: say step = \"unit\", or simulate it"
        );
        let refused = |change: fn(&mut Parameters)| {
            let mut parameters = Parameters::default();
            change(&mut parameters);
            parameters.octets(Kind::VegasA).unwrap_err().to_string()
        };
        assert!(refused(|parameters| parameters.alpha = 4.0).contains("more than `beta`, 3"));
        assert!(refused(|parameters| parameters.gamma = 1.0001).starts_with("`gamma` is 1.0001\nhelp: "));
        assert!(refused(|parameters| parameters.gamma = f64::NAN).starts_with("`gamma` is NaN\nhelp: "));
        assert!(refused(|parameters| parameters.tie_up_probability = 1.1).contains("from 0 to 1"));
        assert!(refused(|parameters| parameters.th_tolerance = -0.1).contains("from 0 to 1"));
        assert!(refused(|parameters| parameters.alpha_max = Some(0.5)).contains("less than `alpha`, 1"));
        assert_eq!(thousandths("alpha", 0.001), Ok(1));
        assert_eq!(thousandths("alpha", 0.1), Ok(100));
        assert_eq!(thousandths("alpha", 1e6), Ok(1_000_000_000));
        assert!(thousandths("alpha", 1e6 + 0.001).is_err());
    }
}
