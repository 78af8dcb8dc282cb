//! Parsers of values on the command line, with error messages for people.

use clap::ValueEnum;
use gdl_compiler::diagnostic::codes;

/// Parses a whole number. Digits may be separated by underscores or commas, and `1e6` is a million.
///
/// # Errors
/// Returns an error if the text is no such number, or it exceeds 64 bits.
pub fn whole(text: &str) -> Result<u64, String> {
    let digits: String = text.chars().filter(|&c| c != '_' && c != ',').collect();
    let (digits, zeros) = digits.split_once(['e', 'E']).unwrap_or((&digits, "0"));
    let number = digits.parse::<u64>().ok().zip(zeros.parse().ok());
    let number = number.and_then(|(number, zeros)| number.checked_mul(10_u64.checked_pow(zeros)?));
    number.ok_or_else(|| format!("not a whole number of at most {}", u64::MAX))
}

/// Parses a number of games, which is at least 1.
///
/// # Errors
/// Returns an error if the text is no such number.
pub fn count(text: &str) -> Result<u64, String> {
    match whole(text)? {
        0 => Err("at least one game must be played".to_owned()),
        count => Ok(count),
    }
}

/// Parses a duration in seconds.
///
/// # Errors
/// Returns an error unless the number is above 0 and at most 86,400.
pub fn seconds(text: &str) -> Result<f64, String> {
    // The limit of one day keeps later products within bounds.
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        Ok(_) => Err("not above 0 and at most 86400".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Parses a duration with its unit, such as `90s`, `10m` or `2h`. Returns seconds.
///
/// # Errors
/// Returns an error unless the duration is above 0 and at most 30 days.
pub fn period(text: &str) -> Result<f64, String> {
    let units = [("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let number = units.iter().find_map(|&(unit, each)| Some((text.strip_suffix(unit)?, each)));
    let seconds = number.and_then(|(number, each)| Some(number.parse::<f64>().ok()? * each));
    match seconds {
        Some(seconds) if seconds > 0.0 && seconds <= 30.0 * 86_400.0 => Ok(seconds),
        Some(_) => Err("not above 0 and at most 30 days".to_owned()),
        None => Err("write it as `90s`, `10m` or `2h`".to_owned()),
    }
}

/// Parses a number of threads.
///
/// # Errors
/// Returns an error unless the number is in 1..=4096.
pub fn threads(text: &str) -> Result<usize, String> {
    // No machine needs more threads, and each one costs memory.
    match text.parse() {
        Ok(threads @ 1..=4096) => Ok(threads),
        Ok(_) => Err("not in 1..=4096".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// Returns the name of a value on the command line.
#[must_use]
pub fn written(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// The greatest length of a text that is compared with names, in bytes. A longer text is no typing
/// error, and comparing it is slow.
const LONGEST_SLIP: usize = 1_000;

/// Returns `; did you mean ...?` with the most similar of `names`, or an empty text if none is
/// similar.
#[must_use]
pub fn did_you_mean<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> String {
    if text.len() > LONGEST_SLIP {
        return String::new();
    }
    let lower = text.to_lowercase();
    names
        .map(|name| (strsim::jaro_winkler(&lower, &name.to_lowercase()), name))
        // Less similar names confuse more than they help.
        .filter(|&(likeness, _)| likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(String::new, |(_, name)| format!("; did you mean `{name}`?"))
}

/// Returns the diagnostic code with this id (`GDL101`), number (`101`) or name.
///
/// # Errors
/// Returns an error if there is no such code.
pub fn code(text: &str) -> Result<&'static codes::Code, String> {
    let numbered = text.parse::<u16>().ok().map(|number| format!("GDL{number:03}"));
    codes::find(numbered.as_deref().unwrap_or(text)).ok_or_else(|| {
        let names = codes::ALL.iter().flat_map(|code| [code.id, code.name]);
        format!("no such code{}", did_you_mean(text, names))
    })
}
