//! What a congestion control is told in a whole network, every field of every event. One written in Python, with the same rules, is told
//! the same (`python/tests/test_told.py` compares with the snapshot of this test).

use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};

use crate::lab::agree::assert_engines_agree;
use ackclock::tcp::cc::{Ack, CongestionControl, CustomCongestionControl, Loss, LostSegment, Needs, Restart, Window};
use ackclock::units::{Span, Time};
use ackclock_scenario::{Loader, Memory, Outside};

/// What a control is told, a line each.
type Log = Arc<Mutex<Vec<String>>>;

/// A pace and a window of the largest rate of delivery and the shortest round trip, without filters. It notes what it is told.
struct Model {
    told: Log,
    /// The largest rate of delivery so far, bytes per second.
    rate: f64,
    /// The shortest round trip so far, picoseconds.
    rtt: Option<u64>,
    /// Round trips counted in data, and with how much delivered the present one ends.
    rounds: u64,
    round_ends: u64,
}

impl Model {
    fn note(&self, of: &str, fields: &[(&str, &dyn Debug)]) {
        let mut line = of.to_owned();
        for (name, value) in fields {
            let _ = write!(line, " {name}={}", as_python(&format!("{value:?}")));
        }
        self.told.lock().unwrap().push(line);
    }

    fn note_loss(&self, of: &str, loss: &Loss, window: &Window) {
        let Loss { mss, limit, flight, sent_again, kept } = loss;
        self.note(
            of,
            &[("mss", mss), ("limit", limit), ("flight", flight), ("sent_again", sent_again), ("kept", kept)],
        );
        self.note_window(window);
    }

    fn note_window(&self, window: &Window) {
        self.note("    window", &[("cwnd", &window.cwnd), ("ssthresh", &window.ssthresh)]);
    }
}

/// A value of Rust as Python spells it.
fn as_python(text: &str) -> String {
    match text {
        "true" => "True".to_owned(),
        "false" => "False".to_owned(),
        _ => text.strip_prefix("Some(").and_then(|text| text.strip_suffix(")")).map_or(text.to_owned(), as_python),
    }
}

fn ps(span: Option<Span>) -> Option<u64> {
    span.map(Span::as_ps)
}

impl CongestionControl for Model {
    fn on_ack(&mut self, ack: &Ack, window: &mut Window) {
        self.note("on_ack", &[("mss", &ack.mss), ("limit", &ack.limit), ("acked", &ack.acked)]);
        if let Some(of) = &ack.measured {
            let (now, start, rtt) = (of.now.as_ps(), of.start.as_ps(), ps(of.rtt));
            let times: [(&str, &dyn Debug); 3] = [("now_ps", &now), ("start_ps", &start), ("rtt_ps", &rtt)];
            self.note("    measured", &times);
            self.note("    measured", &[("una", &of.una), ("nxt", &of.nxt), ("window_limited", &of.window_limited)]);
        }
        let of = ack.delivery();
        let (now, rtt) = (of.now.as_ps(), ps(of.rtt));
        self.note("    delivery", &[("now_ps", &now), ("mss", &of.mss), ("limit", &of.limit), ("rtt_ps", &rtt)]);
        self.note("    delivery", &[("delivered", &of.delivered), ("total", &of.total), ("lost", &of.lost)]);
        self.note("    delivery", &[("prior_in_flight", &of.prior_in_flight), ("in_flight", &of.in_flight)]);
        let state = format!("{:?}", of.loss_state).to_lowercase();
        self.note("    delivery", &[("loss_state", &state), ("window_limited", &of.window_limited)]);
        self.note("    delivery", &[("rate", &of.rate()), ("app_limited", &of.is_app_limited())]);
        if let Some(of) = &of.sample {
            let total: [(&str, &dyn Debug); 2] =
                [("prior_delivered", &of.prior_delivered), ("delivered", &of.delivered)];
            self.note("    sample", &total);
            self.note("    sample", &[("rate", &of.rate), ("app_limited", &of.app_limited)]);
            self.note("    sample", &[("in_flight", &of.in_flight), ("lost", &of.lost)]);
            if let Some(rate) = of.rate {
                self.rate = self.rate.max(rate);
                if of.prior_delivered >= self.round_ends {
                    self.round_ends = ack.delivery().total;
                    self.rounds += 1;
                }
            }
        }
        self.rtt = self.rtt.into_iter().chain(rtt).min();
        if let Some(rtt) = self.rtt.filter(|_| self.rounds >= 2 && state == "open") {
            window.cwnd = (2.0 * self.rate * (rtt as f64 / 1e12)).max(4.0 * ack.mss).min(ack.limit);
        }
        self.note_window(window);
    }

    fn on_congestion(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = loss.halved(window);
        self.note_loss("on_congestion", loss, window);
    }

    fn on_rto(&mut self, loss: &Loss, window: &mut Window) {
        window.ssthresh = loss.halved(window);
        window.cwnd = loss.mss;
        self.note_loss("on_rto", loss, window);
    }

    fn on_handshake(&mut self, now: Time, rtt: Span, window: &Window) {
        self.note("on_handshake", &[("now_ps", &now.as_ps()), ("rtt_ps", &rtt.as_ps())]);
        self.note_window(window);
    }

    fn on_restart(&mut self, restart: &Restart) {
        let Restart { now, nxt, delivered, window_lowered } = restart;
        let now = now.as_ps();
        let fields: [(&str, &dyn Debug); 4] =
            [("now_ps", &now), ("nxt", nxt), ("delivered", delivered), ("window_lowered", window_lowered)];
        self.note("on_restart", &fields);
    }

    fn on_lost_segment(&mut self, lost: &LostSegment) {
        let LostSegment { now, mss, number, len, total, in_flight_when_sent, lost_since, app_limited } = lost;
        let now = now.as_ps();
        self.note("on_lost_segment", &[("now_ps", &now), ("mss", mss), ("number", number), ("len", len)]);
        let then: [(&str, &dyn Debug); 4] = [
            ("total", total),
            ("in_flight_when_sent", in_flight_when_sent),
            ("lost_since", lost_since),
            ("app_limited", app_limited),
        ];
        self.note("    segment", &then);
    }

    fn pacing_rate(&self) -> Option<f64> {
        (self.rounds >= 2).then_some(1.25 * self.rate)
    }
}

#[test]
fn what_a_control_is_told_in_a_network() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let noted: Arc<Mutex<Vec<Log>>> = told.clone();
    let needs = Needs { round_trips: true, delivery_rates: true, pacing: true };
    let model = CustomCongestionControl::new("model", needs, move |_| {
        let told = Arc::new(Mutex::new(Vec::new()));
        noted.lock().unwrap().push(told.clone());
        Box::new(Model { told, rate: 0.0, rtt: None, rounds: 0, round_ends: 0 })
    });
    let mut outside = Outside::default();
    outside.add("1", model).unwrap();
    let files = Memory::new().with("told.toml", include_str!("told.toml"));
    let set = ["tcp.congestion_control=model".to_owned()];
    let loaded = Loader::new(&files).overrides(&set).outside(&outside).load("told.toml").unwrap();
    assert_engines_agree("told", &loaded.scenario, 1);
    // Of each run; the first of a connection is asked what it is, and not told anything.
    let all: Vec<String> = told.lock().unwrap().iter().map(|told| told.lock().unwrap().join("\n")).collect();
    let told: Vec<&String> = all.iter().filter(|text| !text.is_empty()).collect();
    assert!(told.len() >= 2 && told.iter().all(|text| *text == told[0]), "both engines tell the same");
    let text = told[0];
    for event in ["on_handshake", "on_restart", "on_lost_segment", "on_congestion"] {
        assert!(text.contains(event), "{event} happens");
    }
    insta::assert_snapshot!(text);
}
