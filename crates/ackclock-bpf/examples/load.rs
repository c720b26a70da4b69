//! Loads Vegas or Vegas-A under a name until its input ends: `load vegas-a va1`, and alpha and beta if they are to be others.

#[cfg(all(target_os = "linux", feature = "bpf"))]
fn main() -> Result<(), String> {
    use ackclock_bpf::{CongestionControl, Kind, Parameters};

    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = || "usage: load vegas|vegas-a NAME [ALPHA BETA]".to_owned();
    let number = |at: usize| arguments[at].parse::<f64>().map_err(|error| format!("{}: {error}", arguments[at]));
    let mut parameters = Parameters::default();
    let kind = match arguments.first().map(String::as_str) {
        Some("vegas") => Kind::Vegas,
        Some("vegas-a") => Kind::VegasA,
        _ => return Err(usage()),
    };
    match arguments.len() {
        2 => {}
        4 => (parameters.alpha, parameters.beta) = (number(2)?, number(3)?),
        _ => return Err(usage()),
    }
    let loaded = CongestionControl::load(kind, &arguments[1], &parameters).map_err(|error| error.to_string())?;
    println!("{} is loaded; the end of the input ends it (Ctrl-D)", loaded.name());
    std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).map_err(|error| error.to_string())?;
    println!("{:?}", loaded.trends());
    Ok(())
}

#[cfg(not(all(target_os = "linux", feature = "bpf")))]
fn main() {
    eprintln!("built without the feature `bpf`: cargo run -p ackclock-bpf --features bpf --example load");
}
