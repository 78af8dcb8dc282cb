//! The bounds of what is read of a file of results, which may be anybody's.
//!
//! `SQLite` itself refuses a value of more than [`LONGEST`] bytes before it reads it. What is shown
//! is bounded further: lists as they are parsed, names as they are collected.

use rusqlite::{
    Connection, Error, Result, Row,
    ffi::{self, SQLITE_TOOBIG},
    limits::Limit,
    types::{Type, ValueRef},
};
use serde::Deserialize;

/// No value is longer, except the records of matches: rulesheets and states are.
const LONGEST: i32 = 1 << 24;

/// No list of a column is longer.
const LONGEST_LIST: usize = 1 << 22;

/// Bytes that are shown at once: of a list of matches, of the steps of a match, of all names.
pub(crate) const MOST_BYTES: usize = 1 << 20;

/// No match has more seats.
pub(crate) const MOST_SEATS: usize = 1000;

/// Bounds the values of a file.
pub(super) fn bound(connection: &Connection) -> Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST).map(drop)
}

/// Bounds them by what `SQLite` itself allows: records are as long as their matches.
pub(super) fn unbound(connection: &Connection) -> Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::MAX).map(drop)
}

/// Does something without these bounds.
pub(super) fn unbounded<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T>,
) -> Result<T> {
    let before = connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::MAX)?;
    let done = work(connection);
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, before)?;
    done
}

/// The error of something that is longer than it may be.
pub(crate) fn too_long(what: &str, most: usize) -> Error {
    Error::SqliteFailure(ffi::Error::new(SQLITE_TOOBIG), Some(format!("{what} of more than {most}")))
}

/// The list that a column has as JSON. Returns `None` if the column is null.
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

/// The names that a query gives, no more of them than `most`.
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
