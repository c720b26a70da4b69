//! Scripts of our own, made from the RFCs: those in `pass` pass, of the others the first line says where and why they do not.

use std::fs;
use std::path::{Path, PathBuf};

use ackclock_packetdrill::{Verdict, check};

fn scripts(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts").join(folder);
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 5);
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read_to_string(path).unwrap())).collect()
}

/// What the first line of a script says of its end.
fn expected(text: &str) -> &str {
    text.lines().next().unwrap().strip_prefix("// expect: ").unwrap()
}

#[test]
fn scripts_by_the_rfcs_pass() {
    for (name, text) in scripts("pass") {
        match check(&text, "linux") {
            Verdict::Passed { left_out } => assert_eq!(left_out, [], "{name}"),
            other => panic!("{name}: {other:#?}"),
        }
    }
}

#[test]
fn the_first_difference_is_named_with_its_line() {
    for (name, text) in scripts("fail") {
        let Verdict::Failed { difference, .. } = check(&text, "linux") else { panic!("{name} passes, or is not run") };
        assert_eq!(format!("{}: {}", difference.line, difference.reason), expected(&text), "{name}");
        assert_eq!(text.lines().nth(difference.line - 1).unwrap().trim(), difference.event, "{name}");
    }
}

#[test]
fn what_cannot_be_run_is_refused_with_line_reason_and_remedy() {
    for (name, text) in scripts("refused") {
        let Verdict::NotRunnable(trouble) = check(&text, "linux") else { panic!("{name} is run") };
        assert_eq!(format!("{}: {}", trouble.place.0, trouble.reason), expected(&text), "{name}");
        assert!(trouble.remedy.len() > 10, "{name}: {}", trouble.remedy);
    }
}

#[test]
fn a_script_without_events_and_an_unknown_dialect_are_refused() {
    assert!(matches!(check("// nothing", "linux"), Verdict::NotRunnable(_)));
    let (_, text) = scripts("pass").remove(0);
    assert!(matches!(check(&text, "windows"), Verdict::NotRunnable(_)));
}

/// What has no meaning is said, with its line, and nothing else changes.
#[test]
fn what_has_no_meaning_is_left_out_and_named() {
    let (_, text) = scripts("pass").into_iter().find(|(name, _)| name == "close.pkt").unwrap();
    let text = format!(
        "`sysctl -q net.ipv4.tcp_tso_win_divisor=3\ntc qdisc replace dev tun0 root fq`\n{text}\n   +0 %{{ assert tcpi_pmtu == 1500 }}%\n"
    );
    let Verdict::Passed { left_out } = check(&text, "linux") else { panic!("it fails") };
    let said: Vec<(usize, &str)> = left_out.iter().map(|one| (one.line, one.what.as_str())).collect();
    assert_eq!(said[..2], [(1, "tcp_tso_win_divisor = 3"), (2, "command `tc qdisc replace dev tun0 root fq`")]);
    assert_eq!(said[2].1, "assertion on tcpi_pmtu");
}

/// One text cut off anywhere, and with any of its characters replaced: nothing panics.
#[test]
fn damaged_scripts_do_no_harm() {
    for (name, text) in scripts("pass") {
        for at in (0..text.len()).step_by(7).filter(|at| text.is_char_boundary(*at)) {
            check(&text[..at], "linux");
            let next = text[at..].chars().next().map_or(0, char::len_utf8);
            for other in ["9", "(", "-", "\u{e9}"] {
                let damaged = [&text[..at], other, &text[at + next..]].concat();
                let outcome = std::panic::catch_unwind(|| check(&damaged, "linux"));
                assert!(outcome.is_ok(), "{name} at {at} with {other}");
            }
        }
    }
}
