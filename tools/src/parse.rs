//! Values that people write: a text in, a value or an error sentence out; and values as they are
//! written.

use clap::ValueEnum;
use gdl_compiler::diagnostic::codes;

/// A count, with underscores or commas between the digits if one likes, or as `1e6`.
///
/// # Errors
/// Returns an error if the text is no such number.
pub fn whole(text: &str) -> Result<u64, String> {
    let digits: String = text.chars().filter(|&c| c != '_' && c != ',').collect();
    let (digits, zeros) = digits.split_once(['e', 'E']).unwrap_or((&digits, "0"));
    let number = digits.parse::<u64>().ok().zip(zeros.parse().ok());
    let number = number.and_then(|(number, zeros)| number.checked_mul(10_u64.checked_pow(zeros)?));
    number.ok_or_else(|| format!("not a whole number of at most {}", u64::MAX))
}

/// A count above 0.
///
/// # Errors
/// Returns an error if the text is no such number.
pub fn count(text: &str) -> Result<u64, String> {
    match whole(text)? {
        0 => Err("at least one game must be played".to_owned()),
        count => Ok(count),
    }
}

/// A length of time in seconds.
///
/// # Errors
/// Returns an error if the text is no number above 0 and at most 86,400.
pub fn seconds(text: &str) -> Result<f64, String> {
    // A day is long enough, and keeps every later product within bounds.
    match text.parse::<f64>() {
        Ok(seconds) if seconds > 0.0 && seconds <= 86_400.0 => Ok(seconds),
        Ok(_) => Err("not above 0 and at most 86400".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// A length of time with its unit, `90s`, `10m` or `2h`, in seconds.
///
/// # Errors
/// Returns an error if the text is no such length, or one of more than 30 days.
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

/// A number of threads.
///
/// # Errors
/// Returns an error if the text is no number from 1 to 4,096.
pub fn threads(text: &str) -> Result<usize, String> {
    // More threads than any machine has are a slip of the finger, and would only cost memory.
    match text.parse() {
        Ok(threads @ 1..=4096) => Ok(threads),
        Ok(_) => Err("not in 1..=4096".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// A value as it is written on the command line.
#[must_use]
pub fn written(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Bytes of a text that names are compared with: what is longer is no slip of the finger, and would
/// take long.
const LONGEST_SLIP: usize = 1_000;

/// `; did you mean ...?` with the nearest of `names`, or nothing if none is near.
#[must_use]
pub fn did_you_mean<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> String {
    if text.len() > LONGEST_SLIP {
        return String::new();
    }
    let lower = text.to_lowercase();
    names
        .map(|name| (strsim::jaro_winkler(&lower, &name.to_lowercase()), name))
        // Below this, the likeness is of a kind that puzzles more than it helps.
        .filter(|&(likeness, _)| likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map_or_else(String::new, |(_, name)| format!("; did you mean `{name}`?"))
}

/// A diagnostic by its code, the code's number or its name.
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
