//! Clusters: the three functions that a sweep asks of one, as methods of an object of Python; and the work of a worker.

use std::time::Duration;

use ackclock_sweep::cluster::{Cluster, Ended, work};
use pyo3::prelude::*;

/// An object with the methods `begin`, `submit` and `next` of `ackclock.cluster.Cluster`.
pub struct PythonCluster(pub Py<PyAny>);

impl Cluster for PythonCluster {
    fn begin(&mut self, task: &str) -> std::result::Result<usize, String> {
        self.call(|cluster| cluster.call_method1("begin", (task,))?.extract())
    }

    fn submit(&mut self, number: u64, chunk: &str) -> std::result::Result<(), String> {
        self.call(|cluster| cluster.call_method1("submit", (number, chunk)).map(drop))
    }

    fn next(&mut self, patience: Duration) -> std::result::Result<Option<Ended>, String> {
        let ended: Option<(u64, Option<String>, String)> =
            self.call(|cluster| cluster.call_method1("next", (patience.as_secs_f64(),))?.extract())?;
        Ok(ended.map(|(number, text, wrong)| (number, text.ok_or(wrong))))
    }
}

impl PythonCluster {
    fn call<T>(&self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> std::result::Result<T, String> {
        Python::attach(|py| call(self.0.bind(py)).map_err(|error| said(py, &error)))
    }
}

/// What an error says, without its class if that is one of the package.
fn said(py: Python<'_>, error: &PyErr) -> String {
    let text = error.value(py).to_string();
    if text.is_empty() { error.to_string() } else { text }
}

/// Lets go of what is still handed out.
impl Drop for PythonCluster {
    fn drop(&mut self) {
        let _ = self
            .call(|cluster| if cluster.hasattr("close")? { cluster.call_method0("close").map(drop) } else { Ok(()) });
    }
}

/// The cluster at an address.
pub fn connect(address: &str) -> std::result::Result<Box<dyn Cluster>, String> {
    let connect = |py: Python<'_>| Ok(py.import("ackclock.cluster")?.call_method1("connect", (address,))?.unbind());
    let cluster = Python::attach(|py| connect(py).map_err(|error| said(py, &error)))?;
    Ok(Box::new(PythonCluster(cluster)))
}

/// Does a chunk of the runs of a sweep in a worker that messages call `worker`, on so many threads. Texts come from, and go to, a sweep in
/// another process.
#[pyfunction]
pub fn work_on(py: Python<'_>, task: &str, chunk: &str, threads: usize, worker: &str) -> String {
    py.detach(|| work(task, chunk, threads, worker))
}
