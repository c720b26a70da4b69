//! Connections between two namespaces, over 10 Mb/s. The namespaces have no names: each is there as long as a process of the tests
//! that waits for the end of its input, so nothing is left, however the tests end.

use std::io::{BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, fs};

use ackclock_bpf::{CongestionControl, Error, Event, Kind, Parameters, Probe, Trends};

use super::{may_load, skipped};

/// Connections share the processors: one test at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A name of this process, of at most 15 octets.
fn name(of: &str) -> String {
    format!("{of}.{}", std::process::id())
}

/// A process that ends with this value.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A sender, a router, and a receiver; from the router on there are 10 Mb/s, and a queue of 60 packets before them. It is not at the
/// sender: Linux keeps the queue of its own device short, whatever the window.
struct Network {
    sender: Ends,
    router: Ends,
    receiver: Ends,
}

const RECEIVER: [&str; 2] = ["10.77.2.1", "10.77.2.2"];

impl Network {
    /// `None` where that is not permitted, or its programs are not there, which is said.
    fn new(what: &str) -> Option<Network> {
        match Network::built() {
            Ok(network) => Some(network),
            Err(why) => {
                skipped(what, &why);
                None
            }
        }
    }

    fn built() -> Result<Network, String> {
        let namespace = || {
            let waiting =
                Command::new("unshare").args(["--net", "cat"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
            waiting.map(Ends).map_err(|error| format!("unshare: {error}"))
        };
        let network = Network { sender: namespace()?, router: namespace()?, receiver: namespace()? };
        let own = inode(std::process::id());
        let until = Instant::now() + Duration::from_secs(5);
        for process in [&network.sender, &network.router, &network.receiver] {
            // It has to have its namespace first.
            while [None, own].contains(&inode(process.0.id())) {
                if Instant::now() > until {
                    return Err("no network namespace can be made".to_owned());
                }
                thread::sleep(Duration::from_millis(5));
            }
        }
        let wire = |name: &str, to: &Ends| {
            // Whole packets, as on a wire, not 64 kB at a time.
            format!("ip link add {name} gso_max_segs 1 type veth peer name wire netns {}", to.0.id())
        };
        let setup = |process: &Ends, lines: &[&str]| {
            let output = inside(process.0.id(), "sh").args(["-ec", &lines.join("\n")]).output();
            let output = output.map_err(|error| format!("nsenter: {error}"))?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if output.status.success() { Ok(()) } else { Err(said) }
        };
        setup(
            &network.router,
            &[
                &wire("in", &network.sender),
                &wire("out", &network.receiver),
                "ip addr add 10.77.1.254/24 dev in; ip link set in up",
                "ip addr add 10.77.2.254/24 dev out; ip link set out up",
                "sysctl -qw net.ipv4.ip_forward=1",
                &format!("tc qdisc add dev out root tbf rate 10mbit burst 1600 limit {}", 60 * 1514),
            ],
        )?;
        setup(
            &network.sender,
            &[
                "ip link set wire gso_max_segs 1 up; ip addr add 10.77.1.1/24 dev wire",
                "ip route add default via 10.77.1.254; sysctl -qw net.ipv4.tcp_no_metrics_save=1",
            ],
        )?;
        setup(
            &network.receiver,
            &[
                "ip addr add 10.77.2.1/24 dev wire; ip addr add 10.77.2.2/24 dev wire; ip link set wire up",
                "ip route add default via 10.77.2.254",
            ],
        )?;
        Ok(network)
    }

    /// What connections to this address use.
    fn set(&self, address: &str, congestion_control: &str) {
        let line = format!("ip route replace {address} via 10.77.1.254 congctl lock {congestion_control}");
        let output = inside(self.sender.0.id(), "sh").args(["-ec", &line]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    fn inode(&self) -> u64 {
        inode(self.sender.0.id()).unwrap()
    }

    /// Sends for some time to this address; what arrived is in the output of the receiver.
    fn transfer(&self, address: &str, seconds: f64) -> Transfer {
        let mut receiver = again(self.receiver.0.id(), &format!("receive {address}"));
        let mut receiver = receiver.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(receiver.stdout.take().unwrap());
        let port: u16 = said(&mut lines, "port").parse().unwrap();
        let sender = again(self.sender.0.id(), &format!("send {address} {port} {seconds}")).spawn().unwrap();
        Transfer { sender: Ends(sender), receiver: Ends(receiver), lines, port }
    }

    /// A transfer by this congestion control for some seconds, with what a probe saw of it.
    fn measured(&self, congestion_control: &str, seconds: f64) -> Measured {
        self.set(RECEIVER[0], congestion_control);
        let mut probe = Probe::start(&[self.inode()]).unwrap_or_else(|error| panic!("{error}"));
        let transfer = self.transfer(RECEIVER[0], seconds);
        let port = transfer.port;
        let mut events = Vec::new();
        let until = Instant::now() + Duration::from_secs_f64(seconds);
        while Instant::now() < until {
            thread::sleep(Duration::from_millis(50));
            probe.drain(|event| events.extend((event.remote_port == port).then_some(*event))).unwrap();
        }
        let goodput = transfer.finished();
        assert_eq!(probe.lost(), 0);
        Measured { goodput, events }
    }
}

struct Transfer {
    sender: Ends,
    receiver: Ends,
    lines: BufReader<std::process::ChildStdout>,
    port: u16,
}

impl Transfer {
    /// Goodput, Mb/s.
    fn finished(mut self) -> f64 {
        let goodput = said(&mut self.lines, "goodput").parse().unwrap();
        assert!(self.sender.0.wait().unwrap().success() && self.receiver.0.wait().unwrap().success());
        goodput
    }
}

struct Measured {
    /// Mb/s.
    goodput: f64,
    events: Vec<Event>,
}

impl Measured {
    /// In the second half of the transfer.
    fn median(&self, of: impl Fn(&Event) -> u32) -> u32 {
        let mut values: Vec<u32> = self.events[self.events.len() / 2..].iter().map(of).collect();
        values.sort_unstable();
        values[values.len() / 2]
    }
}

fn inode(process: u32) -> Option<u64> {
    fs::metadata(format!("/proc/{process}/ns/net")).ok().map(|file| file.ino())
}

fn inside(process: u32, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("nsenter");
    command.arg(format!("--net=/proc/{process}/ns/net")).arg("--").arg(program);
    command
}

/// This program once more, which does something else.
fn again(process: u32, does: &str) -> Command {
    let mut command = inside(process, env::current_exe().unwrap());
    as_child(&mut command, does);
    command
}

fn as_child(command: &mut Command, does: &str) {
    command.args(["sockets::child", "--exact", "--nocapture"]).env(CHILD, does).stdout(Stdio::null());
}

const CHILD: &str = "ACKCLOCK_BPF_CHILD";

/// The value that a line of the output names.
fn said(lines: &mut impl std::io::BufRead, of: &str) -> String {
    let mut line = String::new();
    while lines.read_line(&mut line).unwrap() > 0 {
        // The frame of tests may stand before it.
        if let Some((_, value)) = line.trim().split_once(&format!("{of}=")) {
            return value.to_owned();
        }
        line.clear();
    }
    panic!("the child ended without a word of {of}");
}

/// What the tests start of themselves. By itself it does nothing.
#[test]
fn child() {
    let Ok(does) = env::var(CHILD) else { return };
    let words: Vec<&str> = does.split(' ').collect();
    match words[..] {
        ["receive", address] => {
            let listener = TcpListener::bind((address, 0)).unwrap();
            println!("port={}", listener.local_addr().unwrap().port());
            let (mut connection, _) = listener.accept().unwrap();
            let (begun, mut octets) = (Instant::now(), 0);
            let mut buffer = vec![0; 65_536];
            while let Ok(more @ 1..) = connection.read(&mut buffer) {
                octets += more;
            }
            println!("goodput={}", octets as f64 * 8e-6 / begun.elapsed().as_secs_f64());
        }
        ["send", address, port, seconds] => {
            let mut connection = TcpStream::connect((address, port.parse().unwrap())).unwrap();
            let until = Instant::now() + Duration::from_secs_f64(seconds.parse().unwrap());
            while Instant::now() < until {
                connection.write_all(&[0; 16_384]).unwrap();
            }
        }
        ["load", name] => match CongestionControl::load(Kind::VegasA, name, &Parameters::default()) {
            Ok(_loaded) => {
                println!("loaded=yes");
                let _ = std::io::stdin().read(&mut [0]);
            }
            Err(error) => println!("loaded={}", error.to_string().replace('\n', " | ")),
        },
        _ => panic!("{does}"),
    }
}

fn load(kind: Kind, name: &str, parameters: &Parameters) -> CongestionControl {
    CongestionControl::load(kind, name, parameters).unwrap_or_else(|error| panic!("{error}"))
}

/// The congestion controls of this kernel.
fn available() -> Vec<String> {
    let list = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap();
    list.split_whitespace().map(str::to_owned).collect()
}

/// Waits until the kernel has none of this name any more.
fn assert_goes(name: &str) {
    let until = Instant::now() + Duration::from_secs(10);
    while available().iter().any(|other| other == name) {
        assert!(Instant::now() < until, "{name} is still there");
        thread::sleep(Duration::from_millis(20));
    }
}

/// 60 packets are 72 ms. Reno fills the queue; Vegas has a few packets in it, Vegas-A some more, and all have all of the link.
#[test]
fn vegas_and_vegas_a_keep_the_queue_short() {
    if !may_load("Vegas on connections") {
        return;
    }
    let _alone = alone();
    let Some(network) = Network::new("Vegas on connections") else { return };
    let [vegas, vegas_a] = [(Kind::Vegas, name("tvegas")), (Kind::VegasA, name("tvegasa"))].map(|(kind, name)| {
        let loaded = load(kind, &name, &Parameters::default());
        let measured = network.measured(&name, 3.0);
        (measured, loaded.trends())
    });
    let reno = network.measured("reno", 3.0);
    for (name, measured) in [("vegas", &vegas.0), ("vegas-a", &vegas_a.0), ("reno", &reno)] {
        let (cwnd, srtt) = (measured.median(|event| event.cwnd), measured.median(|event| event.srtt));
        println!("{name}: {:.2} Mb/s, cwnd {cwnd}, srtt {srtt} us, {} events", measured.goodput, measured.events.len());
        assert!((8.5..10.0).contains(&measured.goodput), "{name}: {}", measured.goodput);
        assert!(measured.events.is_sorted_by_key(|event| event.time));
    }
    let srtt = |measured: &Measured| measured.median(|event| event.srtt);
    assert!(srtt(&reno) > 40_000);
    assert!(srtt(&vegas.0) < 15_000 && srtt(&vegas_a.0) < 35_000);
    println!("{:?}", vegas_a.1);
    assert_eq!(vegas.1, Trends::default(), "Vegas compares no throughputs");
    assert!(vegas_a.1.up > 0 && vegas_a.1.ties > 0);
}

/// The one that may have more packets in the queue has more of the link.
#[test]
fn two_with_different_parameters_work_side_by_side() {
    if !may_load("two Vegas side by side") {
        return;
    }
    let _alone = alone();
    let Some(network) = Network::new("two Vegas side by side") else { return };
    let names = [name("tfew"), name("tmany")];
    let many = Parameters { alpha: 18.0, beta: 20.0, ..Parameters::default() };
    let _loaded = [load(Kind::Vegas, &names[0], &Parameters::default()), load(Kind::Vegas, &names[1], &many)];
    for (address, name) in RECEIVER.iter().zip(&names) {
        network.set(address, name);
    }
    let transfers = RECEIVER.map(|address| network.transfer(address, 3.0));
    let [few, many] = transfers.map(Transfer::finished);
    println!("{few:.2} and {many:.2} Mb/s");
    assert!(many > 2.0 * few && few > 0.1, "{few} {many}");
}

#[test]
fn one_that_is_unloaded_in_the_middle_of_a_transfer_finishes_it() {
    if !may_load("a congestion control that is unloaded while it is used") {
        return;
    }
    let _alone = alone();
    let Some(network) = Network::new("a congestion control that is unloaded while it is used") else { return };
    let name = name("tgoes");
    let loaded = load(Kind::VegasA, &name, &Parameters::default());
    network.set(RECEIVER[0], &name);
    let transfer = network.transfer(RECEIVER[0], 2.0);
    thread::sleep(Duration::from_millis(700));
    assert!(available().contains(&name));
    assert_eq!(loaded.name(), name);
    drop(loaded);
    assert_goes(&name);
    let goodput = transfer.finished();
    assert!(goodput > 8.5, "{goodput}");
}

#[test]
fn a_name_that_is_there_is_refused_and_can_be_had_again() {
    if !may_load("names of congestion controls") {
        return;
    }
    let name = name("tname");
    let loaded = load(Kind::VegasA, &name, &Parameters::default());
    let second = |kind| CongestionControl::load(kind, &name, &Parameters::default());
    assert_eq!(second(Kind::Vegas).unwrap_err(), Error::Taken { name: name.clone() });
    assert!(
        second(Kind::Vegas)
            .unwrap_err()
            .to_string()
            .starts_with(&format!("this kernel has a congestion control `{name}`"))
    );
    assert_eq!(
        CongestionControl::load(Kind::Vegas, "reno", &Parameters::default()).unwrap_err(),
        Error::Taken { name: "reno".into() }
    );
    drop(loaded);
    assert_goes(&name);
    drop(second(Kind::VegasA).unwrap());
    for wrong in ["", "0123456789abcdef", "a b", "a-b", "ä"] {
        let error = CongestionControl::load(Kind::Vegas, wrong, &Parameters::default()).unwrap_err();
        assert_eq!(error, Error::Name { name: wrong.to_owned() });
    }
}

#[test]
fn a_probe_wants_namespaces_and_sees_no_others() {
    if !may_load("the probe") {
        return;
    }
    let _alone = alone();
    assert_eq!(Probe::start(&[]).unwrap_err(), Error::Namespaces { given: 0 });
    assert_eq!(Probe::start(&vec![1; 1025]).unwrap_err(), Error::Namespaces { given: 1025 });
    let Some(network) = Network::new("the probe") else { return };
    network.set(RECEIVER[0], "reno");
    let inode = |process: &Ends| inode(process.0.id()).unwrap();
    let ends = [inode(&network.sender), inode(&network.receiver)];
    let mut probes = [Probe::start(&ends).unwrap(), Probe::start(&ends[1..]).unwrap(), Probe::start(&[7]).unwrap()];
    network.transfer(RECEIVER[0], 0.3).finished();
    let seen = probes.each_mut().map(|probe| {
        let mut seen = [0, 0];
        probe
            .drain(|event| {
                seen[ends.iter().position(|&end| end == u64::from(event.namespace)).expect("of these two")] += 1
            })
            .unwrap();
        seen
    });
    assert!(seen[0][0] > 20 && seen[0][1] > 20, "{seen:?}");
    assert_eq!(seen[1..], [[0, seen[0][1]], [0, 0]], "{seen:?}");
}

/// However a process ends, what it has loaded goes.
#[test]
fn what_a_process_has_loaded_goes_when_it_is_killed() {
    if !may_load("a loader that is killed") {
        return;
    }
    let name = name("tkill");
    let mut command = Command::new(env::current_exe().unwrap());
    as_child(&mut command, &format!("load {name}"));
    let mut loader = Ends(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap());
    let mut lines = BufReader::new(loader.0.stdout.take().unwrap());
    assert_eq!(said(&mut lines, "loaded"), "yes");
    assert!(available().contains(&name));
    drop(loader);
    assert_goes(&name);
}

/// Without the two capabilities the message names them; with them a user without any other right may load.
#[test]
fn what_capabilities_are_needed_is_said() {
    if !may_load("capabilities") {
        return;
    }
    // Where any user may execute it.
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("program");
    fs::copy(env::current_exe().unwrap(), &program).unwrap();
    readable(folder.path());
    let as_nobody = |capabilities: &str| {
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]);
        command.args([format!("--inh-caps={capabilities}"), format!("--ambient-caps={capabilities}")]).arg(&program);
        as_child(&mut command, &format!("load {}", name("tcaps")));
        let output = command.stdin(Stdio::null()).stdout(Stdio::piped()).output();
        output.map(|output| said(&mut &output.stdout[..], "loaded"))
    };
    let lacking = |which: &str| {
        format!(
            "programs cannot be loaded into this kernel |   this process lacks {which} | \
             help: run it as root, or give the program both: setcap cap_bpf,cap_perfmon+ep PROGRAM"
        )
    };
    match as_nobody("-all") {
        Err(error) => return skipped("capabilities", &format!("setpriv: {error}")),
        Ok(said) => assert_eq!(said, lacking("CAP_BPF and CAP_PERFMON")),
    }
    assert_eq!(as_nobody("-all,+bpf").unwrap(), lacking("CAP_PERFMON"));
    assert_eq!(as_nobody("-all,+perfmon").unwrap(), lacking("CAP_BPF"));
    assert_eq!(as_nobody("-all,+bpf,+perfmon").unwrap(), "yes");
    assert_goes(&name("tcaps"));
}

fn readable(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    folder.to_owned()
}
