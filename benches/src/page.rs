//! Pages with a marked place for a table. The place is between the comment `<!-- NAME -->` and the
//! next `<!-- end -->`, each on its own line; the rest of the page is kept. A page without the
//! place is an error and is not changed.

use std::{error::Error, fs, path::Path};

/// The line after a table.
const END: &str = "<!-- end -->\n";

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
    use super::replace;

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
}
