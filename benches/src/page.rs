//! Pages with a marked place for a table. The place is between the comment `<!-- NAME -->` and the
//! next `<!-- end -->`, each on its own line; the rest of the page is kept. A page without the
//! place is an error and is not changed.

use std::{error::Error, fs, path::Path};

/// The line after a table.
const END: &str = "<!-- end -->\n";

/// The start of the name of a place whose table is measured by a command.
const MEASURED: &str = "measured: ";

/// Returns the commands of a page that measure tables, in order, each with the columns of its
/// tables. The commands of a table are all lines of the last code block for a shell before it.
#[must_use]
pub fn commands(page: &str) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    let mut block = None;
    let (mut command, mut is_new) = (String::new(), true);
    for line in page.lines() {
        match (&mut block, line) {
            (None, line) if line.starts_with("```") => {
                block = Some((line.starts_with("```sh"), String::new()));
            }
            (Some((is_shell, text)), "```") => {
                if *is_shell {
                    (command, is_new) = (std::mem::take(text), true);
                }
                block = None;
            }
            (Some((_, text)), line) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, line) => {
                let name = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->"));
                let Some(columns) = name.and_then(|name| name.strip_prefix(MEASURED)) else { continue };
                if std::mem::take(&mut is_new) {
                    commands.push((command.clone(), Vec::new()));
                }
                if let Some((_, all)) = commands.last_mut() {
                    all.push(columns.to_owned());
                }
            }
        }
    }
    commands
}

/// The name of the place of a measured table.
#[must_use]
pub fn place(columns: &str) -> String {
    format!("{MEASURED}{columns}")
}

/// Returns the first table of a text in Markdown that has the given columns, separated by `|`. Its
/// other columns are left out.
#[must_use]
pub fn table(text: &str, columns: &str) -> Option<String> {
    let cells = |line: &str| -> Vec<String> {
        line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let wanted = cells(columns);
    let lines: Vec<&str> = text.lines().collect();
    let mut tables = lines.split(|line| !line.starts_with('|')).filter(|table| table.len() > 1);
    tables.find_map(|table| {
        let header = cells(table[0]);
        let places: Option<Vec<usize>> =
            wanted.iter().map(|column| header.iter().position(|cell| cell == column)).collect();
        let places = places?;
        let row = |line: &&str| {
            let cells = cells(line);
            let cells: Vec<&str> =
                places.iter().map(|&place| cells.get(place).map_or("", String::as_str)).collect();
            format!("| {} |\n", cells.join(" | "))
        };
        Some(table.iter().map(row).collect())
    })
}

/// Writes a table to its place on a page, or prints it if `page` is `None`.
///
/// # Errors
/// Returns an error if the page cannot be read or written, or has no such place.
pub fn write(page: Option<&Path>, name: &str, table: &str) -> Result<(), Box<dyn Error>> {
    let Some(path) = page else {
        print!("{table}");
        return Ok(());
    };
    Ok(fs::write(path, replace(&fs::read_to_string(path)?, name, table)?)?)
}

/// The page with another table at the named place.
fn replace(page: &str, name: &str, table: &str) -> Result<String, String> {
    let mark = format!("<!-- {name} -->\n");
    let (before, rest) =
        page.split_once(&mark).ok_or_else(|| format!("the page has no place called `{name}`"))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| format!("the place called `{name}` has no end"))?;
    Ok([before, &mark, table, END, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_takes_the_place_of_the_one_before() {
        let page = "A\n<!-- speeds -->\nold\nolder\n<!-- end -->\nB\n<!-- sizes -->\n<!-- end -->\n";
        let written = replace(page, "speeds", "new\n").expect("a place");
        assert_eq!(written, page.replace("old\nolder\n", "new\n"));
        assert_eq!(replace(&written, "speeds", "new\n").as_ref(), Ok(&written));
        assert!(
            replace(page, "sizes", "new\n").expect("a place").ends_with("sizes -->\nnew\n<!-- end -->\n")
        );
        assert!(replace(page, "ratios", "new\n").is_err());
        assert!(replace("<!-- speeds -->\nold\n", "speeds", "new\n").is_err());
    }

    #[test]
    fn commands_measure_tables() {
        let page = "```sh,manual\nfirst \\\n    again\n```\n<!-- measured: game | a -->\n<!-- end -->\n\
                    ```rust\nfn main() {}\n```\n<!-- measured: b -->\n<!-- end -->\n<!-- other -->\n\
                    ```sh\nsecond\n```\n```sh\nthird\n```\n<!-- measured: c -->\n";
        let columns = |list: &[&str]| list.iter().map(ToString::to_string).collect::<Vec<String>>();
        assert_eq!(
            commands(page),
            [
                ("first \\\n    again\n".to_owned(), columns(&["game | a", "b"])),
                ("third\n".to_owned(), columns(&["c"]))
            ]
        );
    }

    #[test]
    fn columns_are_picked() {
        let text = "note\n\n| game | a |\n|---|---:|\n| x | 1 |\n\n| game | a | b |\n|---|---:|---|\n| y | 2 | 3 |\nend\n";
        assert_eq!(table(text, "game | b").as_deref(), Some("| game | b |\n| --- | --- |\n| y | 3 |\n"));
        assert_eq!(table(text, "a").as_deref(), Some("| a |\n| ---: |\n| 1 |\n"));
        assert_eq!(table(text, "game | c"), None);
        assert_eq!(table("| game | c |\n", "c"), None);
    }
}
