//! Tests that links and paths on all Markdown pages of the repository exist.

use std::{
    collections::BTreeSet,
    fs,
    path::{Component, Path, PathBuf},
};

/// Folders whose pages are not checked: build outputs, and records, which are never edited.
const SKIPPED: [&str; 4] = ["target", "node_modules", ".git", "benches/record"];

fn root() -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).expect("the repository")
}

/// All Markdown pages below a folder.
fn pages(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(root.join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let path = folder.join(entry.file_name());
        if SKIPPED.iter().any(|skipped| path.ends_with(skipped)) {
            continue;
        }
        if entry.file_type().expect("a type").is_dir() {
            pages(root, &path, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

/// The lines of a page outside fenced code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fence = None;
    text.lines().filter(move |line| {
        let line = line.trim_start();
        let ticks = line.len() - line.trim_start_matches('`').len();
        if ticks >= 3 && fence.is_none_or(|open| ticks == open) {
            fence = if fence.is_none() { Some(ticks) } else { None };
            return false;
        }
        fence.is_none()
    })
}

/// The paragraphs of a page outside fenced code, with their lines joined.
fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = vec![String::new()];
    for line in prose(text) {
        let last = paragraphs.last_mut().expect("at least one");
        if line.trim().is_empty() { paragraphs.push(String::new()) } else { last.extend([line, "\n"]) }
    }
    paragraphs
}

/// A paragraph's code spans, and the paragraph without them.
fn spans(paragraph: &str) -> (Vec<&str>, String) {
    let parts: Vec<&str> = paragraph.split('`').collect();
    let spans = parts.iter().skip(1).step_by(2).copied().collect();
    (spans, parts.into_iter().step_by(2).collect::<Vec<_>>().join("``"))
}

/// The targets of a paragraph's links and pictures.
fn targets(paragraph: &str) -> impl Iterator<Item = &str> {
    paragraph.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next())
}

/// The anchors of a page's headings, as mdBook and GitHub derive them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text).filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let letters = line.trim_start_matches('#').trim().to_lowercase();
        letters.replace(' ', "-").replace(|c: char| !c.is_alphanumeric() && !"-_".contains(c), "")
    };
    headings.map(anchor).collect()
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

/// The error in a link of a page, if there is one.
fn fault(root: &Path, page: &Path, target: &str) -> Option<&'static str> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let to = if file.is_empty() { page.to_owned() } else { normal(&page.parent()?.join(file)) };
    if !root.join(&to).exists() {
        return Some("there is no such file");
    }
    if page.starts_with("docs") && !to.starts_with("docs") {
        return Some("the built book has no file outside of `docs`: write the path as code");
    }
    let has_anchor = || fs::read_to_string(root.join(&to)).is_ok_and(|text| anchors(&text).contains(anchor));
    (!anchor.is_empty() && !has_anchor()).then_some("there is no such heading")
}

/// True if code in a page reads as a path in the repository, and the path does not exist.
fn is_missing(root: &Path, code: &str) -> bool {
    // `NAME` is a placeholder for any name.
    let is_path =
        !code.contains("NAME") && code.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let folder = code.split('/').next().unwrap_or_default();
    let is_ours = code.contains('/') && !folder.is_empty() && root.join(folder).is_dir();
    is_path && is_ours && folder != "target" && !root.join(code).exists()
}

#[test]
fn links_and_paths_exist() {
    let root = root();
    let mut all = Vec::new();
    pages(&root, Path::new(""), &mut all);
    assert!(all.len() > 200, "only {} pages were found", all.len());
    let (mut count, mut faults) = (0, Vec::new());
    for page in &all {
        let text = fs::read_to_string(root.join(page)).expect("a page in UTF-8");
        // The changelog may name files that no longer exist.
        let is_current = !page.ends_with("CHANGELOG.md");
        for paragraph in paragraphs(&text) {
            let (code, rest) = spans(&paragraph);
            for target in targets(&rest) {
                count += 1;
                if let Some(fault) = fault(&root, page, target) {
                    faults.push(format!("{}: {target}: {fault}", page.display()));
                }
            }
            for code in code.into_iter().filter(|code| is_current && is_missing(&root, code)) {
                faults.push(format!("{}: `{code}`: there is no such file", page.display()));
            }
        }
    }
    assert!(count > 200, "only {count} links were found");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn faults_are_found() {
    let root = root();
    let page = Path::new("docs/reference/games.md");
    for (target, expected) in [
        ("games/chess.md", None),
        ("games/chess.md#position", None),
        ("#built-in-games", None),
        ("https://example.org/x.md", None),
        ("games/no_such_game.md", Some("there is no such file")),
        ("games/chess.md#no-such-heading", Some("there is no such heading")),
        ("../../README.md", Some("the built book has no file outside of `docs`: write the path as code")),
    ] {
        assert_eq!(fault(&root, page, target), expected, "{target}");
    }
    assert!(is_missing(&root, "games/board/no_such_game.kif"));
    assert!(!is_missing(&root, "games/board/chess.kif") && !is_missing(&root, "no/such/folder"));
    assert_eq!(paragraphs("a\n```sh\nb\n```\nc\n\nd"), ["a\nc\n", "d\n"]);
    assert_eq!(spans("a `b` [c](d) `e`").0, ["b", "e"]);
    assert_eq!(targets("a [b](c) ![d](e \"f\")").collect::<Vec<_>>(), ["c", "e"]);
}

#[test]
fn the_summary_has_every_page() {
    let root = root();
    let mut all = Vec::new();
    pages(&root, Path::new("docs"), &mut all);
    let summary = fs::read_to_string(root.join("docs/SUMMARY.md")).expect("the summary");
    let listed: Vec<PathBuf> =
        summary.lines().flat_map(targets).map(|target| Path::new("docs").join(target)).collect();
    let set: BTreeSet<&PathBuf> = listed.iter().collect();
    assert_eq!(set.len(), listed.len(), "a page is listed twice");
    all.retain(|page| !page.ends_with("SUMMARY.md"));
    assert_eq!(set, all.iter().collect());
}
