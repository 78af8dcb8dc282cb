//! Output of commands: results on stdout, remarks on stderr, styles on terminals only.

pub use gdl_exploration::counted;
pub use gdl_runtime::playouts::thousands;

use crate::error::{Error, Result};
use clap::builder::styling::{AnsiColor, Style};
use serde_json::Value;
use std::{
    fmt::Display,
    fs,
    io::{self, BufWriter, Write},
    path::Path,
};

/// The style of titles and main results.
pub const BOLD: Style = Style::new().bold();
/// The style of units and explanations.
pub const DIM: Style = Style::new().dimmed();
/// The style of examples.
pub const CODE: Style = AnsiColor::Cyan.on_default();
/// The style of success.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// The style of warnings.
pub const ODD: Style = AnsiColor::Yellow.on_default().bold();
/// The style of errors.
pub const BAD: Style = AnsiColor::Red.on_default().bold();

/// Returns stdout for a report. Styles are removed unless it is a terminal that supports them.
#[must_use]
pub fn stdout() -> BufWriter<anstream::AutoStream<io::StdoutLock<'static>>> {
    BufWriter::new(anstream::AutoStream::auto(io::stdout().lock()))
}

/// Returns the text of a report, without styles.
#[must_use]
pub fn plain(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
    let mut bytes = Vec::new();
    // Writing to memory cannot fail.
    let _ = write(&mut bytes);
    anstream::adapter::strip_str(&String::from_utf8_lossy(&bytes)).to_string()
}

/// Prints the single JSON object of a command.
///
/// # Errors
/// Returns an error if writing to stdout fails.
pub fn json(value: &Value) -> Result {
    let mut out = BufWriter::new(io::stdout().lock());
    serde_json::to_writer_pretty(&mut out, value).map_err(io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// Writes a file atomically: if writing fails or is interrupted, the old file remains.
///
/// # Errors
/// Returns an error if it cannot be written.
pub fn file(path: &Path, bytes: &(impl AsRef<[u8]> + ?Sized)) -> Result {
    let unwritten = |error: io::Error| Error::Input(format!("cannot write {}: {error}", path.display()));
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let half = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
    fs::write(&half, bytes).and_then(|()| fs::rename(&half, path)).map_err(|error| {
        // The partial file is useless.
        let _ = fs::remove_file(&half);
        unwritten(error)
    })
}

/// Prints a line on stderr. Ignores a closed stderr, which has no reader.
pub fn remark(text: impl Display) {
    let _ = writeln!(anstream::AutoStream::auto(io::stderr().lock()), "{text}");
}

/// Formats a rate or another large quantity, rounded to a whole number.
#[must_use]
pub fn rounded(number: f64) -> String {
    // Casts of floats saturate, and a rate is never negative.
    #[allow(clippy::cast_sign_loss)]
    let whole = number.round() as u128;
    thousands(whole)
}

/// Formats a rate or another large quantity with three digits: `87.0`, `4.85 k`, `219 M`.
#[must_use]
pub fn scaled(number: f64) -> String {
    let mut value = number;
    for unit in ["", " k", " M", " G"] {
        // Values that would round to four digits get the next unit.
        let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
        if value < 999.5 {
            return format!("{value:.digits$}{unit}");
        }
        value /= 1e3;
    }
    format!("{} T", rounded(value))
}

/// Formats a duration with a unit: `12 µs`, `3.4 ms` or `5.67 s`.
#[must_use]
pub fn duration(seconds: f64) -> String {
    if seconds < 0.001 {
        format!("{:.0} µs", seconds * 1e6)
    } else if seconds < 1.0 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{seconds:.2} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_three_digits() {
        let scale = [0.0, 9.994, 9.996, 99.96, 999.4, 999.6, 4_849.0, 217_300_000.0, 3e9, 5e15].map(scaled);
        let texts = ["0.00", "9.99", "10.0", "100", "999", "1.00 k", "4.85 k", "217 M", "3.00 G", "5,000 T"];
        assert_eq!(scale, texts);
    }
}
