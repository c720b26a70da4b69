//! What is compared: TCPs, drop policies, or one mixture of TCPs, and how many flows each run has.

use super::tcps::{ATM_DIALECT, RECOVERIES, SACK, STANDARD, Tcp, once, tcp_names};
use crate::args::{QuickArgs, Technology};
use crate::failure::Failure;
use crate::spelling;
use ackclock_scenario::NOT_MODELLED_PAGE;

/// Flows of one run that have the same TCP.
#[derive(Clone)]
pub struct Group {
    pub tcp: Tcp,
    pub flows: u32,
    /// The number of its first flow, from 1.
    pub first: u32,
}

impl Group {
    /// The names of its flows, as in f1 to f2.
    pub fn names(&self) -> String {
        match self.flows {
            1 => format!("f{}", self.first),
            flows => format!("f{} to f{}", self.first, self.first + flows - 1),
        }
    }

    /// Whether the flow at this index, counted from 0, is one of it.
    pub fn has(&self, index: usize) -> bool {
        (self.first - 1..self.first - 1 + self.flows).contains(&(index as u32))
    }
}

#[derive(Clone)]
pub struct Compared {
    /// Its folder, and its name on the page.
    pub name: String,
    /// Its TCP, or those of its mixture with the flows of each.
    pub tcp: String,
    pub groups: Vec<Group>,
    pub policy: String,
}

/// All that the command line asks for.
pub struct Asked {
    pub compared: Vec<Compared>,
    pub dialect: String,
    /// The number of flows of each run.
    pub flows: u32,
    /// Whether several drop policies are compared.
    pub several_policies: bool,
}

impl Asked {
    /// What the command line says; nothing is known of the path yet.
    pub fn of(args: &QuickArgs) -> Result<Asked, Failure> {
        let policies = once(&args.policy);
        let sets = sets(args, policies.len())?;
        let flows = sets[0].iter().map(|group| group.flows).sum();
        let mut compared = Vec::new();
        for groups in &sets {
            let is_mixture = groups.len() > 1;
            let joined = |each: fn(&Group) -> String, by: &str| groups.iter().map(each).collect::<Vec<_>>().join(by);
            let (tcp, folder) = if is_mixture {
                let folder = joined(|group| format!("{}{}", group.flows, group.tcp.name), "-");
                (joined(|group| format!("{}:{}", group.tcp.name, group.flows), ","), folder)
            } else {
                (groups[0].tcp.name.to_owned(), groups[0].tcp.name.to_owned())
            };
            for policy in &policies {
                let name = match (sets.len(), policies.len()) {
                    (_, 1) => folder.clone(),
                    (1, _) => policy.clone(),
                    (_, _) => format!("{folder}-{policy}"),
                };
                compared.push(Compared { name, tcp: tcp.clone(), groups: groups.clone(), policy: policy.clone() });
            }
        }
        if compared.len() > MOST_RESULTS {
            let what = format!("{} TCPs with {} policies are {} results", sets.len(), policies.len(), compared.len());
            return Err(Failure::usage(what, format_args!("a comparison has at most {MOST_RESULTS}")));
        }
        let dialect = args.dialect.clone().unwrap_or_else(|| dialect_of(args.technology).to_owned());
        Ok(Asked { compared, dialect, flows, several_policies: policies.len() > 1 })
    }
}

/// The dialect that networks of a technology have without being told.
fn dialect_of(technology: Technology) -> &'static str {
    match technology {
        Technology::Packet => STANDARD,
        Technology::Atm => ATM_DIALECT,
    }
}

/// The flows of each TCP that is compared; of a mixture there is one such list with several groups.
fn sets(args: &QuickArgs, policies: usize) -> Result<Vec<Vec<Group>>, Failure> {
    let asked = args.flows.as_deref();
    if let Some(mixture) = asked.filter(|asked| asked.contains([':', ','])) {
        if !args.tcp.is_empty() {
            return Err(Failure::usage(
                format_args!("--tcp beside --flows {mixture}, which says the TCPs itself"),
                "leave out --tcp, or give --flows a number",
            ));
        }
        return Ok(vec![mixture_of(mixture)?]);
    }
    let default = if args.technology == Technology::Atm { ATM_FLOWS } else { 1 };
    let flows = asked.map_or(Ok(default), |asked| number(asked, asked))?;
    let names: Vec<String> = match (&args.tcp[..], policies) {
        ([], 1) => RECOVERIES.map(String::from).to_vec(),
        // Several policies are compared, not several TCPs.
        ([], _) => vec![SACK.to_owned()],
        (given, _) => given.to_vec(),
    };
    let mut sets: Vec<Vec<Group>> = Vec::new();
    for wanted in &names {
        let tcp = Tcp::named(wanted).ok_or_else(|| unknown_tcp("--tcp", wanted))?;
        if sets.iter().all(|set| set[0].tcp.name != tcp.name) {
            sets.push(vec![Group { tcp, flows, first: 1 }]);
        }
    }
    Ok(sets)
}

/// Reads a mixture, as in "reno:2,cubic:2".
fn mixture_of(mixture: &str) -> Result<Vec<Group>, Failure> {
    let option = format!("--flows {mixture}");
    let mut groups: Vec<Group> = Vec::new();
    let mut first = 1;
    for part in mixture.split(',') {
        let Some((wanted, count)) = part.split_once(':') else {
            return Err(Failure::usage(format_args!("{option}: {part:?} has no number of flows"), EXAMPLE));
        };
        let tcp = Tcp::named(wanted.trim()).ok_or_else(|| unknown_tcp(&option, wanted.trim()))?;
        let flows = number(count, mixture)?;
        if groups.iter().any(|group| group.tcp.name == tcp.name) {
            return Err(Failure::usage(format_args!("{option}: {} occurs twice", tcp.name), EXAMPLE));
        }
        groups.push(Group { tcp, flows, first });
        first += flows;
    }
    if first - 1 > MOST_FLOWS {
        return Err(Failure::usage(
            format_args!("{option}: {} flows are too many", first - 1),
            format_args!("at most {MOST_FLOWS} in all"),
        ));
    }
    Ok(groups)
}

/// Reads a number of flows in the value `whole` of --flows.
fn number(text: &str, whole: &str) -> Result<u32, Failure> {
    let number = text.trim().parse().ok().filter(|number| (1..=MOST_FLOWS).contains(number));
    number.ok_or_else(|| {
        let help = format!("1 to {MOST_FLOWS}, {EXAMPLE}");
        Failure::usage(format_args!("--flows {whole}: {:?} is no number of flows", text.trim()), help)
    })
}

fn unknown_tcp(option: &str, wanted: &str) -> Failure {
    let text = format!("{option}: unknown TCP `{wanted}`");
    let known = tcp_names();
    if let Some(name) = ackclock_scenario::not_modelled(wanted) {
        return Failure::usage(
            text,
            format_args!("not modelled: {name}; {NOT_MODELLED_PAGE} lists what is not modelled"),
        );
    }
    let help = match spelling::nearest(wanted, known.iter().map(String::as_str)) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known: {}", known.join(", ")),
    };
    Failure::usage(text, help)
}

/// Sources on ATM networks, where all links have one rate: a single one queues nothing.
const ATM_FLOWS: u32 = 5;
const MOST_FLOWS: u32 = 1000;
/// As many as `compare` takes.
const MOST_RESULTS: usize = 20;
const EXAMPLE: &str = "as in --flows 3, or --flows reno:2,cubic:2";
