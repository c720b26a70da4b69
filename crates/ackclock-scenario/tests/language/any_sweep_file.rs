//! Whatever a sweep file says, it is a sweep, or is refused with places. The fuzz target checks the same with inputs of its own.

use proptest::prelude::*;
use proptest::sample::select;

/// What sweep files are made of, right and wrong.
const PIECES: &[&str] = &[
    "scenario = \"base.toml\"\n",
    "scenario = \"sweep.toml\"\n",
    "scenario = \"none.toml\"\n",
    "seeds = 3\n",
    "seeds = 0\n",
    "latin_hypercube = 4\n",
    "[set]\nduration = \"20 ms\"\n",
    "[vary]\nqueue.buffer = \"0.1..4bdp:log:10\"\n",
    "[vary]\nqueue.policy = [\"epd\", \"fba\"]\n",
    "tcp.mss = [\"512 B\", \"1 kB\"]\n",
    "[[zip]]\nnetwork.sources = [1, 2]\nseed = [3, 4]\n",
    "[[zip]]\nnetwork.sources = [1, 2]\nseed = [3]\n",
    "queue.buffer = \"4..1cells:lin:3\"\n",
    "queue.buffer = \"1..4:cubic:3\"\n",
    "\0",
    "queue.buffer=1..9cells:lin:9\n",
    "queue.buffer=0.1..4bdp:log\n",
    "queue.buffer=1..9\u{e9}cells:lin:1000000\n",
    "duration=1 s,2 s;seed=1,2\n",
    "network.sources=1,,2\n",
    "..:::=;,\n",
];

/// `PROPTEST_CASES`, or so many as take a few seconds.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_sweep_file_says_is_read_or_refused_with_a_place(
        pieces in prop::collection::vec(select(PIECES), 0..8),
        cut in 0.0_f64..1.2,
    ) {
        let text = pieces.concat().into_bytes();
        let end = (text.len() as f64 * cut.min(1.0)) as usize;
        crate::any_sweep::check_bytes(&text[..end]);
    }
}
