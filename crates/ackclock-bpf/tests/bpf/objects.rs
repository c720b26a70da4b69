//! The objects in the repository are what the sources say.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::skipped;

const OBJECTS: [&str; 2] = ["vegas_a.bpf.o", "trace.bpf.o"];

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("bpf")
}

/// The compiler, and the checksums of the sources.
fn built_with() -> (String, String) {
    let text = fs::read_to_string(programs().join("built-with.txt")).unwrap();
    let (compiler, sums) = text.split_once('\n').unwrap();
    (compiler.to_owned(), sums.to_owned())
}

#[test]
fn the_objects_were_built_of_these_sources() {
    let (_, sums) = built_with();
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("sums");
    fs::write(&list, &sums).unwrap();
    match Command::new("sha256sum").args(["--check", "--quiet"]).arg(&list).current_dir(programs()).output() {
        Ok(output) => assert!(
            output.status.success(),
            "the programs for the kernel have changed: run make bpf\n{}",
            String::from_utf8_lossy(&output.stdout)
        ),
        Err(error) => skipped("whether the programs for the kernel are built of their sources", &error.to_string()),
    }
    assert_eq!(sums.lines().count(), 5, "all sources are in the list");
}

#[test]
fn clang_makes_these_objects_of_the_sources() {
    let what = "whether clang makes the same programs for the kernel";
    let here = match Command::new("clang").arg("--version").output() {
        Ok(output) => String::from_utf8(output.stdout).unwrap().lines().next().unwrap_or("").to_owned(),
        Err(error) => return skipped(what, &format!("there is no clang: {error}")),
    };
    let (compiler, _) = built_with();
    if here != compiler {
        return skipped(what, &format!("they were built by {compiler}, here is {here}"));
    }
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(programs().join("build")).arg(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(2) {
        return skipped(what, said.lines().next().unwrap_or("build"));
    }
    assert!(output.status.success(), "{said}");
    for object in OBJECTS {
        let [shipped, built] =
            [programs(), folder.path().to_owned()].map(|folder| fs::read(folder.join(object)).unwrap());
        let (shipped, built) = (contents(&shipped), contents(&built));
        assert!(shipped.iter().any(|(name, octets)| name == "license" && octets == b"Dual MIT/GPL\0"), "{shipped:?}");
        assert!(shipped.len() >= 4);
        assert_eq!(shipped, built, "{object}: run make bpf");
    }
}

/// What of an object comes into the kernel: names and octets of its instructions and of its values. Type information is not compared,
/// which may change with the headers of libbpf.
fn contents(object: &[u8]) -> Vec<(String, Vec<u8>)> {
    const PROGBITS: u64 = 1;
    const ALLOC: u64 = 2;
    let number = |at: u64, octets: u64| {
        let part = &object[at as usize..(at + octets) as usize];
        part.iter().rev().fold(0_u64, |number, &octet| number << 8 | u64::from(octet))
    };
    assert_eq!(&object[..6], b"\x7fELF\x02\x01", "64 bits, little-endian");
    let (headers, size, count, names) = (number(0x28, 8), number(0x3a, 2), number(0x3c, 2), number(0x3e, 2));
    let place = |section: u64| (number(headers + section * size + 0x18, 8), number(headers + section * size + 0x20, 8));
    let name = |section: u64| {
        let from = (place(names).0 + number(headers + section * size, 4)) as usize;
        let end = object[from..].iter().position(|&octet| octet == 0).unwrap();
        String::from_utf8(object[from..from + end].to_vec()).unwrap()
    };
    let in_kernel = |section: &u64| {
        let header = headers + section * size;
        number(header + 4, 4) == PROGBITS && number(header + 8, 8) & ALLOC != 0
    };
    let octets = |section: u64| {
        let (from, length) = place(section);
        object[from as usize..(from + length) as usize].to_vec()
    };
    (0..count).filter(in_kernel).map(|section| (name(section), octets(section))).collect()
}
