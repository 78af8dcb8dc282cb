//! Shards: parts of a job that many machines share, as the JSON documents of `gdl shard`.

use crate::{load::Game, watch::Watch};
use gdl_tools::{
    error::Error,
    shard::{Document, Plan, Request, Rulesheet, Subject},
};
use pyo3::{
    exceptions::{PyOSError, PyValueError},
    prelude::*,
};
use std::{
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

/// Computes blocks of a job, by default all of them.
#[pyfunction]
#[pyo3(signature = (subject, request, seed, blocks = None, threads = 0, progress = None))]
pub(crate) fn shard(
    py: Python<'_>,
    subject: &Bound<'_, PyAny>,
    request: &str,
    seed: u64,
    blocks: Option<(u64, u64)>,
    threads: usize,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let request: Request =
        serde_json::from_str(request).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let game = subject.cast::<Game>().ok().map(|game| game.get().0.clone());
    let texts: Vec<(String, String)> = if game.is_some() { Vec::new() } else { subject.extract()? };
    let rulesheets: Vec<Rulesheet> =
        texts.into_iter().map(|(name, text)| Rulesheet::new(name, text)).collect();
    let watch = Watch::new();
    let (done, told) = (AtomicU64::new(0), AtomicU64::new(0));
    let tell = |py: Python<'_>| {
        let now = done.load(Ordering::Relaxed);
        match &progress {
            Some(tell) if told.swap(now, Ordering::Relaxed) != now => tell.call1(py, (now,)).map(|_| ()),
            _ => Ok(()),
        }
    };
    let document = watch.telling(py, tell, || {
        let subject = match &game {
            Some(game) => Subject::Game(&game.game, &game.fingerprint),
            None => Subject::Rulesheets(&rulesheets),
        };
        let plan = Plan::new(subject, &request, seed)?;
        let blocks = blocks.map_or(0..plan.blocks(), |(start, end)| start..end);
        let document = plan.run(blocks.clone(), threads, &watch.cancel, &|count| {
            done.store(count, Ordering::Relaxed);
        });
        done.store(blocks.end.saturating_sub(blocks.start), Ordering::Relaxed);
        document
    })?;
    let document = document.map_err(refused)?;
    tell(py)?;
    Ok(document.text())
}

/// Merges documents into one. Each has a name for messages.
#[pyfunction]
pub(crate) fn merge(py: Python<'_>, documents: Vec<(String, String)>) -> PyResult<String> {
    let merged = py.detach(|| {
        let documents = documents
            .into_iter()
            .map(|(name, text)| Document::parse(&name, &text).map(|document| (name, document)))
            .collect::<Result<_, _>>()?;
        gdl_tools::shard::merge(documents)
    });
    merged.map(|document| document.text()).map_err(refused)
}

/// The names and texts of the rulesheets in a folder.
#[pyfunction]
pub(crate) fn rulesheets(folder: PathBuf) -> PyResult<Vec<(String, String)>> {
    let found = Rulesheet::all_in(&folder).map_err(|error| PyOSError::new_err(error.to_string()))?;
    Ok(found.into_iter().map(|rulesheet| (rulesheet.name, rulesheet.text)).collect())
}

fn refused(error: Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}
