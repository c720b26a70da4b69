//! What keeps a program from being loaded, with the remedy.

use std::fmt;

/// What a machine lacks, and what helps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What is missing.
    pub what: String,
    /// What helps.
    pub remedy: String,
}

/// Why nothing was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// No congestion control can have this name.
    Name {
        /// The name that was asked for.
        name: String,
    },
    /// A congestion control of this name is there.
    Taken {
        /// The name that was asked for.
        name: String,
    },
    /// A parameter that the program cannot have.
    Parameter {
        /// Which parameter it is, and why the program cannot have it.
        problem: String,
        /// What could be done.
        remedy: String,
    },
    /// More network namespaces than a probe looks at.
    Namespaces {
        /// As many were given.
        given: usize,
    },
    /// The machine lacks something.
    Missing(Vec<Missing>),
    /// The kernel refuses.
    Kernel {
        /// What was to be done.
        doing: &'static str,
        /// What it says.
        said: String,
    },
}

/// The most network namespaces that a probe looks at, as `trace.bpf.c` has it.
pub(crate) const MOST_NAMESPACES: usize = 1024;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Name { name } => write!(
                f,
                "no congestion control can be called `{name}`\nhelp: 1 to 15 octets of letters, digits, `_` and `.`"
            ),
            Error::Taken { name } => write!(
                f,
                "this kernel has a congestion control `{name}` already\nhelp: choose another name: it holds for the whole \
                 machine, whatever the namespace; one that another program has loaded goes when that program ends"
            ),
            Error::Parameter { problem, remedy } => write!(f, "{problem}\nhelp: {remedy}"),
            Error::Namespaces { given } => {
                write!(f, "{given} network namespaces\nhelp: a probe looks at 1 to {MOST_NAMESPACES}")
            }
            Error::Missing(missing) => {
                f.write_str("programs cannot be loaded into this kernel")?;
                for Missing { what, remedy } in missing {
                    write!(f, "\n  {what}\nhelp: {remedy}")?;
                }
                Ok(())
            }
            Error::Kernel { doing, said } => write!(
                f,
                "the kernel refused to {doing}: {said}\nhelp: Linux 6.4 or later with CONFIG_BPF_SYSCALL, CONFIG_BPF_JIT and \
                 CONFIG_DEBUG_INFO_BTF is needed"
            ),
        }
    }
}

impl std::error::Error for Error {}
