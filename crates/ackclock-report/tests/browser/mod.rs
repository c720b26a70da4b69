//! A page in Chromium: what a script sees there, what is wrong with how it looks, and pictures for people.
//! Pictures are in the folder `reports` of the temporary folder of the tests, `target/tmp/reports`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// What the page inside the frame said about itself.
pub struct Seen(pub Value);

impl Seen {
    pub fn number(&self, key: &str) -> i64 {
        self.0[key].as_i64().unwrap_or_else(|| panic!("no number {key} in {}", self.0))
    }
}

/// The browser, or `None` with a message that cannot be overlooked.
pub fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
    let folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    let found = folders.iter().flat_map(|folder| names.map(|name| folder.join(name))).find(|path| path.is_file());
    if found.is_none() {
        eprintln!("*** SKIPPED: no browser (chromium, google-chrome) on the path: reports were NOT looked at ***");
    }
    found
}

pub fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reports");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A page with the report in a frame of a given width: windows of a browser cannot be as narrow as a phone.
/// Says what it saw in an attribute of its own root.
fn framed(name: &str, report: &str, width: u32, probe: &str) -> PathBuf {
    let file = folder().join(format!("{name}.html"));
    let json = serde_json::to_string(report).unwrap().replace('<', "\\u003c");
    let page = format!(
        "<!doctype html><html><body style=\"margin:0\"><iframe id=frame style=\"border:0;display:block;width:{width}px;\
         height:800px\"></iframe><script>
         const frame = document.getElementById('frame');
         frame.onload = async () => {{
           const view = frame.contentWindow, page = frame.contentDocument, root = page.documentElement;
           await new Promise((done) => setTimeout(done, 300));
           {probe}
         }};
         frame.srcdoc = {json};
         </script></body></html>"
    );
    fs::write(&file, page).unwrap();
    file
}

/// Runs the browser and returns what it wrote to both of its streams. On a busy machine it hangs now and then: it is given up after
/// [`LONGEST`] and started again.
pub fn chromium(browser: &Path, arguments: &[&str], file: &Path) -> (String, String) {
    for _ in 0..ATTEMPTS {
        if let Some(written) = attempt(browser, arguments, file) {
            return written;
        }
    }
    panic!("{} hung {ATTEMPTS} times with {}", browser.display(), file.display());
}

fn attempt(browser: &Path, arguments: &[&str], file: &Path) -> Option<(String, String)> {
    let name = format!("profile-{}-{}", std::process::id(), file.file_stem().unwrap().to_string_lossy());
    let profile = folder().join(&name);
    let streams = ["out", "err"].map(|stream| folder().join(format!("{name}.{stream}")));
    let [out, err] = streams.each_ref().map(|path| fs::File::create(path).unwrap());
    let mut child = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(["--virtual-time-budget=20000", "--run-all-compositor-stages-before-draw"])
        .args(arguments)
        .arg(format!("file://{}", file.display()))
        .stdout(out)
        .stderr(err)
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let has_ended = loop {
        if child.try_wait().unwrap().is_some() {
            break true;
        }
        if begun.elapsed() > LONGEST {
            let _ = child.kill();
            let _ = child.wait();
            break false;
        }
        thread::sleep(Duration::from_millis(20));
    };
    let written = streams.map(|path| {
        let bytes = fs::read(&path).unwrap();
        let _ = fs::remove_file(path);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let _ = fs::remove_dir_all(profile);
    let [out, err] = written;
    has_ended.then_some((out, err))
}

const LONGEST: Duration = Duration::from_secs(90);
const ATTEMPTS: usize = 3;

/// Opens a report at a width, runs a script there which leaves what it saw in `data-seen`, and returns what it said.
pub fn ask(browser: &Path, name: &str, report: &str, width: u32, scheme: &str, probe: &str) -> Seen {
    let file = framed(&format!("{name}-{width}-{scheme}-probe"), report, width, probe);
    said(browser, &format!("{name} at {width}"), &file, scheme)
}

/// What a page of ours leaves in `data-seen`.
fn said(browser: &Path, name: &str, file: &Path, scheme: &str) -> Seen {
    let (dom, log) = chromium(browser, &["--dump-dom", preference(scheme)], file);
    fs::remove_file(file).unwrap();
    let console: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
    assert!(console.is_empty(), "{name}: {console:#?}");
    let seen = dom.split("data-seen=\"").nth(1).and_then(|rest| rest.split('"').next());
    let seen = seen.unwrap_or_else(|| panic!("{name}: the page said nothing\n{log}")).replace("&quot;", "\"");
    let seen = seen.replace("&lt;", "<").replace("&gt;", ">").replace("&nbsp;", "\u{a0}").replace("&amp;", "&");
    Seen(serde_json::from_str(&seen).unwrap())
}

pub fn shoot(browser: &Path, name: &str, report: &str, width: u32, height: u32, scheme: &str) {
    let file =
        framed(&format!("{name}-{width}-{scheme}"), report, width, "frame.style.height = root.scrollHeight + 'px';");
    let image = folder().join(format!("{name}-{width}-{scheme}.png"));
    let _ = fs::remove_file(&image);
    let target = format!("--screenshot={}", image.display());
    let size = format!("--window-size={},{height}", width.max(500));
    chromium(browser, &[&target, &size, preference(scheme)], &file);
    fs::remove_file(file).unwrap();
    assert!(fs::metadata(&image).is_ok_and(|image| image.len() > 10_000), "no screenshot {}", image.display());
}

pub fn preference(scheme: &str) -> &'static str {
    if scheme == "dark" { "--blink-settings=preferredColorScheme=0" } else { "--blink-settings=preferredColorScheme=1" }
}

/// What is wrong with a page, a sentence for each complaint, on a wide screen, on a phone, and on paper; and how high it is there, in
/// pixels. `first` has to stand on the first screen, as selectors. Leaves a picture of the three beside each other.
pub fn look(browser: &Path, name: &str, report: &str, first: &[&str]) -> (Vec<String>, [i64; 3]) {
    let frames = r#"
        const heights = [], said = [];
        for (const [width, paper] of [[1400, false], [390, false], [718, true]]) {
          const frame = document.createElement('iframe');
          frame.style = `border:0;flex:none;background:#fff;width:${width}px;height:900px`;
          const ready = new Promise((done) => { frame.onload = done; });
          frame.srcdoc = report;
          document.body.append(frame);
          await ready;
          const view = frame.contentWindow, page = frame.contentDocument;
          const pause = (ms) => new Promise((done) => setTimeout(done, ms));
          await pause(300);
          if (paper) { toPaper(view, page); await pause(300); }
          heights.push(page.documentElement.scrollHeight);
          FINISH
        }"#;
    let page = |finish: &str, after: &str| {
        let json = serde_json::to_string(report).unwrap().replace('<', "\\u003c");
        let (first, frames) = (serde_json::to_string(first).unwrap(), frames.replace("FINISH", finish));
        format!(
            "<!doctype html><html><body style=\"margin:0;display:flex;align-items:flex-start;gap:16px;background:#888\">\
             <script>{LOOK}</script><script>\n(async () => {{ const report = {json}, first = {first};\n{frames}\n{after} }})();\n\
             </script></body></html>"
        )
    };
    let write = |what: &str, page: String| {
        let file = folder().join(format!("{name}-{what}.html"));
        fs::write(&file, page).unwrap();
        file
    };
    let looks = "const at = paper ? 'on paper' : `at ${width}`;
        for (const words of await look(view, page, { first: width > 1000 ? first : [], paper })) said.push(`${at}: ${words}`);
        frame.remove();";
    let told = "document.documentElement.dataset.seen = JSON.stringify({ said, heights });
        document.querySelectorAll('script').forEach((script) => script.remove());";
    let Seen(seen) = said(browser, name, &write("look", page(looks, told)), "light");
    let said = serde_json::from_value(seen["said"].clone()).unwrap();
    let heights: [i64; 3] = serde_json::from_value(seen["heights"].clone()).unwrap();

    let file = write("picture", page("frame.style.height = page.documentElement.scrollHeight + 'px';", ""));
    let image = folder().join(format!("{name}.png"));
    let _ = fs::remove_file(&image);
    let height = heights.iter().max().copied().unwrap_or(0).clamp(900, HIGHEST_PICTURE);
    let arguments = [format!("--screenshot={}", image.display()), format!("--window-size=2540,{height}")];
    chromium(browser, &[&arguments[0], &arguments[1], preference("light")], &file);
    fs::remove_file(file).unwrap();
    assert!(fs::metadata(&image).is_ok_and(|image| image.len() > 1000), "no picture {}", image.display());
    (said, heights)
}

/// The script that looks.
const LOOK: &str = include_str!("look.js");
/// Of a higher page a picture shows the beginning.
const HIGHEST_PICTURE: i64 = 6000;
