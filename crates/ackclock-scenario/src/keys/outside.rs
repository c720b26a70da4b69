//! Mechanisms from outside: what a program adds to those that its scenario files can name.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use ackclock::atm::rate::{CustomRateAlgorithm, RateAlgorithm};
use ackclock::keys::Family;
use ackclock::link::ErrorModelParams;
use ackclock::link::errors::CustomErrorModel;
use ackclock::queue::PolicyParams;
use ackclock::queue::cell::{CellPolicyParams, CustomCellPolicy};
use ackclock::queue::packet::{CustomDiscipline, PacketPolicyParams};
use ackclock::tcp::application::CustomApplication;
use ackclock::tcp::cc::CustomCongestionControl;
use ackclock::tcp::recovery::CustomRecovery;
use ackclock::tcp::{ApplicationParams, CongestionControlParams, RecoveryParams};

use super::mechanisms::{self, NO_RATES, names};
use super::words::{TechnologyWord, alias};

/// Mechanisms that are in no list of the simulator, and that the scenarios of a program can name like those that are.
///
/// Each has a version. A resolved scenario names the mechanism with it, as in `congestion_control = "my-vegas@2"`: so documents say
/// which code a run is of, and a run that is kept is never taken for one of other code, as long as whoever changes the code changes
/// the version. A scenario file may leave the version out.
///
/// ```
/// use ackclock::queue::packet::{CustomDiscipline, Fifo};
/// use ackclock::queue::DropReason;
/// # use ackclock::queue::Verdict;
/// # use ackclock::queue::packet::{BatchHints, PacketArrival, PacketPolicy};
/// use ackclock_scenario::{Loader, Memory, Outside};
/// # #[derive(Clone)]
/// # struct Half;
/// # impl BatchHints for Half {}
/// # impl PacketPolicy for Half {
/// #     fn on_enqueue(&mut self, arrival: &PacketArrival) -> Verdict {
/// #         if arrival.is_full { Verdict::Drop(DropReason::Overflow) } else { Verdict::Accept }
/// #     }
/// # }
///
/// let mut outside = Outside::default();
/// outside.add("1", CustomDiscipline::new("my-queue", |port, _| Box::new(Fifo::new(port, Half)))).unwrap();
///
/// let files = Memory::new().with("a.toml", r#"
///     duration = "1 s"
///     [network]
///     technology = "packet"
///     topology = "dumbbell"
///     sources = 2
///     access_rate = "100 Mbps"
///     access_delay = "1 ms"
///     bottleneck_rate = "10 Mbps"
///     bottleneck_delay = "10 ms"
///     [queue]
///     buffer = "50 packets"
///     policy = "my-queue"
/// "#);
/// let loaded = Loader::new(&files).outside(&outside).load("a.toml").unwrap();
/// assert!(loaded.resolved.contains("policy = \"my-queue@1\""));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Outside(Arc<Vec<Registered>>);

#[derive(Clone, Debug)]
struct Registered {
    /// `NAME@VERSION`, as resolved scenarios have it.
    word: &'static str,
    mechanism: OutsideMechanism,
}

/// A mechanism from outside, of whichever family.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum OutsideMechanism {
    CongestionControl(CustomCongestionControl),
    Recovery(CustomRecovery),
    Application(CustomApplication),
    Discipline(CustomDiscipline),
    CellPolicy(CustomCellPolicy),
    RateAlgorithm(CustomRateAlgorithm),
    ErrorModel(CustomErrorModel),
}

/// Why a mechanism is not among those that scenarios can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRegistered {
    /// What is wrong.
    pub problem: String,
    /// What to do.
    pub help: String,
}

impl fmt::Display for NotRegistered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.problem, self.help)
    }
}

impl Error for NotRegistered {}

impl Outside {
    /// Adds a mechanism in this version: any text of letters, digits, `_`, `-` and `.`. It has to change with the code of the
    /// mechanism, and with values that the code takes from elsewhere.
    ///
    /// # Errors
    /// If the name is no word of scenario files, or stands for something else there; if the version is no such text.
    pub fn add(&mut self, version: &str, mechanism: impl Into<OutsideMechanism>) -> Result<(), NotRegistered> {
        let mechanism = mechanism.into();
        let name = mechanism.name();
        let refused = |problem: String, help: &str| Err(NotRegistered { problem, help: help.to_owned() });
        if !is_word(name) {
            let problem = format!("{name:?} cannot be the name of a mechanism");
            return refused(problem, "a name has 1 to 64 lower-case letters, digits and `-`, and begins with a letter");
        }
        if !is_version(version) {
            let problem = format!("{version:?} cannot be the version of {name}");
            return refused(problem, "a version has 1 to 64 letters, digits, `_`, `-` and `.`");
        }
        let family = mechanism.family();
        if names(family).contains(&name) || name == NO_RATES || alias(name).is_some() {
            let problem = format!("{name:?} is in the language of scenario files already");
            return refused(problem, "choose another name, as my-{NAME}".replace("{NAME}", name).as_str());
        }
        if self.0.iter().any(|other| other.mechanism.family() == family && other.mechanism.name() == name) {
            let problem = format!("there are two mechanisms from outside called {name:?} of one family");
            return refused(problem, "choose another name for one of them");
        }
        let word = kept(format!("{name}@{version}"));
        Arc::make_mut(&mut self.0).push(Registered { word, mechanism });
        Ok(())
    }

    /// What resolved scenarios call the mechanisms, `NAME@VERSION`, each with its family.
    pub fn words(&self) -> impl Iterator<Item = (Family, &'static str)> {
        self.0.iter().map(|registered| (registered.mechanism.family(), registered.word))
    }

    /// What resolved scenarios call the mechanism that a text names, with or without its version.
    pub(crate) fn word(&self, family: Family, text: &str) -> Option<&'static str> {
        self.of(family).find(|(name, word)| *name == text || *word == text).map(|(_, word)| word)
    }

    /// The names of a family, those of policies of this technology.
    pub(crate) fn names(&self, family: Family, technology: Option<TechnologyWord>) -> Vec<&'static str> {
        let here = self.0.iter().filter(|registered| match (&registered.mechanism, technology) {
            (OutsideMechanism::Discipline(_), Some(technology)) => technology == TechnologyWord::Packet,
            (OutsideMechanism::CellPolicy(_), Some(technology)) => technology == TechnologyWord::Atm,
            (_, _) => true,
        });
        here.filter(|registered| registered.mechanism.family() == family).map(|registered| registered.name()).collect()
    }

    /// What to say about an unknown name with a version.
    pub(crate) fn help(&self, family: Family, text: &str) -> Option<String> {
        let (wanted, _) = text.split_once('@')?;
        let registered = self.of(family).find(|(name, _)| *name == wanted);
        Some(match registered.and_then(|(name, word)| Some((name, word.split_once('@')?.1))) {
            Some((name, version)) => format!("version {version} of it is here; write {name:?} for that"),
            None => "it is a mechanism from outside: the program that loads the scenario has to know it".to_owned(),
        })
    }

    pub(crate) fn congestion_control(&self, word: &str) -> Option<CongestionControlParams> {
        self.find(word, |mechanism| match mechanism {
            OutsideMechanism::CongestionControl(custom) => Some(CongestionControlParams::Custom(custom.clone())),
            _ => None,
        })
    }

    pub(crate) fn recovery(&self, word: &str) -> Option<RecoveryParams> {
        self.find(word, |mechanism| match mechanism {
            OutsideMechanism::Recovery(custom) => Some(RecoveryParams::Custom(custom.clone())),
            _ => None,
        })
    }

    pub(crate) fn application(&self, word: &str) -> Option<ApplicationParams> {
        self.find(word, |mechanism| match mechanism {
            OutsideMechanism::Application(custom) => Some(ApplicationParams::Custom(custom.clone())),
            _ => None,
        })
    }

    /// That of the ports of a technology: cells and packets may have policies of one name.
    pub(crate) fn policy(&self, word: &str, technology: TechnologyWord) -> Option<PolicyParams> {
        self.find(word, |mechanism| match (mechanism, technology) {
            (OutsideMechanism::CellPolicy(custom), TechnologyWord::Atm) => {
                Some(CellPolicyParams::Custom(custom.clone()).into())
            }
            (OutsideMechanism::Discipline(custom), TechnologyWord::Packet) => {
                Some(PacketPolicyParams::Custom(custom.clone()).into())
            }
            (_, _) => None,
        })
    }

    pub(crate) fn rate_algorithm(&self, word: &str) -> Option<RateAlgorithm> {
        self.find(word, |mechanism| match mechanism {
            OutsideMechanism::RateAlgorithm(custom) => Some(RateAlgorithm::Custom(custom.clone())),
            _ => None,
        })
    }

    pub(crate) fn error_model(&self, word: &str) -> Option<ErrorModelParams> {
        self.find(word, |mechanism| match mechanism {
            OutsideMechanism::ErrorModel(custom) => Some(ErrorModelParams::Custom(custom.clone())),
            _ => None,
        })
    }

    fn find<T>(&self, word: &str, params: impl Fn(&OutsideMechanism) -> Option<T>) -> Option<T> {
        let named = self.0.iter().filter(|registered| registered.word == word);
        named.filter_map(|registered| params(&registered.mechanism)).next()
    }

    /// Names and words of a family.
    fn of(&self, family: Family) -> impl Iterator<Item = (&'static str, &'static str)> {
        let of_family = self.0.iter().filter(move |registered| registered.mechanism.family() == family);
        of_family.map(|registered| (registered.name(), registered.word))
    }
}

impl Registered {
    fn name(&self) -> &'static str {
        self.word.split_once('@').map_or(self.word, |(name, _)| name)
    }
}

impl OutsideMechanism {
    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            OutsideMechanism::CongestionControl(custom) => custom.name(),
            OutsideMechanism::Recovery(custom) => custom.name(),
            OutsideMechanism::Application(custom) => custom.name(),
            OutsideMechanism::Discipline(custom) => custom.name(),
            OutsideMechanism::CellPolicy(custom) => custom.name(),
            OutsideMechanism::RateAlgorithm(custom) => custom.name(),
            OutsideMechanism::ErrorModel(custom) => custom.name(),
        }
    }

    fn family(&self) -> Family {
        match self {
            OutsideMechanism::CongestionControl(_) => Family::CongestionControl,
            OutsideMechanism::Recovery(_) => Family::Recovery,
            OutsideMechanism::Application(_) => Family::Application,
            OutsideMechanism::Discipline(_) | OutsideMechanism::CellPolicy(_) => Family::Policy,
            OutsideMechanism::RateAlgorithm(_) => Family::RateAlgorithm,
            OutsideMechanism::ErrorModel(_) => Family::ErrorModel,
        }
    }
}

macro_rules! from_custom {
    ($($Name:ident($Custom:ident),)*) => {
        $(impl From<$Custom> for OutsideMechanism {
            fn from(custom: $Custom) -> OutsideMechanism {
                OutsideMechanism::$Name(custom)
            }
        })*
    };
}

from_custom! {
    CongestionControl(CustomCongestionControl),
    Recovery(CustomRecovery),
    Application(CustomApplication),
    Discipline(CustomDiscipline),
    CellPolicy(CustomCellPolicy),
    RateAlgorithm(CustomRateAlgorithm),
    ErrorModel(CustomErrorModel),
}

/// The drop policies of what travels in the networks of a technology.
pub(crate) fn policies(technology: TechnologyWord, outside: &Outside) -> Vec<&'static str> {
    [mechanisms::policies(technology), outside.names(Family::Policy, Some(technology))].concat()
}

fn is_word(text: &str) -> bool {
    let fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    text.len() <= 64 && text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(fine)
}

fn is_version(text: &str) -> bool {
    let fine = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=64).contains(&text.len()) && text.chars().all(fine)
}

/// A word for the life of the program, as those of the language are. Each is kept once, however often it is registered.
fn kept(word: String) -> &'static str {
    static WORDS: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = words.get(word.as_str()) {
        return known;
    }
    let word: &'static str = Box::leak(word.into_boxed_str());
    words.insert(word);
    word
}
