//! Commands of the README and the book, run as they are written.
//!
//! The `sh` blocks of a page run one after the other in one folder. A block fenced as `sh,manual`
//! does not run, and its page says why. If the next block is fenced as `text,output`, the commands
//! must print it. A fence that names a file, such as `toml,cup.toml`, writes the file.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
};

/// The rulesheet that pages call `mygame.kif`.
const RULES: &str = include_str!("../../../tests/book/stones.kif");

/// Replacements of large numbers, since debug builds are slow.
const SMALLER: [(&str, &str); 6] = [
    ("--count 1_000_000", "--count 2_000"),
    ("--count 100_000", "--count 1_000"),
    ("--count 20_000", "--count 1_000"),
    ("playouts tictactoe\n", "playouts tictactoe --count 1_000\n"),
    ("repetitions = 5", "repetitions = 1"),
    ("play_clock = 2", "play_clock = 1"),
];

/// The prefixes of lines that are commands.
const COMMANDS: [&str; 7] = ["gdl ", "cargo ", "pip ", "npm ", "npx ", "python ", "hq "];

fn root() -> PathBuf {
    fs::canonicalize(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).expect("the repository")
}

/// The README, and all pages below `docs`.
fn pages() -> Vec<PathBuf> {
    fn find(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                find(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                found.push(path);
            }
        }
    }
    let mut found = vec![root().join("README.md")];
    find(&root().join("docs"), &mut found);
    found.sort();
    found
}

/// The fenced blocks of a page: the words of the fence, and the text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut fence: Option<usize> = None;
    for line in page.lines() {
        let words = line.trim_start_matches('`');
        let ticks = line.len() - words.len();
        match fence {
            None if ticks >= 3 => {
                fence = Some(ticks);
                blocks.push((words.to_owned(), String::new()));
            }
            Some(open) if ticks == open && words.is_empty() => fence = None,
            Some(_) => blocks.last_mut().expect("an open block").1.extend([line, "\n"]),
            None => {}
        }
    }
    blocks
}

/// A server that runs until it is dropped.
struct Server(Child);

impl Server {
    /// Starts the server of a line, and waits until it prints its address.
    fn start(line: &str, folder: &Path, port: u16) -> Self {
        let mut words =
            line.split(" #").next().unwrap_or(line).trim().trim_end_matches('&').split_whitespace();
        assert_eq!(words.next(), Some("gdl"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_gdl"));
        command.args(words).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        if !line.contains("--port") {
            command.args(["--port", &port.to_string()]);
        }
        let mut child = command.spawn().expect("gdl starts");
        let mut out = BufReader::new(child.stdout.take().expect("its stdout"));
        let server = Self(child);
        let mut address = String::new();
        out.read_line(&mut address).expect("it prints its address");
        assert!(address.starts_with("http://127.0.0.1:"), "{line}: {address}");
        // Drains the output: the server ends if it cannot write.
        thread::spawn(move || out.read_to_end(&mut Vec::new()));
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns a free port.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("an address").port()
}

/// Runs lines in a folder. Returns the final working folder and the output.
fn run(lines: &str, folder: &Path, name: &str) -> (PathBuf, String) {
    let bin = Path::new(env!("CARGO_BIN_EXE_gdl")).parent().expect("a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([bin.to_owned()].into_iter().chain(std::env::split_paths(&path)));
    let script = format!("{lines}\necho\npwd\n");
    let output = Command::new("sh")
        .args(["-e", "-c", &script])
        .current_dir(folder)
        .env("PATH", path.expect("a search path"))
        .stdin(Stdio::null())
        .output()
        .expect("sh runs");
    let out = String::from_utf8(output.stdout).expect("stdout is UTF-8");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {lines}\n{out}\n{err}");
    let (printed, end) = out.trim_end().rsplit_once('\n').expect("a folder");
    (PathBuf::from(end), printed.to_owned())
}

/// Runs the commands of a page. Returns their number.
fn run_page(name: &str, page: &str) -> usize {
    let home = tempfile::tempdir().expect("a folder");
    let port = free_port();
    let adapt = |text: &str| {
        let text = SMALLER.iter().fold(text.to_owned(), |text, (large, small)| text.replace(large, small));
        text.replace("9147", &port.to_string())
    };
    fs::create_dir(home.path().join("candidates")).expect("a folder");
    for file in ["mygame.kif", "candidates/mygame.kif"] {
        fs::write(home.path().join(file), RULES).expect("the file can be written");
    }
    let mut folder = home.path().to_owned();
    let (mut servers, mut printed, mut count) = (Vec::new(), String::new(), 0);
    for (words, text) in blocks(page) {
        let words: Vec<&str> = words.split(',').collect();
        if words == ["text", "output"] {
            assert!(printed.contains(text.trim_end()), "{name} prints:\n{printed}\nand not:\n{text}");
        } else if let Some(file) = words.iter().skip(1).find(|word| word.contains('.')) {
            fs::write(folder.join(file), adapt(&text)).expect("the file can be written");
        }
        // `shard.rs` runs the blocks for `parallel` and `xargs`.
        if words != ["sh"] || text.contains("parallel -") || text.contains("xargs -") {
            continue;
        }
        printed.clear();
        let mut lines = String::new();
        for line in adapt(&text).lines() {
            count += usize::from(!line.trim().is_empty());
            if line.starts_with("gdl serve") || line.starts_with("gdl player") {
                servers.push(Server::start(line, &folder, 0));
            } else {
                lines.extend([line, "\n"]);
            }
        }
        let (end, out) = run(&lines, &folder, name);
        (folder, printed) = (end, out);
    }
    count
}

#[test]
fn the_commands_run() {
    let root = root();
    let pages: Vec<(String, String)> = pages()
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).expect("a page of the repository").display().to_string();
            (name, fs::read_to_string(path).expect("a page in UTF-8"))
        })
        .collect();
    let count: usize = thread::scope(|scope| {
        let runs: Vec<_> = pages.iter().map(|(name, page)| scope.spawn(|| run_page(name, page))).collect();
        runs.into_iter().map(|run| run.join().expect("the commands of a page run")).sum()
    });
    assert!(count > 30, "only {count} commands were found");
}

/// Commands outside of `sh` blocks would not run, and nothing would mark them as manual.
#[test]
fn commands_are_in_blocks_for_the_shell() {
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page in UTF-8");
        for (words, text) in blocks(&page) {
            let is_shell = words == "sh" || words == "sh,manual";
            let command = text.lines().find(|line| COMMANDS.iter().any(|word| line.starts_with(word)));
            assert!(is_shell || command.is_none(), "{}: {words}: {command:?}", path.display());
        }
        let indented = page.lines().filter_map(|line| line.strip_prefix("    "));
        let mut commands = indented.filter(|line| COMMANDS.iter().any(|word| line.starts_with(word)));
        assert_eq!(commands.next(), None, "{}", path.display());
    }
}

/// The README repeats the text of the book's rulesheet. Other examples include its file.
#[test]
fn the_readme_shows_the_rulesheet_of_the_book() {
    let readme = fs::read_to_string(root().join("README.md")).expect("a page in UTF-8");
    let shown = blocks(&readme).into_iter().find(|(words, _)| words == "lisp,stones.kif");
    assert_eq!(shown.expect("a rulesheet").1, RULES);
}
