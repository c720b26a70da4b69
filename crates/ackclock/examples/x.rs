use ackclock::record::Columns;
use ackclock::sim;
use ackclock::units::Time;
use ackclock_scenario::{Disk, load};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let seeds: u64 = a[2].parse().unwrap();
    let sets: Vec<String> = a[3..].to_vec();
    for seed in 1..=seeds {
        let loaded = load(&Disk, &a[1], &sets).map_err(|e| println!("{e:?}")).unwrap();
        let mut s = sim::build(&loaded.scenario, seed);
        s.step(Time::NEVER);
        let r = s.finish();
        let mut v = vec![];
        for (f, of) in r.flows.iter().zip(loaded.scenario.flows.iter()) {
            let b = f.bytes_sent as f64 * 8.0 / (r.simulated.as_secs_f64() - of.begins(seed).as_secs_f64());
            let lost: u64 =
                r.ports.iter().flat_map(|p| &p.vcs).filter(|vc| vc.name == f.name).map(|vc| vc.drops).sum::<u64>()
                    + r.links
                        .iter()
                        .flat_map(|l| &l.vcs)
                        .filter(|vc| vc.name == f.name)
                        .map(|vc| vc.corrupted + vc.outage)
                        .sum::<u64>();
            v.push(b);
            print!("{b:.0} {}/{} L{lost} {:?} | ", f.retransmissions, f.timeouts, f.completed.map(|t| t.as_secs_f64()));
        }
        let n = v.len() as f64;
        let m = v.iter().sum::<f64>() / n;
        println!("sd {:.0}", (v.iter().map(|x| (x - m) * (x - m)).sum::<f64>() / (n - 1.0)).sqrt());
        for p in &r.ports {
            if p.name == "r1->r2" {
                println!(
                    "   mq {:.6} sim {:.6} qs {:.4}",
                    p.mean_queue,
                    r.simulated.as_secs_f64(),
                    p.mean_queue * r.simulated.as_secs_f64()
                );
            }
        }
        for s in &r.series {
            if let Columns::Points { time, value } = &s.columns {
                for (t, v) in time.iter().zip(value) {
                    println!("S {:?} {} {} {}", s.metric, s.of, t.as_secs_f64(), v);
                }
            }
        }
    }
}
