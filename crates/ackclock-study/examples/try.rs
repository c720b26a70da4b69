//! For development only.
use ackclock_study::*;
struct P(std::time::Instant, std::sync::Mutex<usize>);
impl Progress for P {
    fn advanced(&self, s: &Status) {
        let mut last = self.1.lock().unwrap();
        if s.runs_finished >= *last + 20 {
            *last = s.runs_finished;
            eprintln!("{:?} {}/{} work {:.3}", self.0.elapsed(), s.runs_finished, s.runs, s.work_done / s.work);
        }
    }
}
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (name, card) = match a[1].split_once('/') {
        Some((n, c)) => (n.to_string(), Some(c.to_string())),
        None => (a[1].clone(), None),
    };
    let study = Study::load(&name).unwrap();
    let seeds = a.iter().position(|x| x == "--seeds").map(|i| a[i + 1].parse().unwrap());
    let plan = study.plan(&Selection { card, quick: a.iter().any(|x| x == "--quick"), seeds }).unwrap();
    eprintln!("{} runs, {} simulated seconds", plan.runs(), plan.simulated_seconds());
    if a.iter().any(|x| x == "--plan") {
        return;
    }
    let t = std::time::Instant::now();
    let folder = format!("/tmp/study-out/{name}");
    let out = reproduce(
        &study,
        &plan,
        folder.as_ref(),
        2,
        &std::sync::atomic::AtomicBool::new(false),
        &P(t, Default::default()),
    )
    .unwrap();
    eprintln!("{:?}", t.elapsed());
    if let Outcome::Finished(r) = out {
        print!("{}", r.text());
    }
}
