//! Diagnostics of rulesheets: those of the compiler become `gdl.Diagnostic`, errors
//! `gdl.RulesError`. Also the levels of lints, and the catalogue of built-in games.

use crate::python_class;
use gdl_compiler::{Levels, Options, Source};
use gdl_runtime::{LoadError, load};
use gdl_tools::{game, parse};
use pyo3::{
    exceptions::{PyTimeoutError, PyValueError},
    prelude::*,
    types::{PyList, PyString, PyTuple},
};

/// A place in Python's form: line, column, the first byte and the byte after the last one.
type Place = (usize, usize, usize, usize);

/// Makes a `gdl.Diagnostic`.
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

/// The exception for a failed load: `gdl.RulesError` or `TimeoutError`.
pub(crate) fn refused(py: Python<'_>, error: &LoadError) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let (diagnostics, report) = match error {
            LoadError::Rules { diagnostics, report } => (diagnostics, report),
            LoadError::UnknownLint { message } => return Ok(PyValueError::new_err(message.clone())),
            other => return Ok(PyTimeoutError::new_err(other.to_string())),
        };
        let list = tuple(py, diagnostics)?;
        Ok(PyErr::from_value(python_class(py, "gdl._errors", "RulesError")?.call1((report, list))?))
    };
    made().unwrap_or_else(|error| error)
}

/// Converts diagnostics of the runtime to a Python tuple.
pub(crate) fn tuple<'py>(py: Python<'py>, found: &[load::Diagnostic]) -> PyResult<Bound<'py, PyTuple>> {
    let each = |fault: &load::Diagnostic| {
        let place = fault.place.as_ref();
        let place = place.map(|at| (at.line, at.column, at.bytes.start, at.bytes.end));
        let (severity, help) = (fault.severity.to_string(), fault.help.as_deref());
        diagnostic(py, fault.code, fault.name, &severity, &fault.message, place, &fault.note, help)
    };
    PyTuple::new(py, found.iter().map(each).collect::<PyResult<Vec<_>>>()?)
}

/// Lints from Python: one text, or an iterable of texts.
#[derive(Default)]
pub(crate) struct Lints(Vec<String>);

impl FromPyObject<'_, '_> for Lints {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Self(vec![text.to_cow()?.into_owned()]));
        }
        value.try_iter()?.map(|each| each?.extract()).collect::<PyResult<_>>().map(Self)
    }
}

/// The levels of lints, by codes or names. `deny` also accepts `warnings`, and `warn` accepts
/// `lints`.
pub(crate) fn levels(allow: Lints, deny: Lints, warn: Lints) -> PyResult<Levels> {
    let known = |option: &str, Lints(names): Lints, group: Option<&str>| {
        let id = |name: String| {
            if Some(name.as_str()) == group {
                return Ok(name);
            }
            let code =
                parse::code(&name).map_err(|error| format!("{option}: {name:?} is not a lint: {error}"));
            code.map(|code| code.id.to_owned()).map_err(PyValueError::new_err)
        };
        names.into_iter().map(id).collect::<PyResult<Vec<_>>>()
    };
    Ok(Levels {
        allow: known("allow", allow, None)?,
        deny: known("deny", deny, Some("warnings"))?,
        warn: known("warn", warn, Some("lints"))?,
    })
}

/// Decodes a rulesheet. Bytes that are not UTF-8 raise an error of the rules.
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

/// The errors and warnings of a rulesheet, in the order of its text.
#[pyfunction]
#[pyo3(signature = (text, name = "rules", *, allow = Lints::default(), deny = Lints::default(), warn = Lints::default()))]
pub(crate) fn check<'py>(
    py: Python<'py>,
    text: &str,
    name: &str,
    allow: Lints,
    deny: Lints,
    warn: Lints,
) -> PyResult<Bound<'py, PyList>> {
    let source = Source::new(name, text);
    let options = Options { levels: levels(allow, deny, warn)?, ..Options::default() };
    let found = py.detach(|| match gdl_compiler::compile(&source, &options) {
        Ok(compilation) => compilation.diagnostics,
        Err(failure) => failure.diagnostics,
    });
    listed(py, &found, &source)
}

/// The built-in games, sorted by name: name, number of players, and true if it is compiled in. No
/// game is loaded.
#[pyfunction]
pub(crate) fn catalogue() -> Vec<(&'static str, usize, bool)> {
    let entries = gdl_games::LIST.iter();
    let mut games: Vec<_> = entries.map(|entry| (entry.name, entry.players, entry.is_compiled())).collect();
    games.sort_unstable();
    games
}

/// The rulesheet of a built-in game; `None` if no game has this name.
#[pyfunction]
pub(crate) fn builtin_text(name: &str) -> Option<&'static str> {
    gdl_games::find(name).map(|entry| entry.text)
}

/// The text `; did you mean ...?` with the most similar name of a built-in game; empty if none is
/// similar.
#[pyfunction]
pub(crate) fn near(name: &str) -> String {
    game::near(name)
}
