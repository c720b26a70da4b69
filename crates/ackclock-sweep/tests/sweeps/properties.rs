//! Random sweeps: whatever is varied, on however many threads, in whatever parts, and however often it is killed, the tables are
//! the same, and no run is done twice.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use ackclock::sim::Engine;
use ackclock_scenario::Memory;
use ackclock_scenario::sweep::{Request, Sweep, Width};
use ackclock_sweep::summary::Method;
use ackclock_sweep::{Checked, Options, Shard, Status, Store, UntilCi, merge, plan_of, run_missing};
use proptest::prelude::*;
use proptest::sample::subsequence;

const SCENARIO: &str = r#"
duration = "60 ms"
warmup = "10 ms"
[network]
technology = "packet"
topology = "dumbbell"
sources = 2
access_rate = "100 Mbps"
access_delay = "1 ms"
bottleneck_rate = "10 Mbps"
bottleneck_delay = "1 ms"
[queue]
buffer = "10 packets"
[traffic]
start_jitter = "5 ms"
"#;

/// What may be varied: of each dimension some of its values.
const DIMENSIONS: [&[&str]; 4] = [
    &["queue.buffer=4 packets,20 packets,2 bdp", "queue.buffer=2..9packets:lin:3", "queue.buffer=2..8bdp:log"],
    &["tcp.recovery=reno,rfc6675", "tcp.congestion_control=cubic,reno,vegas"],
    // The first two are the same scenario.
    &["network.bottleneck_rate=10Mbps,10000kbps,5Mbps", "network.bottleneck_rate=5..20Mbps:log"],
    &["network.sources=1,3; duration=40 ms,50 ms", "network.access_delay=0.5..2ms:lin:2"],
];

/// Does what is missing of a shard in a folder; whether that is all of the sweep.
fn go_on(sweep: &Sweep<'_>, checked: &Checked, folder: &Path, threads: usize, shard: Shard) -> bool {
    let stop = AtomicBool::new(false);
    let options = Options {
        threads,
        engine: Engine::default(),
        time_limit: None,
        shard,
        retry: false,
        stop: &stop,
        are_void: &|| false,
    };
    let (opened, damage) = Store::open(folder, checked.plan.clone(), |_| {}).unwrap();
    let mut store = opened.begin().unwrap();
    assert!(damage.lines.is_empty());
    let todo = || store.with_results(|results| ackclock_sweep::missing(results, &checked.costs, &options).len());
    // Where intervals decide how many seeds there are, more may be missing after each round.
    while todo() > 0 {
        let open = todo();
        assert_eq!(run_missing(sweep, checked, &store, &options, |_| {}).unwrap(), open);
    }
    let is_whole = store.with_results(|results| results.count(Status::Missing)) == 0;
    if is_whole {
        store.write_tables(Method::Student, None).unwrap();
    }
    is_whole
}

/// What a process that was killed left: the beginning of the ledger.
fn cut(folder: &Path, share: f64) {
    let ledger = folder.join("runs.jsonl");
    let text = fs::read(&ledger).unwrap();
    fs::write(&ledger, &text[..(text.len() as f64 * share) as usize]).unwrap();
}

fn tables(folder: &Path) -> Vec<Vec<u8>> {
    let always = ["table.parquet", "table.csv", "summary.csv", "report.html", "sweep.json"];
    let figures = ["figure.svg", "figure.pdf", "figure.csv"].into_iter().filter(|name| folder.join(name).exists());
    always.into_iter().chain(figures).map(|name| fs::read(folder.join(name)).unwrap()).collect()
}

/// The keys of the ledger, sorted.
fn keys(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    let mut keys: Vec<String> = text.lines().map(|line| line[8..40].to_owned()).collect();
    keys.sort();
    keys
}

/// `PROPTEST_CASES`, or a few.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn shards_and_kills_make_no_difference(
        chosen in subsequence((0..DIMENSIONS.len()).collect::<Vec<_>>(), 1..=3),
        which in prop::collection::vec(0_usize..6, DIMENSIONS.len()),
        seeds in 1_usize..4,
        width in prop::option::of(0.001_f64..0.05),
        shards in 1_usize..=8,
        kills in prop::collection::vec(0.0_f64..1.0, 0..4),
        order in Just((0..8).collect::<Vec<usize>>()).prop_shuffle(),
    ) {
        let vary: Vec<String> = chosen.iter().map(|of| DIMENSIONS[*of][which[*of] % DIMENSIONS[*of].len()].to_owned()).collect();
        let is_sampled = vary.iter().any(|text| text.ends_with(":log"));
        let files = Memory::new().with("short.toml", SCENARIO);
        let request = Request { file: "short.toml", vary: &vary, latin_hypercube: is_sampled.then_some(3), ..Request::default() };
        let sweep = Sweep::read(&files, &request).map_err(|error| TestCaseError::fail(format!("{vary:?}: {error:?}")))?;
        // From two seeds on, until the interval of the goodput is narrow enough.
        let width = width.map(|share| Width { number: "goodput_bps".into(), share });
        let until_ci = UntilCi::of(width.as_slice(), 2);
        let seeds = if until_ci.is_some() { 1 + 3 * seeds } else { seeds };
        let checked = Checked::of(&sweep, seeds, until_ci, Vec::new(), 1 + seeds % 3, &AtomicBool::new(false), &mut |_| {}).unwrap().unwrap();
        prop_assert_eq!(checked.refused_points, 0);
        let place = tempfile::tempdir().unwrap();
        let (one, two, parts) = (place.path().join("one"), place.path().join("two"), place.path().join("parts"));
        prop_assert!(go_on(&sweep, &checked, &one, 1, Shard::WHOLE));
        go_on(&sweep, &checked, &two, 1, Shard { index: 1, of: 3 });
        for share in kills {
            cut(&two, share);
            go_on(&sweep, &checked, &two, 2, Shard { index: 2, of: 2 });
        }
        prop_assert!(go_on(&sweep, &checked, &two, 2, Shard::WHOLE));
        prop_assert_eq!(tables(&one), tables(&two));
        let table = fs::read_to_string(one.join("table.csv")).unwrap();
        prop_assert!(table.lines().skip(1).all(|line| line.contains(",finished,")), "{}", table);
        prop_assert_eq!(keys(&one), keys(&two), "each run once");

        let folders: Vec<PathBuf> = (0..shards).map(|part| place.path().join(format!("part-{part}"))).collect();
        for (part, folder) in folders.iter().enumerate() {
            let shard = Shard { index: part + 1, of: shards };
            go_on(&sweep, &checked, folder, 1, shard);
        }
        let mut of_parts: Vec<String> = folders.iter().flat_map(|folder| keys(folder)).collect();
        of_parts.sort();
        prop_assert_eq!(of_parts, keys(&one), "each run in one part");
        let order: Vec<PathBuf> = order.into_iter().filter_map(|part| folders.get(part).cloned()).collect();
        let plan = plan_of(&order).unwrap();
        let mut merged = merge(plan, &order, &parts, |_| {}).unwrap();
        prop_assert!(merged.damage.is_empty());
        merged.store.write_tables(Method::Student, None).unwrap();
        prop_assert_eq!(tables(&one), tables(&parts));
        prop_assert_eq!(keys(&one), keys(&parts));
    }
}
