//! What is wrong with rulesheets: diagnostics of the compiler become `gdl.Diagnostic`, errors `gdl.RulesError`.

use crate::python_class;
use gdl_compiler::{Options, Source};
use gdl_runtime::{LoadError, load};
use pyo3::{exceptions::PyTimeoutError, prelude::*, types::PyList};

/// A place as Python has it: line, column, and the first byte and the one behind the last.
type Place = (usize, usize, usize, usize);

/// One of `gdl.Diagnostic`.
#[allow(clippy::too_many_arguments, reason = "as many as a diagnostic has fields")]
fn diagnostic<'py>(
    py: Python<'py>,
    code: &str,
    name: &str,
    severity: &str,
    message: &str,
    place: Option<Place>,
    note: &str,
    help: Option<&str>,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = (code, name, severity, message, place, note, help);
    python_class(py, "gdl._errors", "Diagnostic")?.call1(fields)
}

/// `gdl.RulesError` or `TimeoutError`.
pub(crate) fn refused(py: Python<'_>, error: &LoadError) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let (diagnostics, report) = match error {
            LoadError::Rules { diagnostics, report } => (diagnostics, report),
            other => return Ok(PyTimeoutError::new_err(other.to_string())),
        };
        let list = PyList::empty(py);
        for fault in diagnostics {
            let severity = match fault.severity {
                load::Severity::Error => "error",
                load::Severity::Warning => "warning",
                _ => "lint",
            };
            let place = fault.place.as_ref();
            let place = place.map(|at| (at.line, at.column, at.bytes.start, at.bytes.end));
            let help = fault.help.as_deref();
            list.append(diagnostic(
                py,
                fault.code,
                fault.name,
                severity,
                &fault.message,
                place,
                &fault.note,
                help,
            )?)?;
        }
        Ok(PyErr::from_value(python_class(py, "gdl._errors", "RulesError")?.call1((report, list))?))
    };
    made().unwrap_or_else(|error| error)
}

/// Bytes that are no UTF-8, as an error of the rules.
pub(crate) fn text_of(py: Python<'_>, name: &str, bytes: Vec<u8>) -> PyResult<String> {
    Source::from_bytes(name, bytes).map(|source| source.text().to_owned()).map_err(|fault| {
        let (source, fault) = *fault;
        let mut found = gdl_compiler::Diagnostics::default();
        found.push(fault);
        let made = || -> PyResult<PyErr> {
            let list = listed(py, &found, &source)?;
            let report = found.render(&source).trim_end().to_owned();
            Ok(PyErr::from_value(python_class(py, "gdl._errors", "RulesError")?.call1((report, list))?))
        };
        made().unwrap_or_else(|error| error)
    })
}

fn listed<'py>(
    py: Python<'py>,
    found: &gdl_compiler::Diagnostics,
    source: &Source,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for fault in found.iter() {
        let place = fault.span.map(|span| {
            let start = source.position(span.start);
            (start.line, start.column, span.start as usize, span.end as usize)
        });
        let severity = fault.severity.to_string();
        let (code, help) = (fault.code, fault.help.as_deref());
        let message = &fault.message;
        list.append(diagnostic(py, code.id, code.name, &severity, message, place, &fault.note, help)?)?;
    }
    Ok(list)
}

/// All that the compiler has to say of a rulesheet, in the order of the text: errors and warnings.
#[pyfunction]
#[pyo3(signature = (text, name = "rules"))]
pub(crate) fn check<'py>(py: Python<'py>, text: &str, name: &str) -> PyResult<Bound<'py, PyList>> {
    let source = Source::new(name, text);
    let found = py.detach(|| match gdl_compiler::compile(&source, &Options::default()) {
        Ok(compilation) => compilation.diagnostics,
        Err(failure) => failure.diagnostics,
    });
    listed(py, &found, &source)
}

/// The built-in games, sorted by name: the name, the number of players, and whether it is compiled in. None is loaded for that.
#[pyfunction]
pub(crate) fn catalogue() -> Vec<(&'static str, usize, bool)> {
    let entries = gdl_games::LIST.iter();
    let mut games: Vec<_> = entries.map(|entry| (entry.name, entry.players, entry.is_compiled())).collect();
    games.sort_unstable();
    games
}
