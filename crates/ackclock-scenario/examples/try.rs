use ackclock_scenario::*;
fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().unwrap();
    let sets: Vec<String> = args.collect();
    let t = std::time::Instant::now();
    match load(&Disk, &path, &sets) {
        Ok(l) => {
            println!("{}\n{:?}", l.annotated, l.warnings.iter().map(|w| &w.message).collect::<Vec<_>>());
            let again = load(&Memory::new().with(&path, l.resolved.clone()), &path, &[]);
            match again {
                Ok(a) => println!("same {} {} {:?}", a.scenario == l.scenario, a.resolved == l.resolved, t.elapsed()),
                Err(e) => println!("{e:#?}"),
            }
        }
        Err(LoadError::Invalid(all)) => {
            for d in all {
                let p = d.place.as_ref().map(|p| {
                    let (l, c) = p.line_column();
                    format!("{}:{l}:{c} {:?}", p.file, &p.text[p.span.clone()])
                });
                println!("{:?} {}\n   at {:?}\n   label {}\n   help {:?}", d.severity, d.message, p, d.label, d.help);
            }
        }
        Err(e) => println!("{e:?}"),
    }
}
