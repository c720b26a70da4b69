//! What cannot be run says why, where, and what to do.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::{Place, outcome};
use crate::{FILE, alone};

#[test]
fn what_linux_has_not_is_refused_before_anything_is_run() {
    let place = Place::with("live-refused", FILE);
    let refused = |sets: &str| place.run(&format!("live scenario.toml {sets}")).exits_with(3).without_result();
    refused("--set tcp.congestion_control=vegas-1995").says(&[
        "flow f: Linux has no congestion control like `vegas-1995`",
        "cubic",
        "ackclock run",
    ]);
    refused("--set 'tcp.mss=50 B'").says(&["flow f: Linux has no segments of 50 B", "88 B"]);
    refused("--set tcp.host=served").says(&["flow f", "served"]);
    let two = "[flow.g]\nfrom = \"client\"\nto = \"server\"\n[flow.g.tcp]\nrecovery = \"new-reno\"\n";
    place.write("two.toml", format!("{FILE}{two}"));
    place
        .run("live two.toml")
        .exits_with(3)
        .says(&["flows f and g have other values of `recovery` at client", "a host of its own"]);
    assert!(!place.path("results").exists());
}

#[test]
fn a_congestion_control_that_the_kernel_lacks_is_named_with_those_that_it_has() {
    let Some(_alone) = alone("a_congestion_control_that_the_kernel_lacks_is_named_with_those_that_it_has") else {
        return;
    };
    let place = Place::with("live-lacks", FILE);
    let lacking =
        [("illinois", "illinois"), ("hybla", "hybla"), ("vegas-linux", "vegas")].into_iter().find(|(_, kernel)| {
            // Loads the module where there is one.
            let loaded = Command::new("modprobe").arg(format!("tcp_{kernel}")).stderr(Stdio::null()).status();
            !loaded.is_ok_and(|status| status.success())
        });
    let Some((name, kernel)) = lacking else {
        let _ = fs::write("/dev/stderr", "SKIPPED: this kernel has every congestion control\n");
        return;
    };
    let run = place.run(&format!("live scenario.toml --set tcp.congestion_control={name}")).exits_with(1);
    run.says(&[&format!("this kernel has no congestion control `{kernel}`; it has "), "reno", "modprobe"]);
    assert!(!place.path("results").exists(), "nothing is left of it");
}

/// A folder that everybody may read, with the program and a scenario in it.
fn readable_by_all(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("ackclock-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_ackclock"), folder.join("ackclock")).unwrap();
    fs::write(folder.join("scenario.toml"), FILE).unwrap();
    folder
}

/// Whether this test may become somebody else; says loudly if not.
fn becomes_nobody(test: &str) -> bool {
    let is_root = fs::metadata("/proc/self").is_ok_and(|of| std::os::unix::fs::MetadataExt::uid(&of) == 0);
    let may = is_root && Command::new("setpriv").arg("--version").output().is_ok();
    if !may {
        let _ = fs::write("/dev/stderr", format!("SKIPPED: {test}: needs root and setpriv\n"));
    }
    may
}

const NOBODY: [&str; 5] = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];

#[test]
fn without_privileges_it_says_what_is_missing() {
    if !becomes_nobody("without_privileges_it_says_what_is_missing") {
        return;
    }
    let folder = readable_by_all("unprivileged");
    let run = |words: &[&str]| {
        let mut command = Command::new("setpriv");
        command.args(NOBODY).arg("./ackclock").args(words).current_dir(&folder);
        outcome(command)
    };
    let live = run(&["live", "scenario.toml"]).exits_with(1).without_result();
    live.warns(&["cannot make a network namespace", "as root", "CAP_SYS_ADMIN"]);
    let doctor = run(&["doctor"]).exits_with(1);
    doctor.prints(&["this process lacks CAP_NET_ADMIN, CAP_SYS_ADMIN", "No live runs here"]);
    fs::remove_dir_all(folder).unwrap();
}

/// Where everybody may open the device node, as on many distributions: here it is one of the test, in a mount namespace of its own.
#[test]
fn without_privileges_it_goes_in_a_user_namespace() {
    let test = "without_privileges_it_goes_in_a_user_namespace";
    let Some(_alone) = alone(test) else { return };
    if !becomes_nobody(test) {
        return;
    }
    let folder = readable_by_all("user-namespace");
    let nobody = NOBODY.join(" ");
    // With the device node, and where only root may open it.
    for mode in ["666", "600"] {
        let script = format!(
            "mknod node{mode} c 10 200 && chmod {mode} node{mode} && mount --make-rprivate / && mount --bind node{mode} /dev/net/tun && \
             setpriv {nobody} unshare --user --map-root-user true || exit 77; \
             exec setpriv {nobody} unshare --user --map-root-user ./ackclock live scenario.toml --json --out result{mode}"
        );
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", &script]).current_dir(&folder).stdin(Stdio::null());
        let outcome = outcome(command);
        if outcome.code == 77 {
            let _ = fs::write("/dev/stderr", format!("SKIPPED: {test}: no user namespaces: {}\n", outcome.stderr));
            return;
        }
        let document = outcome.json();
        assert_eq!(document["runs"][0]["flows"][0]["bytes_delivered"], 300_000, "{mode}: {document}");
        // No program of the kernel may be loaded: windows are read now and then.
        assert_eq!(document["runs"][0]["live"]["trace"], "tcp-info", "{mode}: {document}");
        let windows = folder.join(format!("result{mode}/tables/seed-1/cwnd.parquet"));
        assert!(windows.exists(), "{mode}: {}", windows.display());
    }
    fs::remove_dir_all(folder).unwrap();
}
