//! `packetdrill`: what is printed of scripts that pass, fail and cannot be run, and how the program ends.

use crate::support::Place;

/// A connection that sends its first window.
pub const SCRIPT: &str = "    0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
   +0 bind(3, ..., ...) = 0
   +0 listen(3, 1) = 0
   +0 < S 0:0(0) win 60000 <mss 1000>
   +0 > S. 0:0(0) ack 1 <mss 1460>
  +.1 < . 1:1(0) ack 1 win 60000
   +0 accept(3, ..., ...) = 4
   +0 write(4, ..., 30000) = 30000
   +0 > . 1:10001(10000) ack 1
";

fn place(name: &str) -> Place {
    let place = Place::new(name);
    place.write("all/a.pkt", SCRIPT.replace("30000) =", "20000) =").replace("= 30000", "= 20000"));
    place.write("all/b.pkt", format!("`sysctl net.ipv4.tcp_min_tso_segs=2`\n{SCRIPT}"));
    place.write("all/wrong/c.pkt", SCRIPT.replace("1:10001(10000)", "1:11001(11000)"));
    place.write("all/wrong/d.pkt", SCRIPT.replace("<mss 1000>", "<mss 1000,FO>"));
    place.write("all/notes.txt", "not a script");
    place
}

#[test]
fn scripts_and_folders_of_them_are_run_and_counted() {
    let place = place("packetdrill");
    let all = place.run("packetdrill all").exits_with(4);
    insta::assert_snapshot!(all.stdout, @"
    passed  all/a.pkt
    passed  all/b.pkt
            line 1: tcp_min_tso_segs = 2 has no meaning here
    FAILED  all/wrong/c.pkt:9: its length is 10000, expected 11000
            +0 > . 1:11001(11000) ack 1
            expected . 1:11001(11000) ack 1
            sent     . 1:10001(10000) ack 1
    no run  all/wrong/d.pkt:4: TCP Fast Open is not modelled
            open the connection by a usual handshake
    2 passed, 1 failed, 1 cannot be run
          1 TCP Fast Open is not modelled
    ");
    place.run("packetdrill all/a.pkt all/b.pkt").exits_with(0).prints(&["2 passed, 0 failed, 0 cannot be run"]);
    place.run("packetdrill all/a.pkt all/wrong/d.pkt").exits_with(3);
    place.run("packetdrill all/a.pkt --dialect standard").exits_with(0);
}

#[test]
fn a_document_says_the_same() {
    let place = place("packetdrill-json");
    let printed = place.run("packetdrill --json all").exits_with(4).stdout;
    let document: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let verdicts: Vec<&str> =
        document["scripts"].as_array().unwrap().iter().map(|row| row["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["passed", "passed", "failed", "not-runnable"]);
    let failed = &document["scripts"][2];
    assert_eq!((failed["line"].as_u64(), failed["at_s"].as_f64()), (Some(9), Some(0.1)));
    assert_eq!(document["scripts"][1]["left_out"][0]["what"], "tcp_min_tso_segs = 2");
}

#[test]
fn what_is_not_there_is_named() {
    let place = Place::new("packetdrill-none");
    place.run("packetdrill none.pkt").exits_with(1).says(&["cannot read `none.pkt`"]);
    place.write("empty/notes.txt", "no script");
    place.run("packetdrill empty").exits_with(1).says(&["`empty` has no scripts"]);
    place.run("packetdrill").exits_with(2).says(&["required"]);
}
