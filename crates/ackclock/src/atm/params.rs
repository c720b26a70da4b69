//! The parameters of an ABR connection.
//! Source: \[TM4\] §5.10.2, Tables 5-8 to 5-10.

use super::{RmRates, cells_per_second};
use crate::keys::{Default, Key, Kind, Misfit, Value, Values};
use crate::units::{CELL_BITS, Rate, Span};

/// The parameters of an ABR connection. Rates are in cells per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AbrParams {
    /// PCR, peak cell rate: ACR is never more.
    pub pcr: f64,
    /// MCR, minimum cell rate: ACR is never less.
    pub mcr: f64,
    /// ICR, initial cell rate.
    pub icr: f64,
    /// RIF, rate increase factor: ACR rises by RIF · PCR.
    pub rif: f64,
    /// RDF, rate decrease factor: ACR falls by RDF · ACR.
    pub rdf: f64,
    /// Nrm: one in-rate cell in so many is a forward RM cell.
    pub nrm: u32,
    /// Trm: the longest time between two forward RM cells, of a source that sends.
    pub trm: Span,
    /// ADTF, ACR decrease time factor: after so long without a forward RM cell ACR falls to ICR.
    pub adtf: Span,
    /// CDF, cutoff decrease factor: ACR falls by CDF · ACR while backward RM cells are missing; 0: it does not.
    pub cdf: f64,
    /// TBE, transient buffer exposure: the cells that the source may send before the first RM cell returns.
    pub tbe: u32,
    /// FRTT, fixed round-trip time: propagation of both ways.
    pub frtt: Span,
    /// How exact the rates in RM cells are.
    pub rm_rates: RmRates,
}

impl AbrParams {
    /// The parameters as users write them, but for PCR, which UBR has too. Which values TM 4.0 allows of those that fit the kinds
    /// says [`AbrParams::check`].
    #[rustfmt::skip]
    pub const KEYS: &'static [Key] = &[
        Key::new("mcr", RATE, Default::Is(Value::rate(0)), "[TM4] §5.10.2",
            "MCR, minimum cell rate: the source may always send at this rate; 0 bps to PCR."),
        Key::new("icr", Kind::Or(&RATE, &[AS_PCR]), Default::Is(Value::Word(AS_PCR)), "[TM4] §5.10.2",
            "ICR, initial cell rate: the rate of the source at the start, and after an idle time; MCR to PCR, and no more than TBE cells in FRTT."),
        factor_key(
            "rif",
            "RIF, rate increase factor: a backward RM cell may raise ACR by RIF times PCR; 1/32768 to 1, a power of two.",
        ),
        factor_key(
            "rdf",
            "RDF, rate decrease factor: a backward RM cell with CI lowers ACR by RDF times ACR; 1/32768 to 1, a power of two.",
        ),
        Key::new("nrm", CELLS, Default::Is(Value::cells(32)), "[TM4] §5.10.2",
            "Nrm: one in-rate cell in so many is a forward RM cell; 2 to 256, a power of two."),
        Key::new("trm", TIME, Default::Is(Value::time(LONGEST_TRM)), "[TM4] §5.10.2",
            "Trm: the longest time between forward RM cells of an active source; 100 ms, or that halved up to seven times."),
        Key::new("adtf", TIME, Default::Is(Value::time(Span::from_ms(500))), "[TM4] §5.10.2",
            "ADTF, ACR decrease time factor: after so long without a forward RM cell ACR falls to ICR; 0.01 to 10.23 s, in steps of 10 ms."),
        Key::new("cdf", Kind::Factor, Default::Is(Value::Number(1.0 / 16.0)), "[TM4] §5.10.2",
            "CDF, cutoff decrease factor: ACR falls by CDF times ACR while CRM forward RM cells are unanswered; 0 for never, or 1/64 to 1, a power of two."),
        Key::new("tbe", CELLS, Default::Is(Value::cells(LARGEST_TBE as u64)), "[TM4] §5.10.2",
            "TBE, transient buffer exposure: the cells that the source may send before the first RM cell returns; CRM is TBE over Nrm."),
        Key::new("frtt", Kind::Or(&TIME, &["propagation"]), Default::Is(Value::Word("propagation")), "[TM4] §5.10.2; Ackclock: without transmission and switching",
            "FRTT, fixed round-trip time: it lowers ICR to TBE cells in this time; at most 16.7 s."),
        Key::new("rm_rates", Kind::Word(&["exact", "tm4"]), Default::Is(Value::Word("exact")), "inferred",
            "How exact ER, CCR and MCR in RM cells are: as computed, or as the 16 bits of TM 4.0 hold them."),
    ];

    /// The parameters of a connection with this peak cell rate over this propagation delay there and back.
    ///
    /// # Errors
    /// If TM 4.0 does not allow one of them.
    pub fn read(values: &Values, pcr: Rate, propagation: Span) -> Result<AbrParams, Misfit> {
        let params = AbrParams::of(values, cells_per_second(pcr), propagation);
        params.check().map(|()| params)
    }

    /// The defaults of all keys for a peak rate and a round-trip time.
    pub fn new(pcr: f64, frtt: Span) -> AbrParams {
        AbrParams::of(&Values::defaults(AbrParams::KEYS), pcr, frtt)
    }

    fn of(values: &Values, pcr: f64, propagation: Span) -> AbrParams {
        let cell_rate = |name: &str| values.amount(name) as f64 / CELL_BITS as f64;
        AbrParams {
            pcr,
            mcr: cell_rate("mcr"),
            icr: if values.is_word("icr") { pcr } else { cell_rate("icr") },
            rif: values.number("rif"),
            rdf: values.number("rdf"),
            nrm: values.count("nrm"),
            trm: values.time("trm"),
            adtf: values.time("adtf"),
            cdf: values.number("cdf"),
            tbe: values.count("tbe"),
            frtt: if values.is_word("frtt") { propagation } else { values.time("frtt") },
            rm_rates: values.choice("rm_rates", &[("exact", RmRates::Exact), ("tm4", RmRates::Tm4)]),
        }
    }

    /// The rate at which the source begins: ICR, lowered so that no more than TBE cells are sent within FRTT.
    pub fn initial_rate(&self) -> f64 {
        let exposed = match self.frtt {
            Span::ZERO => f64::INFINITY,
            frtt => f64::from(self.tbe) / frtt.as_secs_f64(),
        };
        self.icr.min(exposed).max(self.mcr)
    }

    /// CRM: so many forward RM cells may be sent before one comes back; beyond that, ACR falls by CDF.
    pub fn crm(&self) -> u32 {
        self.tbe.div_ceil(self.nrm)
    }

    /// The first parameter that TM 4.0 does not allow, with what it allows.
    ///
    /// # Errors
    /// If there is one.
    pub fn check(&self) -> Result<(), Misfit> {
        let within = |least: Span, most: Span, span: Span| (least..=most).contains(&span);
        let is_trm = (0..=7).any(|k| self.trm.as_ps() == LONGEST_TRM.as_ps() >> k);
        let is_adtf = within(Span::from_ms(10), Span::from_ms(10_230), self.adtf)
            && self.adtf.as_ps().is_multiple_of(Span::from_ms(10).as_ps());
        let is_nrm = self.nrm.is_power_of_two() && (2..=256).contains(&self.nrm);
        let factor = "a power of two from 1/32768 to 1";
        let all: [(&'static [&'static str], bool, &'static str); 11] = [
            (&["pcr"], self.pcr > 0.0, "more than 0"),
            (&["mcr"], (0.0..=self.pcr).contains(&self.mcr), "from 0 to PCR"),
            (&["icr"], (self.mcr..=self.pcr).contains(&self.icr), "from MCR to PCR"),
            (&["rif"], is_halved(self.rif, 15), factor),
            (&["rdf"], is_halved(self.rdf, 15), factor),
            (&["nrm"], is_nrm, "a power of two from 2 to 256 cells"),
            (&["trm"], is_trm, "100 ms, or that halved up to seven times"),
            (&["adtf"], is_adtf, "from 0.01 s to 10.23 s, in steps of 10 ms"),
            (&["cdf"], self.cdf == 0.0 || is_halved(self.cdf, 6), "0, or a power of two from 1/64 to 1"),
            (&["tbe"], self.tbe <= LARGEST_TBE, "at most 16777215 cells"),
            (&["frtt"], self.frtt <= LONGEST_FRTT, "at most 16.7 s"),
        ];
        match all.into_iter().find(|(_, is_allowed, _)| !is_allowed) {
            None => Ok(()),
            Some((keys, _, expected)) => {
                let name = keys[0].to_uppercase();
                Err(Misfit { keys, problem: format!("{name} is not one that TM 4.0 allows"), expected })
            }
        }
    }
}

/// The key of a factor of a change of ACR.
const fn factor_key(name: &'static str, about: &'static str) -> Key {
    let default = Default::Is(Value::Number(1.0 / 16.0));
    Key::new(name, Kind::Factor, default, "literature: as in two public implementations", about)
}

/// Whether a number is 1, halved up to so many times.
fn is_halved(number: f64, most: u32) -> bool {
    (0..=most).any(|k| number * f64::from(1_u32 << k) == 1.0)
}

/// Mrm: at least so many cells are sent between two forward RM cells that Trm demands.
pub(super) const MRM: u32 = 2;
/// TCR, tagged cell rate: the rate of RM cells that are out of rate. Cells per second.
pub(super) const TCR: f64 = 10.0;
/// What the kinds of keys allow is wider than TM 4.0, so that one place says what that allows.
const RATE: Kind = Kind::rate(0, 1_000_000_000_000);
const CELLS: Kind = Kind::cells(0, u32::MAX as u64);
const TIME: Kind = Kind::time(Span::ZERO, Span::from_secs(3600));
/// ICR that is not limited further.
const AS_PCR: &str = "pcr";
const LARGEST_TBE: u32 = 16_777_215;
const LONGEST_TRM: Span = Span::from_ms(100);
const LONGEST_FRTT: Span = Span::from_ms(16_700);

#[cfg(test)]
mod tests {
    use super::*;

    fn params() -> AbrParams {
        AbrParams::new(353_773.585, Span::from_ms(30))
    }

    /// Each parameter at the ends of its range, and beyond them.
    #[test]
    fn each_parameter_has_the_range_of_tm4() {
        type Change = fn(&mut AbrParams);
        let refused = |change: Change| {
            let mut changed = params();
            change(&mut changed);
            changed.check().err().map(|misfit| misfit.keys[0])
        };
        let allowed: &[Change] = &[
            |_| {},
            |p| (p.mcr, p.icr) = (p.pcr, p.pcr),
            |p| (p.mcr, p.icr) = (5.0, 5.0),
            |p| (p.rif, p.rdf) = (1.0, 1.0 / 32_768.0),
            |p| p.nrm = 2,
            |p| p.nrm = 256,
            |p| p.trm = Span::from_ps(781_250_000),
            |p| p.adtf = Span::from_ms(10),
            |p| p.adtf = Span::from_ms(10_230),
            |p| p.cdf = 0.0,
            |p| p.cdf = 1.0 / 64.0,
            |p| p.cdf = 1.0,
            |p| p.tbe = 0,
            |p| p.frtt = Span::from_ms(16_700),
        ];
        for (number, change) in allowed.iter().enumerate() {
            assert_eq!(refused(*change), None, "{number}");
        }
        let wrong: &[(&str, Change)] = &[
            ("pcr", |p| p.pcr = 0.0),
            ("pcr", |p| p.pcr = f64::NAN),
            ("mcr", |p| p.mcr = -1.0),
            ("mcr", |p| p.mcr = p.pcr + 1.0),
            ("icr", |p| (p.mcr, p.icr) = (5.0, 4.0)),
            ("icr", |p| p.icr = p.pcr + 1.0),
            ("rif", |p| p.rif = 1.0 / 65_536.0),
            ("rif", |p| p.rif = 2.0),
            ("rif", |p| p.rif = 0.3),
            ("rdf", |p| p.rdf = 0.0),
            ("nrm", |p| p.nrm = 1),
            ("nrm", |p| p.nrm = 512),
            ("nrm", |p| p.nrm = 33),
            ("trm", |p| p.trm = Span::from_ms(200)),
            ("trm", |p| p.trm = Span::from_ps(390_625_000)),
            ("trm", |p| p.trm = Span::from_ms(30)),
            ("adtf", |p| p.adtf = Span::ZERO),
            ("adtf", |p| p.adtf = Span::from_ms(10_240)),
            ("adtf", |p| p.adtf = Span::from_ms(15)),
            ("cdf", |p| p.cdf = 1.0 / 128.0),
            ("cdf", |p| p.cdf = 2.0),
            ("tbe", |p| p.tbe = 16_777_216),
            ("frtt", |p| p.frtt = Span::from_ms(16_701)),
        ];
        for (key, change) in wrong {
            assert_eq!(refused(*change), Some(*key));
        }
    }

    #[test]
    fn keys_have_the_defaults_of_tm4_and_rates_of_whole_cells() {
        let pcr = Rate::from_bps(150_000_000).unwrap();
        let defaults = Values::defaults(AbrParams::KEYS);
        let expected = AbrParams::new(150e6 / 424.0, Span::from_ms(30));
        assert_eq!(AbrParams::read(&defaults, pcr, Span::from_ms(30)), Ok(expected));
        let given = [
            ("mcr", Value::rate(424_000)),
            ("icr", Value::rate(848_000)),
            ("frtt", Value::time(Span::from_ms(7))),
            ("rm_rates", Value::Word("tm4")),
        ];
        let with = |given: &[(&str, Value)]| {
            Values::of(AbrParams::KEYS, |key| given.iter().find(|(name, _)| *name == key.name).map(|(_, value)| *value))
        };
        let read = AbrParams::read(&with(&given), pcr, Span::from_ms(30)).unwrap();
        assert_eq!((read.mcr, read.icr, read.frtt), (1000.0, 2000.0, Span::from_ms(7)));
        assert_eq!(read.rm_rates, RmRates::Tm4);
        let refused = AbrParams::read(&with(&[("mcr", Value::rate(150_000_001))]), pcr, Span::ZERO).unwrap_err();
        assert_eq!(refused.keys, ["mcr"]);
    }

    #[test]
    fn the_source_begins_no_faster_than_tbe_cells_in_a_round_trip() {
        let begins = |tbe, mcr| AbrParams { tbe, mcr, ..params() }.initial_rate();
        assert_eq!(begins(16_777_215, 0.0), 353_773.585);
        // 512 cells in 30 ms.
        assert_eq!(begins(512, 0.0), 512.0 / 0.03);
        assert_eq!(begins(512, 20_000.0), 20_000.0, "MCR is guaranteed");
        assert_eq!(AbrParams { frtt: Span::ZERO, tbe: 1, ..params() }.initial_rate(), 353_773.585);
        assert_eq!([params().crm(), AbrParams { tbe: 512, ..params() }.crm()], [524_288, 16]);
        assert_eq!(AbrParams { tbe: 33, ..params() }.crm(), 2);
    }
}
