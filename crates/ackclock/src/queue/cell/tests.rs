//! Hand-computed traces of each policy. A trace is a string of cells and departures; below it, what happens to each:
//!
//! - `a`, `b`, …: a cell of connection a, b, …; capital: the last of its frame (EOM);
//! - `-a`: a cell of a leaves the buffer.
//!
//! Verdicts: `.` accepted, `o` overflow, `p` rest of a damaged frame, `x` refused by the policy.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::ids::Id;
use crate::keys::Value;
use crate::queue::DropReason;
use crate::units::Rate;

struct Trace {
    policy: CellPolicyState,
    buffer: Buffer,
}

impl Trace {
    fn new(capacity: u32, params: CellPolicyParams) -> Trace {
        Trace { policy: params.start(4, "port", 1), buffer: Buffer::new(capacity, 4) }
    }

    /// Runs a trace and returns one character per cell.
    fn run(&mut self, trace: &str) -> String {
        let mut verdicts = String::new();
        let mut departs = false;
        for c in trace.chars().filter(|c| *c != ' ') {
            if c == '-' {
                departs = true;
                continue;
            }
            let vc = VcId::from_index((c.to_ascii_lowercase() as u8 - b'a').into());
            if std::mem::take(&mut departs) {
                self.buffer.leave(vc);
                continue;
            }
            let verdict =
                self.policy.admit(CellArrival { now: Time::ZERO, vc, eom: c.is_ascii_uppercase() }, &self.buffer);
            if verdict == Verdict::Accept {
                self.buffer.enter(vc);
            }
            verdicts.push(match verdict {
                Verdict::Accept => '.',
                Verdict::Drop(DropReason::Overflow) => 'o',
                Verdict::Drop(DropReason::PartialFrame) => 'p',
                Verdict::Drop(DropReason::Policy) => 'x',
                Verdict::Drop(reason) => panic!("no policy drops for {reason:?}"),
                Verdict::Mark => panic!("no policy marks cells"),
            });
        }
        verdicts
    }
}

fn frame(forgiveness: Option<Forgiveness>) -> FrameParams {
    FrameParams { forgiveness, ..FrameParams::PLAIN }
}

fn epd(threshold_cells: f64, forgiveness: Option<Forgiveness>) -> CellPolicyParams {
    CellPolicyParams::Epd(EpdParams { threshold_cells, frame: frame(forgiveness) })
}

fn selective_drop(threshold_cells: f64, forgiveness: Option<Forgiveness>) -> CellPolicyParams {
    let (arithmetic, frame) = (LoadRatioArithmetic::Real, frame(forgiveness));
    CellPolicyParams::SelectiveDrop(SelectiveDropParams { threshold_cells, load_ratio: 0.8, arithmetic, frame })
}

fn fba(threshold_cells: f64) -> CellPolicyParams {
    let (arithmetic, frame) = (LoadRatioArithmetic::Real, FrameParams::PLAIN);
    CellPolicyParams::Fba(FbaParams { threshold_cells, load_ratio: 0.8, arithmetic, frame })
}

#[test]
fn tail_drop_refuses_cells_and_remembers_nothing() {
    // Third cell: full. One leaves: the rest of the very same frame is let in, and the frame is damaged.
    assert_eq!(Trace::new(2, CellPolicyParams::TailDrop(())).run("aaa -a a A"), "..o.o");
}

#[test]
fn ppd_refuses_the_rest_of_a_hit_frame_but_keeps_its_end_mark() {
    // Third cell overflows; there is room again, but the frame is lost, so its fourth cell is refused; the EOM is
    // kept, it delimits the next frame, which is accepted (until the buffer is full again).
    assert_eq!(Trace::new(2, CellPolicyParams::Ppd(())).run("aaa -a a A -a -a a"), "..op..");
}

#[test]
fn ppd_without_room_loses_the_end_mark_too() {
    let mut trace = Trace::new(2, CellPolicyParams::Ppd(()));
    assert_eq!(trace.run("aaaA"), "..op");
    // The next frame begins afresh.
    assert_eq!(trace.run("-a aA"), ".o");
}

#[test]
fn ppd_on_an_end_mark_that_overflows_counts_as_overflow() {
    assert_eq!(Trace::new(2, CellPolicyParams::Ppd(())).run("aaA -a a"), "..o.");
}

#[test]
fn ppd_treats_connections_apart() {
    // b overflows; a's own frame, begun before, is not affected once there is room.
    assert_eq!(Trace::new(2, CellPolicyParams::Ppd(())).run("abb -a a b B"), "..o.pp");
}

#[test]
fn epd_refuses_whole_frames_above_the_threshold() {
    let mut trace = Trace::new(10, epd(2.0, None));
    // a's frame begins at X = 0 and is completed though X passes R = 2. b's begins at X = 3 > 2: refused with its EOM.
    assert_eq!(trace.run("aaa bbB A"), "...xxx.");
    // At X = 2 a frame is accepted: the test is X > R.
    assert_eq!(trace.run("-a -a bB"), "..");
}

#[test]
fn epd_decides_at_the_first_cell_only() {
    let mut trace = Trace::new(10, epd(2.0, None));
    assert_eq!(trace.run("aaab"), "...x");
    // The queue empties, but the rest of b's refused frame stays refused; its next frame is accepted.
    assert_eq!(trace.run("-a -a -a bB bB"), "xx..");
}

#[test]
fn epd_completes_accepted_frames_until_the_buffer_is_full() {
    // Begun at X = 0; cells 5 and 6 find K = 4: overflow, then partial discard.
    assert_eq!(Trace::new(4, epd(2.0, None)).run("aaaa aa -a A"), "....op.");
}

#[test]
fn the_end_mark_of_a_refused_frame_can_be_kept() {
    let frame = FrameParams { keep_eom_of_whole: true, ..FrameParams::PLAIN };
    let mut trace = Trace::new(4, CellPolicyParams::Epd(EpdParams { threshold_cells: 2.0, frame }));
    assert_eq!(trace.run("aaa bbB"), "...xx.");
    assert_eq!(trace.run("bB"), "xx", "not if the buffer is full");
}

#[test]
fn selective_drop_refuses_those_above_their_share() {
    // R = 4, Z = 0.8. Queue: a 4, b 1, X = 5, N = 2. a: 4·2/5 = 1.6 > 0.8, refused; b: 1·2/5 = 0.4, accepted;
    // then X = 6, b 2: 2·2/6 = 0.67; X = 7, b 3: 3·2/7 = 0.857 > 0.8, refused.
    let mut trace = Trace::new(20, selective_drop(4.0, None));
    assert_eq!(trace.run("AAAA B"), ".....");
    assert_eq!(trace.run("A B B B"), "x..x");
}

#[test]
fn selective_drop_spares_everyone_up_to_the_threshold() {
    // At X = 4 = R a monopolist with load ratio 1 is accepted; at 5 it is not.
    assert_eq!(Trace::new(20, selective_drop(4.0, None)).run("AAAA A A"), ".....x");
}

#[test]
fn selective_drop_never_refuses_a_connection_with_nothing_queued() {
    assert_eq!(
        Trace::new(6, selective_drop(4.0, None)).run("AAAAA B C"),
        "......o",
        "b and c hold nothing; c meets the end of the buffer"
    );
}

#[test]
fn selective_drop_accepts_at_exactly_the_limit() {
    // X = 10, N = 2, b 4: 4·2/10 = 0.8, not above Z.
    let mut buffer = Buffer::new(20, 4);
    for vc in [0, 0, 0, 0, 0, 0, 1, 1, 1, 1] {
        buffer.enter(VcId::from_index(vc));
    }
    let mut policy = selective_drop(4.0, None).start(4, "port", 1);
    let frame = CellArrival { now: Time::ZERO, vc: VcId::from_index(1), eom: true };
    assert_eq!(policy.admit(frame, &buffer), Verdict::Accept);
    buffer.leave(VcId::from_index(0));
    assert_eq!(policy.admit(frame, &buffer), Verdict::Drop(DropReason::Policy), "X = 9: 8/9 > 0.8");
}

#[test]
fn a_truncated_load_ratio_is_above_z_from_a_full_share_on() {
    // Z = 0.8, N = 2, b 4. X = 9: 8/9 is 0, accepted (as a fraction it is above Z); X = 8: 8/8 = 1, refused.
    let mut buffer = Buffer::new(20, 4);
    for vc in [0, 0, 0, 0, 0, 1, 1, 1, 1] {
        buffer.enter(VcId::from_index(vc));
    }
    let (load_ratio, arithmetic, frame) = (0.8, LoadRatioArithmetic::Integer, FrameParams::PLAIN);
    let params = SelectiveDropParams { threshold_cells: 4.0, load_ratio, arithmetic, frame };
    let mut policy = CellPolicyParams::SelectiveDrop(params).start(4, "port", 1);
    let frame = CellArrival { now: Time::ZERO, vc: VcId::from_index(1), eom: true };
    assert_eq!(policy.admit(frame, &buffer), Verdict::Accept);
    buffer.leave(VcId::from_index(0));
    assert_eq!(policy.admit(frame, &buffer), Verdict::Drop(DropReason::Policy));
}

#[test]
fn fba_tightens_from_the_threshold_to_the_end_of_the_buffer() {
    // K = 10, R = 5, Z = 0.8. Limits Z·(K−R)/(X−R): X = 6: 4; 7: 2; 8: 1.33; 9: 1; 10: 0.8. A monopolist has load
    // ratio 1: accepted at X = 9 (limit 1, not above it)…
    let mut trace = Trace::new(10, fba(5.0));
    assert_eq!(trace.run("AAAAAAAAA A"), "..........");
    // …and two connections: a 7, b 1, X = 8: a 7·2/8 = 1.75 > 1.33 refused, b 0.25 accepted; X = 9, limit 1:
    // b 2·2/9 = 0.44 accepted; now full.
    let mut trace = Trace::new(10, fba(5.0));
    assert_eq!(trace.run("AAAAAAA B A B B"), "........x..");
    assert_eq!(trace.run("B"), "o", "full: X = K = 10, b 3·2/10 = 0.6 passes the rule, there is no room");
}

#[test]
fn toggled_forgiveness_spares_every_second_time() {
    // Reading A over Selective Drop: a is greedy (load ratio 1) above R = 2.
    assert_eq!(Trace::new(20, selective_drop(2.0, Some(Forgiveness::Toggle))).run("AAA A A A A"), "...x.x.");
}

#[test]
fn toggled_forgiveness_keeps_the_bit_through_frames_within_the_share() {
    let mut trace = Trace::new(20, selective_drop(2.0, Some(Forgiveness::Toggle)));
    assert_eq!(trace.run("AAA A"), "...x", "bit set");
    // Down to X = 2: accepted without asking for the bit; then greedy again: forgiven, then refused.
    assert_eq!(trace.run("-a A A A"), "..x");
}

#[test]
fn toggled_forgiveness_is_per_connection() {
    // EPD+: above R everyone is refused and forgiven in turn, each by its own bit.
    assert_eq!(Trace::new(20, epd(2.0, Some(Forgiveness::Toggle))).run("AAA A B A B C A"), "...xx..xx");
}

#[test]
fn overflow_does_not_touch_the_bit() {
    let mut trace = Trace::new(3, epd(2.0, Some(Forgiveness::Toggle)));
    // a's long frame overflows at K = 3 while its bit is clear…
    assert_eq!(trace.run("aaa a A"), "...op");
    // …so its next frame above R is refused, not forgiven.
    assert_eq!(trace.run("A"), "x");
}

#[test]
fn episodes_forgive_those_dropped_in_the_episode_before() {
    let episode = Forgiveness::Episode { threshold_cells: 2.0, low_threshold_cells: 2.0 };
    let mut trace = Trace::new(20, epd(2.0, Some(episode)));
    // First episode (X = 3 > 2): everyone is refused, as often as they come.
    assert_eq!(trace.run("AAA A A B"), "...xxx");
    // It ends at X = 2, seen at the next arrival (accepted). Second episode: a and b are spared throughout, c is not.
    assert_eq!(trace.run("-a A A A B C C"), "....xx");
}

#[test]
fn after_being_spared_a_connection_is_dropped_in_the_next_episode() {
    let episode = Forgiveness::Episode { threshold_cells: 2.0, low_threshold_cells: 2.0 };
    let mut trace = Trace::new(20, epd(2.0, Some(episode)));
    assert_eq!(trace.run("AAA A"), "...x", "first: dropped");
    assert_eq!(trace.run("-a A A"), "..", "second: spared");
    // X = 4; down to 2, and a third episode: dropped again.
    assert_eq!(trace.run("-a -a A A"), ".x");
}

#[test]
fn hysteresis_keeps_an_episode_alive_between_the_thresholds() {
    let hysteresis = Forgiveness::Episode { threshold_cells: 3.0, low_threshold_cells: 1.0 };
    let mut trace = Trace::new(20, epd(3.0, Some(hysteresis)));
    assert_eq!(trace.run("AAAA A"), "....x");
    // X = 2 is not low enough: the same episode, so a is still not forgiven.
    assert_eq!(trace.run("-a -a A A A"), "..x");
    // X = 1 is: after it, a is forgiven.
    assert_eq!(trace.run("-a -a -a A A A A"), "....");
}

// ---- random cells ----

/// Every policy, with every reading of forgiveness and both treatments of the last cell of a refused frame. R is in
/// cells and Z in quarters, so that all products are exact.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    kind: usize,
    forgiveness: usize,
    keep: bool,
    integer: bool,
    r: u32,
    z4: u32,
    low: u32,
}

impl Drawn {
    fn name(self) -> &'static str {
        POLICIES[self.kind].name
    }

    /// Whether the last cell of a frame that is refused whole is kept. Not every policy can.
    fn keeps_eom(self) -> bool {
        self.keep && POLICIES[self.kind].keys.iter().any(|key| key.name == "keep_eom_of_whole")
    }

    /// The keys that rules share are drawn; others have their defaults.
    fn params(self, capacity: u32) -> CellPolicyParams {
        let policy = &POLICIES[self.kind];
        let given = |key: &Key| match key.name {
            "threshold" => Some(Value::cells(self.r.into())),
            "load_ratio" => Some(Value::Number(f64::from(self.z4) / 4.0)),
            "load_ratio_arithmetic" => Some(Value::Word(if self.integer { "integer" } else { "real" })),
            "keep_eom_of_whole" => Some(Value::Flag(self.keep)),
            "forgiveness" => Some(Value::Word(["none", "toggle", "episode"][self.forgiveness])),
            "episode_end" => Some(Value::cells(self.low.into())),
            _ => None,
        };
        let rate = Rate::from_bps(155_520_000).unwrap();
        let port = Port { capacity_cells: Some(capacity), rate };
        (policy.params)(&Values::of(policy.keys, given), &port).unwrap()
    }

    /// The rules for new frames once more, in whole numbers: may the policy refuse this connection a frame now? Not known
    /// here of rules that have their own tests.
    fn over(self, vc: VcId, buffer: &Buffer) -> Option<bool> {
        let [x, k, r, z4] = [buffer.queued(), buffer.capacity(), self.r, self.z4].map(u64::from);
        let share = u64::from(buffer.queued_of(vc)) * u64::from(buffer.active());
        let load = 4 * if self.integer && x > 0 { share - share % x } else { share };
        match self.name() {
            "tail-drop" | "ppd" => Some(false),
            "epd" => Some(x > r),
            "selective-drop" => Some(x > r && load > z4 * x),
            "fba" => Some(x > r && load * (x - r) > z4 * (k - r) * x),
            _ => None,
        }
    }
}

fn drawn(capacity: u32) -> impl Strategy<Value = Drawn> + use<> {
    (0..POLICIES.len(), 0_usize..3, any::<[bool; 2]>(), 0..capacity, 1_u32..8, any::<u32>()).prop_map(
        |(kind, forgiveness, [keep, integer], r, z4, low)| {
            let low = low % (r + 1);
            Drawn { kind, forgiveness, keep, integer, r, z4, low }
        },
    )
}

/// A connection's frame as it goes by.
#[derive(Clone, Debug, Default)]
struct Passing {
    /// Cells that are still to come.
    left: u32,
    refused_whole: bool,
    hit: bool,
    verdicts: Vec<Verdict>,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Given what was decided about a frame at its first cell, everything else follows.
    #[test]
    fn every_cell_meets_the_fate_of_its_frame(
        (capacity, drawn) in (1_u32..60).prop_flat_map(|capacity| (Just(capacity), drawn(capacity))),
        lengths in prop::collection::vec(1_u32..=20, 1..40),
        // Below 4: the next cell of that connection; above: the cell at the head of the queue leaves.
        events in prop::collection::vec(0_usize..7, 1..600),
    ) {
        let mut lengths = lengths.into_iter().cycle();
        let mut policy = drawn.params(capacity).start(4, "port", 1);
        let mut buffer = Buffer::new(capacity, 4);
        let mut queue = VecDeque::new();
        let mut passing = vec![Passing::default(); 4];
        let (mut arrived, mut accepted, mut refused, mut left) = ([0; 4], [0; 4], [0; 4], [0; 4]);
        let mut forgiven_next = [false; 4];
        for event in events {
            if event >= 4 {
                if let Some(vc) = queue.pop_front() {
                    buffer.leave(VcId::from_index(vc));
                    left[vc] += 1;
                }
                continue;
            }
            let vc = VcId::from_index(event);
            let frame = &mut passing[event];
            let first = frame.left == 0;
            if first {
                *frame = Passing { left: lengths.next().unwrap(), ..Passing::default() };
            }
            frame.left -= 1;
            let (eom, full, over) = (frame.left == 0, buffer.is_full(), drawn.over(vc, &buffer));
            let verdict = policy.admit(CellArrival { now: Time::ZERO, vc, eom }, &buffer);

            if first && over != Some(false) {
                let must_refuse = match drawn.forgiveness {
                    _ if over.is_none() => None,
                    0 => Some(true),
                    1 => {
                        forgiven_next[event] = !forgiven_next[event];
                        Some(forgiven_next[event])
                    }
                    // Who is spared depends on the episode before: the traces above follow that.
                    _ => None,
                };
                frame.refused_whole = must_refuse.unwrap_or(verdict == Verdict::Drop(DropReason::Policy));
            }
            let expected = if drawn.name() == "tail-drop" {
                if full { Verdict::Drop(DropReason::Overflow) } else { Verdict::Accept }
            } else if frame.refused_whole {
                // A frame of one cell is not kept: that would be to accept it.
                if eom && drawn.keeps_eom() && !full && !first { Verdict::Accept } else { Verdict::Drop(DropReason::Policy) }
            } else if frame.hit {
                if eom && !full { Verdict::Accept } else { Verdict::Drop(DropReason::PartialFrame) }
            } else if full {
                Verdict::Drop(DropReason::Overflow)
            } else {
                Verdict::Accept
            };
            prop_assert_eq!(verdict, expected, "X = {}, after {:?}", buffer.queued(), frame);
            frame.hit |= verdict == Verdict::Drop(DropReason::Overflow);
            frame.verdicts.push(verdict);

            // The same as it is said in the sources.
            if eom && frame.verdicts.contains(&Verdict::Drop(DropReason::Policy)) {
                let body = &frame.verdicts[..frame.verdicts.len() - 1];
                prop_assert!(!body.contains(&Verdict::Accept), "a refused frame has no cell in the buffer");
                prop_assert!(drawn.keeps_eom() || verdict != Verdict::Accept, "nor its last");
            }
            arrived[event] += 1;
            if verdict == Verdict::Accept {
                buffer.enter(vc);
                queue.push_back(event);
                accepted[event] += 1;
            } else {
                refused[event] += 1;
            }
            prop_assert!(buffer.queued() <= capacity, "never more than K");
            prop_assert_eq!(buffer.queued_of(vc), accepted[event] - left[event]);
            prop_assert_eq!(arrived[event], accepted[event] + refused[event]);
        }
    }
}
