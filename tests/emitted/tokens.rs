//! Tokens that the macro emits contain no `unsafe`, are deterministic, and are few enough for
//! editors. The tests take the tokens of every built-in rulesheet, and of wrong ones, directly from
//! the compiler. Rustc would accept `unsafe` from a macro even where the user forbids it.

use gdl_compiler::{
    Diagnostics, Options, Source, compile,
    emit::{
        Code,
        module::module,
        parts::Frame,
        skeleton::{Guess, skeleton},
    },
    syntax::parse,
};
use proc_macro2::{TokenStream, TokenTree};
use sha2::{Digest, Sha256};
use std::{env, fmt::Write, fs, path::Path, process::Command, thread};

/// The rulesheets of the compiled games, sorted by name.
fn compiled() -> Vec<(String, String)> {
    let mut list: Vec<_> =
        gdl_games::compiled().map(|entry| (entry.name.to_owned(), entry.text.to_owned())).collect();
    list.sort();
    list
}

/// The rulesheets of a folder, sorted by name. The path is relative to this package.
fn rulesheets(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut list: Vec<(String, String)> = fs::read_dir(&folder)
        .expect("a folder of the repository")
        .map(|entry| entry.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "kif"))
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            (name, String::from_utf8_lossy(&fs::read(path).expect("a rulesheet")).into_owned())
        })
        .collect();
    list.sort();
    list
}

/// The tokens that the macro emits for a rulesheet, without its messages.
fn emit(name: &str, text: &str, code: Code) -> TokenStream {
    let source = Source::new(format!("{name}.kif"), text);
    let frame = Frame::new(name);
    if let Ok(compilation) = compile(&source, &Options::default()) {
        return module(&compilation, &frame, source.name(), code);
    }
    let tree = parse(&source, &Options::default(), &mut Diagnostics::default());
    skeleton(&Guess::new(&tree, &source), &frame)
}

/// The identifiers in tokens, including those inside groups.
fn identifiers(tokens: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut streams = vec![tokens];
    while let Some(stream) = streams.pop() {
        for token in stream {
            match token {
                TokenTree::Group(group) => streams.push(group.stream()),
                TokenTree::Ident(ident) => found.push(ident.to_string()),
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }
    found
}

/// Identifiers besides `unsafe` that must not occur in an expansion.
const FOREIGN: &[&str] = &["std", "alloc", "target_feature", "no_mangle", "link_section", "asm", "extern"];

#[test]
fn expansions_are_safe_and_the_same_each_time() {
    let rulesheets = [compiled(), rulesheets("mistakes/ui")].concat();
    assert!(rulesheets.len() > 20, "the rulesheets have moved");
    for (name, text) in rulesheets {
        for code in [Code::Table, Code::Auto] {
            let tokens = emit(&name, &text, code);
            assert_eq!(tokens.to_string(), emit(&name, &text, code).to_string(), "{name}");
            for ident in identifiers(tokens) {
                assert_ne!(ident, "unsafe", "{name}");
                assert!(!FOREIGN.contains(&ident.as_str()), "{name}: {ident}");
            }
        }
    }
}

/// A line for each built-in rulesheet: its name and the hash of its tokens.
fn fingerprints() -> String {
    let mut lines = String::new();
    for (name, text) in compiled() {
        let digest = Sha256::digest(emit(&name, &text, Code::Auto).to_string());
        let digest = digest.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte));
        writeln!(lines, "{name} {digest:016x}").expect("strings take all");
    }
    lines
}

/// An environment variable that makes this program print the fingerprints, for a second process.
const CHILD: &str = "GDL_PRINT_FINGERPRINTS";

#[test]
fn the_same_text_gives_the_same_tokens_in_every_thread_and_process() {
    let expected = fingerprints();
    if env::var_os(CHILD).is_some() {
        println!("\n{expected}");
        return;
    }
    assert!(expected.lines().count() > 9, "{expected}");
    let other = thread::spawn(fingerprints).join().expect("a thread as good as this one");
    assert_eq!(other, expected);
    let name = "tokens::the_same_text_gives_the_same_tokens_in_every_thread_and_process";
    let output = Command::new(env::current_exe().expect("a path"))
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .output()
        .expect("this program runs");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains(&expected), "{printed}\n{expected}");
}

/// Pins the expansions: `GDL_BLESS=1` rewrites the file, and the commit explains the change.
#[test]
fn expansions_are_those_of_the_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("emitted/fingerprints.txt");
    let found = fingerprints();
    if env::var_os("GDL_BLESS").is_some() {
        fs::write(&path, &found).expect("the file can be written");
    }
    let known = fs::read_to_string(&path).expect("the file is there");
    assert_eq!(
        found, known,
        "if the change is intended, `GDL_BLESS=1 cargo test -p gdl-tests --test emitted` updates the file"
    );
}

/// The largest number of tokens that rust-analyzer expands; it shows nothing for a larger
/// expansion.
const EDITORS: usize = 1 << 21;

#[test]
fn editors_take_all_that_is_emitted() {
    let mut most = 0;
    for (name, text) in compiled() {
        let mut tokens = 0;
        // `Code::Lanes` ignores the budget, which would leave out the code of large games.
        let mut streams = vec![emit(&name, &text, Code::Lanes)];
        while let Some(stream) = streams.pop() {
            for token in stream {
                tokens += 1;
                if let TokenTree::Group(group) = token {
                    // A group counts as two tokens, its delimiters.
                    tokens += 1;
                    streams.push(group.stream());
                }
            }
        }
        println!("{name}: {tokens} tokens");
        assert!(tokens < EDITORS, "{name}: {tokens} tokens");
        most = most.max(tokens);
    }
    assert!(most > 100_000, "reversi alone has more than {most}");
}

#[test]
fn unsafe_would_be_found() {
    let tokens: TokenStream = "fn f() { { unsafe { } } }".parse().expect("tokens");
    assert!(identifiers(tokens).contains(&"unsafe".to_owned()));
}
