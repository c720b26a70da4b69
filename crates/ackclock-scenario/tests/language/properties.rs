//! What holds for whatever is loaded. The fuzz target checks the same with inputs of its own.

use ackclock_scenario::{Memory, load, load_annotated};
use proptest::prelude::*;
use proptest::sample::select;

/// Arguments that make sense, alone or together with some of the others.
const SETS: &[&str] = &[
    "network.sources=1",
    "network.sources=12",
    "network.rate=20 Mbps",
    "network.access_delay=1 ms",
    "network.trunk_delay=275 ms",
    "queue.buffer=1 bdp",
    "queue.buffer=3.5 bdp",
    "queue.buffer=infinite",
    "queue.buffer=5000 cells",
    "queue.policy=tail-drop",
    "queue.policy=ppd",
    "queue.policy=epd",
    "queue.policy=fba",
    "queue.selective-drop.threshold=0.75",
    "queue.selective-drop.threshold=20 cells",
    "queue.selective-drop.load_ratio=1.5e-3",
    "queue.selective-drop.keep_eom_of_whole=true",
    "queue.selective-drop.forgiveness=toggle",
    "queue.selective-drop.forgiveness=episode",
    "queue.selective-drop.episode_end=0.3",
    "queue.service_order=rotating",
    "port.sw1->sw2.policy=selective-drop",
    "port.sw1->sw2.policy=tail-drop",
    "port.sw1->sw2.buffer=777 cells",
    "port.sw1->sw2.selective-drop.threshold=1",
    "port.sw2->sw1.selective-drop.forgiveness=episode",
    "port.sw2->d1.selective-drop.episode_end=5 cells",
    "atm.llc=false",
    "atm.pcr=10 Mbps",
    "atm.service=abr",
    "abr.mcr=1 Mbps",
    "abr.icr=2 Mbps",
    "abr.rif=1/512",
    "abr.nrm=64 cells",
    "abr.tbe=512 cells",
    "abr.frtt=7 ms",
    "flow.f1.service=abr",
    "flow.f1.abr.rm_rates=tm4",
    "flow.f1.abr.mcr=500 kbps",
    "queue.rate_algorithm=efci",
    "queue.rate_algorithm=erica-plus",
    "queue.erica-plus.target_delay=1500 us",
    "port.sw1->sw2.rate_algorithm=capc",
    "port.sw1->sw2.capc.rup=0.025",
    "tcp.mss=1 kB",
    "tcp.dialect=ns2-2001",
    "tcp.dialect=standard",
    "tcp.dialect=linux-2.2-sat",
    "tcp.handshake=true",
    "tcp.fin=true",
    "tcp.timestamps=true",
    "tcp.timestamp_clock=10 ms",
    "flow.f1.tcp.dialect=osu",
    "tcp.congestion_control=bbr1",
    "tcp.congestion_control=bbr3",
    "tcp.bbr1.probe_rtt=100 ms",
    "tcp.congestion_control=cubic",
    "tcp.cubic.fast_convergence=false",
    "tcp.cubic.beta=0.5",
    "tcp.reno.congestion_avoidance=bytes",
    "tcp.timer=rfc6298",
    "tcp.congestion_control=vegas",
    "tcp.congestion_control=vegas-a",
    "tcp.congestion_control=vegas-plus",
    "tcp.congestion_control=vegas-1995",
    "tcp.congestion_control=vegas-linux",
    "tcp.vegas-linux.beta=3",
    "tcp.vegas-plus.count_max=3",
    "tcp.vegas-plus.return_at=any-loss",
    "tcp.vegas.reroute_detect=true",
    "tcp.vegas.reroute_blocks=2",
    "tcp.recovery=rack",
    "tcp.recovery=new-reno",
    "tcp.recovery=vegas",
    "tcp.timer=ns2",
    "tcp.header=52 B",
    "tcp.first_segment=empty",
    "tcp.initial_window_from=first-ack",
    "tcp.host_queue_at_timeout=keep",
    "tcp.new-reno.partial_ack_window=reset",
    "tcp.new-reno.recovery_burst=2 segments",
    "tcp.new-reno.restart_timer_on_fast_retransmit=true",
    "tcp.new-reno.growth_at_recovery_end=true",
    "tcp.vegas-a.increase=spread-at-floor",
    "tcp.vegas.alpha=0.5",
    "tcp.vegas.beta=6",
    "tcp.vegas.gamma=2.0",
    "tcp.vegas-a.tie_up_probability=0",
    "tcp.vegas-a.tie_down_probability=1",
    "tcp.vegas-a.alpha_max=20",
    "tcp.vegas-a.coupling=independent",
    "tcp.vegas-a.d_beta=0.5",
    "tcp.recovery=vanilla",
    "tcp.recovery=fall-floyd",
    "tcp.recovery=rfc6675",
    "tcp.reno.congestion_avoidance=float",
    "tcp.receive_window=600 kB",
    "tcp.receive_window=64 KiB",
    "tcp.window_scale=3",
    "tcp.initial_ssthresh=10 kB",
    "tcp.tick=10 ms",
    "tcp.tick_phase=3 ms",
    "tcp.tick_phase=random",
    "tcp.min_rto=250 ms",
    "tcp.delayed_ack=true",
    "tcp.delayed_ack_timeout=50 ms",
    "tcp.receiver_sack=false",
    "tcp.sack_blocks=4",
    "tcp.dsack=true",
    "tcp.sack_option=offset-2",
    "tcp.sack_option=offset-auto",
    "tcp.offset_sack_kind=experimental",
    "tcp.receiver_offset_sack=false",
    "tcp.rfc6675.limited_transmit=false",
    "tcp.new-reno.guard_after_timeout=false",
    "tcp.fall-floyd.partial_ack_pipe=1 segment",
    "tcp.fall-floyd.only_below_highest_sack=false",
    "traffic.start=1 ms",
    "traffic.stop=0.5 s",
    "traffic.size=1 MB",
    "traffic.start_jitter=3 ms",
    "flow.f1.start_jitter=1 ms",
    "flow.f1.start=2 ms",
    "flow.f1.start=0 s",
    "flow.f1.stop=never",
    "flow.f1.size=infinite",
    "flow.f1.pcr=link-rate",
    "flow.f1.pcr=1 Mbps",
    "flow.f1.drops=[5, 3, { segment = 3, transmission = 2 }]",
    "flow.f1.tcp.recovery=new-reno",
    "flow.f1.tcp.recovery=fall-floyd",
    "flow.f1.tcp.mss=512 B",
    "flow.f1.tcp.delayed_ack=false",
    "flow.f1.tcp.new-reno.guard_after_timeout=true",
    "flow.f1.from=d1",
    "flow.f1.to=s1",
    "flow.r={ from = \"d1\", to = \"s1\" }",
    "flow.\"a.b\"={ from = \"s1\", to = \"d1\", tcp = { recovery = \"reno\" } }",
    "node.sw3.kind=switch",
    "node.\"h.1\".kind=host",
    "link.x={ ends = [\"sw3\", \"sw1\"], rate = \"1 Gbps\", delay = \"1 us\" }",
    "link.x.jitter=2 ms",
    "link.y={ ends = [\"sw3\", \"sw2\"], rate = \"0.1 Gbps\", delay = \"2 us\" }",
    "link.z={ ends = [\"h.1\", \"sw3\"], rate = \"1 Gbps\", delay = \"3 us\" }",
    "link.sw1->sw2.rate=50 Mbps",
    "link.sw2->sw1={ rate = \"2 Mbps\", delay = \"0 s\" }",
    "link.s*->sw1.delay=2 ms",
    "link.s1->sw1.mtu=9180 B",
    "link.sw1->sw2.mtu=1500 B",
    "link.sw2->d2.mtu=600 B",
    "link.x.mtu=1000 B",
    "link.trunk={ ends = [\"sw1\", \"sw2\"], delay = \"7 ms\" }",
    "link.trunk.mtu=1400 B",
    "flow.long={ from = \"s1\", to = \"d1\", route = [\"s1\", \"sw1\", \"sw3\", \"sw2\", \"d1\"] }",
    "bottleneck=none",
    "bottleneck=s1->sw1",
    "capacity=100 Mbps",
    "warmup=0.1 s",
    "seed=0",
    "name=\"a \\\"quoted\\\"\\nname\\u0007\"",
    "description=x",
];

proptest! {
    #[test]
    fn what_loads_is_written_so_that_it_loads_again(candidates in prop::collection::vec(select(SETS), 0..16)) {
        let files = Memory::new().with("a.toml", crate::roundtrip::BASE);
        let mut sets: Vec<String> = Vec::new();
        // One argument that does not go with the others is left out, so that most of them are seen together.
        for set in candidates {
            sets.push(set.to_owned());
            if let Err(error) = load(&files, "a.toml", &sets) {
                crate::roundtrip::check_refusal(&error);
                sets.pop();
            }
        }
        let (loaded, annotated) = load_annotated(&files, "a.toml", &sets).expect("every argument was tried");
        crate::roundtrip::check_loaded(&loaded);
        crate::roundtrip::check_text(&annotated, &loaded);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        crate::roundtrip::check_bytes(&bytes);
    }

    #[test]
    fn no_mutilated_file_makes_it_panic(cut in 0_usize..300, length in 0_usize..20, insert in "[\\[\\]{}=\"'.,#\\n a-z0-9>µ-]{0,8}") {
        let base: Vec<char> = crate::roundtrip::BASE.chars().collect();
        let (head, tail) = base.split_at(cut.min(base.len()));
        let tail = &tail[length.min(tail.len())..];
        let file: String = head.iter().copied().chain(insert.chars()).chain(tail.iter().copied()).collect();
        crate::roundtrip::check_bytes(file.as_bytes());
    }

    #[test]
    fn no_argument_makes_it_panic(set in "[a-z\"'.=\\[\\]{}\\- >0-9\\n]{0,40}") {
        crate::roundtrip::check_bytes(format!("extends = \"base.toml\"\0{set}").as_bytes());
    }
}

#[test]
fn the_seeds_of_the_fuzz_target_hold() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/scenario");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        crate::roundtrip::check_bytes(&std::fs::read(entry.unwrap().path()).unwrap());
        count += 1;
    }
    assert!(count >= 10, "{count}");
}
