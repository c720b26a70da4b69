//! Embeds the folder `studies/`: writes a table of file names and contents for `src/embedded.rs`.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("set by cargo")).join("../../studies");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut code = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&root).expect("found below it").to_str().expect("file names are UTF-8");
        let path = file.to_str().expect("file names are UTF-8");
        writeln!(code, "    ({:?}, include_str!({path:?})),", name.replace('\\', "/")).expect("a string takes it all");
    }
    code.push_str("]\n");
    let target = PathBuf::from(env::var("OUT_DIR").expect("set by cargo")).join("studies.rs");
    fs::write(target, code).expect("cargo's own folder can be written");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("the folder `studies` belongs to the project") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
}
