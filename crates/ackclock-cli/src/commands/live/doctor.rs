//! What this machine can do for live runs.

use ackclock_live::doctor::{Finding, State, examine};
use serde_json::json;

use crate::args::DoctorArgs;
use crate::failure::{Exit, Failure};
use crate::{output, table};

/// Looks at everything and prints it, with the remedy of each gap.
pub fn doctor(args: &DoctorArgs) -> Result<Exit, Failure> {
    let findings = examine();
    let is_missing = findings.iter().any(|finding| finding.state == State::Missing);
    let text = if args.json { to_json(&findings) } else { render(&findings, is_missing) };
    output::print(&text)?;
    Ok(if is_missing { Exit::Outside } else { Exit::Fine })
}

fn render(findings: &[Finding], is_missing: bool) -> String {
    let row = |finding: &Finding| vec![finding.of.to_owned(), finding.state.name().to_owned(), finding.found.clone()];
    let rows: Vec<table::Row> = findings.iter().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (first, second) = (width(0), width(1));
    let mut text = String::new();
    for (row, finding) in rows.iter().zip(findings) {
        text += &format!("{:first$}  {:second$}  {}\n", row[0], row[1], row[2]);
        if let Some(remedy) = &finding.remedy {
            text += &format!("{:first$}  {:second$}  -> {remedy}\n", "", "");
        }
    }
    let limited = findings.iter().any(|finding| finding.state == State::Limited);
    text += match (is_missing, limited) {
        (true, _) => "\nNo live runs here before what is missing is there. Simulations need none of it.\n",
        (false, true) => {
            "\nLive runs go, within these limits. `ackclock live --self-test` measures how exact they are.\n"
        }
        (false, false) => "\nLive runs go. `ackclock live --self-test` measures how exact they are.\n",
    };
    text
}

fn to_json(findings: &[Finding]) -> String {
    let findings: Vec<_> = findings
        .iter()
        .map(|finding| {
            json!({
                "of": finding.of,
                "state": finding.state.name(),
                "found": finding.found,
                "remedy": finding.remedy,
            })
        })
        .collect();
    format!("{:#}\n", json!({ "format": "ackclock-doctor", "format_version": 1, "findings": findings }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_gap_has_its_remedy_below_it() {
        let good = Finding { of: "kernel", state: State::Good, found: "Linux 6.18".into(), remedy: None };
        let gap = Finding {
            of: "TUN devices",
            state: State::Missing,
            found: "cannot be made".into(),
            remedy: Some("run it as root".into()),
        };
        let text = render(&[good, gap], true);
        let expected = "kernel       good     Linux 6.18\nTUN devices  missing  cannot be made\n                      -> run it as root\n\n\
                        No live runs here before what is missing is there. Simulations need none of it.\n";
        assert_eq!(text, expected);
    }
}
