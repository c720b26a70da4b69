//! What is sent to a worker, and what it sends back: text, so that whatever carries it need not know of it.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ackclock::sim::{Engine, RESULT_VERSION};
use ackclock_scenario::LoadError;
use ackclock_scenario::sweep::{Request, Sweep};
use ackclock_store::Key;
use serde::{Deserialize, Serialize};

use super::files::{Files, Recording};
use crate::check::Checked;
use crate::error::Error;
use crate::metrics::METRICS;
use crate::results::row::Row;
use crate::run::{Options, Rows, Todo};
use crate::shard::Shard;

/// What all chunks of a sweep have in common: what is swept, and how.
#[derive(Debug, Serialize, Deserialize)]
pub struct Task {
    ackclock: String,
    result_version: u32,
    file: String,
    sets: Vec<String>,
    vary: Vec<String>,
    latin_hypercube: Option<usize>,
    measures: Vec<String>,
    until_ci: Vec<String>,
    files: Files,
    is_reference: bool,
    time_limit_s: Option<f64>,
    keeps_documents: bool,
}

/// Some runs.
#[derive(Debug, Serialize, Deserialize)]
struct Chunk {
    runs: Vec<Todo>,
    /// The key of each point that they are of, so that a worker with other files, or that reads them in another way, is found out.
    keys: BTreeMap<usize, String>,
}

/// What a worker did.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Done {
    rows: Vec<(usize, Row)>,
    seconds: f64,
    /// Why it did nothing.
    refused: Option<String>,
}

impl Task {
    /// What a checked sweep asks for. `read` is the source that it was read from.
    pub fn new(request: &Request<'_>, read: &Recording<'_>, checked: &Checked, options: &Options<'_>) -> Task {
        Task {
            ackclock: env!("CARGO_PKG_VERSION").into(),
            result_version: RESULT_VERSION,
            file: request.file.into(),
            sets: request.sets.to_vec(),
            vary: request.vary.to_vec(),
            latin_hypercube: request.latin_hypercube,
            measures: request.measures.to_vec(),
            until_ci: request.until_ci.to_vec(),
            files: read.files(),
            is_reference: options.engine == Engine::Reference,
            time_limit_s: options.time_limit.map(|limit| limit.as_secs_f64()),
            keeps_documents: checked.plan.keeps_documents(),
        }
    }

    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are JSON")
    }
}

/// The text of a chunk of these runs.
pub(super) fn chunk(checked: &Checked, runs: &[Todo]) -> String {
    let key = |todo: &Todo| Some((todo.point, checked.plan.points[todo.point]?.to_string()));
    let chunk = Chunk { runs: runs.to_vec(), keys: runs.iter().filter_map(key).collect() };
    serde_json::to_string(&chunk).expect("texts and numbers are JSON")
}

/// The rows of a chunk that a worker did, and how many seconds it took.
pub(super) fn rows(text: &str) -> Result<(Vec<(usize, Row)>, f64), Error> {
    let done: Done = serde_json::from_str(text).map_err(|error| Error::Cluster {
        wrong: format!("a worker returned what is no chunk of runs: {error}"),
        help: "install the same version of ackclock on all workers".into(),
    })?;
    match done.refused {
        None => Ok((done.rows, done.seconds)),
        Some(wrong) => Err(Error::Cluster {
            wrong,
            help: "give all workers the same version of ackclock and the same contact plans; finished runs are kept"
                .into(),
        }),
    }
}

/// Does a chunk of runs in a worker, on so many threads. `worker` is what messages call it. What is wrong is in the text that it returns,
/// which the caller of [`run_missing_on`](super::run_missing_on) gets as an error.
pub fn work(task: &str, chunk: &str, threads: usize, worker: &str) -> String {
    let done = done(task, chunk, threads)
        .unwrap_or_else(|refused| Done { refused: Some(format!("the worker {worker} {refused}")), ..Done::default() });
    serde_json::to_string(&done).expect("rows are JSON")
}

/// What of a task says which version of the program sent it, whatever else there is in it.
#[derive(Deserialize)]
struct Version {
    ackclock: String,
    result_version: u32,
}

fn done(task: &str, chunk: &str, threads: usize) -> Result<Done, String> {
    let sent: Version = serde_json::from_str(task).map_err(|error| format!("cannot read what it was sent: {error}"))?;
    let own = (env!("CARGO_PKG_VERSION"), RESULT_VERSION);
    if own != (&*sent.ackclock, sent.result_version) {
        let Version { ackclock, result_version } = sent;
        return Err(format!(
            "has ackclock {} (result version {}), and the sweep is of ackclock {ackclock} (result version {result_version})",
            own.0, own.1
        ));
    }
    let started = Instant::now();
    let task: Task = serde_json::from_str(task).map_err(|error| format!("cannot read the task: {error}"))?;
    let chunk: Chunk = serde_json::from_str(chunk).map_err(|error| format!("cannot read the chunk: {error}"))?;
    let numbers: Vec<&str> = METRICS.iter().map(|metric| metric.name).collect();
    let request = Request {
        file: &task.file,
        sets: &task.sets,
        vary: &task.vary,
        latin_hypercube: task.latin_hypercube,
        until_ci: &task.until_ci,
        measures: &task.measures,
        numbers: &numbers,
        outside: None,
    };
    let cannot_load = |error: LoadError| format!("cannot load the scenario: {}", Error::Load(error));
    let sweep = Sweep::read(&task.files, &request).map_err(cannot_load)?;
    let failed = Mutex::new(None);
    let load = |point: usize| {
        let loaded = match sweep.load(point).map_err(cannot_load) {
            Ok(loaded)
                if chunk.keys.get(&point) == Some(&Key::of_scenario(&loaded.resolved, RESULT_VERSION).to_string()) =>
            {
                return Some(Arc::new(loaded.scenario));
            }
            Ok(_) => "reads another scenario than the sweep is of: a contact plan differs".to_owned(),
            Err(wrong) => wrong,
        };
        if let Ok(mut failed) = failed.lock() {
            *failed = Some(loaded);
        }
        None
    };
    let made = Mutex::new(Vec::new());
    let never = AtomicBool::new(false);
    let engine = if task.is_reference { Engine::Reference } else { Engine::Batched };
    let time_limit = task.time_limit_s.map(Duration::from_secs_f64);
    let options =
        Options { threads, engine, time_limit, shard: Shard::WHOLE, retry: false, stop: &never, are_void: &|| false };
    let rows = Rows { measures: &sweep.measures, keeps_documents: task.keeps_documents, load };
    let ended = rows.make(
        &chunk.runs,
        &options,
        |_| {},
        |run, row| {
            made.lock().map_err(|_| Error::Defect("a thread panicked as it kept a row".into()))?.push((run, row));
            Ok(())
        },
    );
    if let Some(wrong) = failed.into_inner().ok().flatten() {
        return Err(wrong);
    }
    ended.map_err(|error| error.to_string())?;
    let mut rows = made.into_inner().map_err(|_| "has a defect".to_owned())?;
    rows.sort_by_key(|(run, _)| *run);
    Ok(Done { rows, seconds: started.elapsed().as_secs_f64(), refused: None })
}
