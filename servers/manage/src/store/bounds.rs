//! The bounds for reading a file of results, which is untrusted.
//!
//! `SQLite` itself rejects a value of more than [`LONGEST`] bytes before reading it. Lists are
//! bounded further when they are parsed, and names when they are collected.

use rusqlite::{
    Connection, Error, Result, Row,
    ffi::{self, SQLITE_TOOBIG},
    limits::Limit,
    types::{Type, ValueRef},
};
use serde::Deserialize;

/// The most bytes of a value, except for the records of matches.
const LONGEST: i32 = 1 << 24;

/// The most bytes of a list in a column.
const LONGEST_LIST: usize = 1 << 22;

/// The most bytes of a page of matches, of a page of steps, and of all names.
pub(crate) const MOST_BYTES: usize = 1 << 20;

/// The most seats of a match.
pub(crate) const MOST_SEATS: usize = 1000;

/// Sets the bound for values of a file.
pub(super) fn bound(connection: &Connection) -> Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST).map(drop)
}

/// Raises the bound to the limit of `SQLite` itself, since records are as long as their matches.
pub(super) fn unbound(connection: &Connection) -> Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::MAX).map(drop)
}

/// Runs `work` without the bound for values.
pub(super) fn unbounded<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    let before = connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::MAX)?;
    let done = work(connection);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, before)?;
    done
}

/// Creates the error for a value that exceeds its bound.
pub(crate) fn too_long(what: &str, most: usize) -> Error {
    Error::SqliteFailure(ffi::Error::new(SQLITE_TOOBIG), Some(format!("{what} of more than {most}")))
}

/// Parses the JSON list of a column. Returns `None` if the column is null.
pub(crate) fn list<T: for<'de> Deserialize<'de>>(row: &Row<'_>, column: &str) -> Result<Option<Vec<T>>> {
    let text = match row.get_ref(column)? {
        ValueRef::Null => return Ok(None),
        value => value.as_str().map_err(|error| unfit(row, column, error))?,
    };
    if text.len() > LONGEST_LIST {
        return Err(too_long(&format!("a list `{column}`, in bytes,"), LONGEST_LIST));
    }
    serde_json::from_str(text).map(Some).map_err(|error| unfit(row, column, error))
}

fn unfit(row: &Row<'_>, column: &str, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    let place = row.as_ref().column_index(column).unwrap_or_default();
    Error::FromSqlConversionFailure(place, Type::Text, Box::new(error))
}

/// Returns the names of a query. More than `most` names, or more than [`MOST_BYTES`] bytes, are an
/// error.
pub(crate) fn names(connection: &Connection, query: &str, most: usize) -> Result<Vec<String>> {
    let (mut names, mut bytes) = (Vec::new(), 0);
    let mut query = connection.prepare(query)?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let name: String = row.get(0)?;
        bytes += name.len();
        if names.len() == most {
            return Err(too_long("a number of names", most));
        }
        if bytes > MOST_BYTES {
            return Err(too_long("names, in bytes,", MOST_BYTES));
        }
        names.push(name);
    }
    Ok(names)
}
