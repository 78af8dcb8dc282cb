//! No rulesheet makes any phase hang, panic or exceed its memory, and all engines agree on it. The
//! cases are generated rulesheets of many shapes and mutants of rulesheets that people wrote.
//!
//! Each case passes through every phase and engine (`shapes/journey.rs`) in a child process
//! (`shapes/supervisor.rs`). Each phase runs under an allocator that fails past a number of bytes.
//! The number of its progress reports, which bounds its steps, is limited too.
//!
//! `GDL_CASES` sets the number of cases of each test, `GDL_SEED` the seed, and `GDL_FIRST` the
//! number of the first case. A long run is
//!
//! ```text
//! GDL_CASES=200000 GDL_SEED=1 cargo test --release -p gdl-tests --test shapes -- --nocapture generated
//! GDL_CASES=20000 GDL_SEED=1 cargo test --release -p gdl-tests --test shapes -- --nocapture mutants_of_other
//! ```
//!
//! `GDL_RULESHEET=path` with `-- one_rulesheet` runs a rulesheet of the user, given by an absolute
//! path.

mod author;
mod journey;
mod parts;
mod supervisor;

use author::{FEATURES, sheet};
use cap::Cap;
use gdl_compiler::{Options, Source, Syntax, convert::convert, diagnostic::frame, read};
use gdl_tests::{
    corpus,
    mutant::{forms, mutate},
    sentences,
};
use journey::Enter;
use std::{alloc::System, env, fs, hint::black_box, thread::sleep, time::Duration};
use supervisor::{Cases, Summary, supervise};

/// The allocator of this program. Each phase sets its limit.
#[global_allocator]
static HEAP: Cap<System> = Cap::new(System, usize::MAX);

/// Reads a number from an environment variable, with a default.
fn setting(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |value| value.parse().expect("a whole number"))
}

/// The indices of `cases` cases, from `GDL_FIRST` on.
fn numbers(cases: u64) -> std::ops::Range<u64> {
    let first = setting("GDL_FIRST", 0);
    first..first + cases
}

/// Prints the counts of the cases, and panics if one failed.
fn judge(summary: &Summary) {
    println!("{} cases: {:?}", summary.cases, summary.counts);
    let faults = summary.faults.len();
    assert!(faults == 0, "{faults} cases went wrong\n{}", summary.faults.join("\n"));
}

/// Generated rulesheets of many shapes.
struct Shapes {
    seed: u64,
}

impl Cases for Shapes {
    fn write(&self, number: u64) -> (Vec<String>, Vec<&'static str>) {
        let sheet = sheet(self.seed, number);
        (sheet.forms, sheet.features.into_iter().collect())
    }
}

#[test]
fn generated_rulesheets_go_through_every_phase() {
    let (cases, shapes) = (setting("GDL_CASES", 600), Shapes { seed: setting("GDL_SEED", 0) });
    let name = "generated_rulesheets_go_through_every_phase";
    let Some(summary) = supervise(name, &shapes, numbers(cases)) else { return };
    judge(&summary);
    let share = |word: &str| summary.count(word) as f64 / cases as f64;
    assert!(share("played") > 0.9, "too many rulesheets are not played");
    assert!(share("lively") > 0.7, "too many rulesheets are dull");
    for word in ["lanes", "phases", "plies"] {
        assert!(share(word) > 0.1, "too few rulesheets have {word}");
    }
    let missing: Vec<_> = FEATURES.iter().filter(|feature| summary.count(feature) == 0).collect();
    assert!(missing.is_empty() || cases < 600, "no rulesheet has {missing:?}");
}

/// Mutants of the given rulesheets.
struct Mutants {
    seed: u64,
    texts: Vec<String>,
}

impl Mutants {
    /// The mutants of rulesheets shorter than 8,000 bytes.
    fn of(texts: impl Iterator<Item = String>) -> Self {
        let texts = texts.filter(|text| text.len() < 8_000).collect();
        Self { seed: setting("GDL_SEED", 0), texts }
    }
}

impl Cases for Mutants {
    fn write(&self, number: u64) -> (Vec<String>, Vec<&'static str>) {
        let text = &self.texts[number as usize % self.texts.len()];
        (mutate(text, self.seed, number), Vec::new())
    }
}

#[test]
fn mutants_of_built_in_games_go_through_every_phase() {
    let mutants = Mutants::of(gdl_games::compiled().map(|entry| entry.text.to_owned()));
    assert!(mutants.texts.len() > 6, "{}", mutants.texts.len());
    let cases = setting("GDL_CASES", 150);
    let name = "mutants_of_built_in_games_go_through_every_phase";
    let Some(summary) = supervise(name, &mutants, numbers(cases)) else { return };
    judge(&summary);
    assert!(5 * summary.count("played") > cases, "too few mutants are played");
}

#[test]
fn mutants_of_other_rulesheets_go_through_every_phase() {
    let Some(rulesheets) = corpus::rulesheets() else { return };
    let mutants = Mutants::of(rulesheets.map(|(_, text)| text));
    let cases = setting("GDL_CASES", 150);
    let name = "mutants_of_other_rulesheets_go_through_every_phase";
    let Some(summary) = supervise(name, &mutants, numbers(cases)) else { return };
    judge(&summary);
    assert!(5 * summary.count("played") > cases, "too few mutants are played");
}

/// Mutants of the given rulesheets in infix GDL or Epilog.
struct Sentences {
    seed: u64,
    texts: Vec<String>,
}

impl Cases for Sentences {
    fn write(&self, number: u64) -> (Vec<String>, Vec<&'static str>) {
        let text = &self.texts[number as usize % self.texts.len()];
        (sentences::mutate(text, self.seed, number), Vec::new())
    }
}

/// Runs mutants of texts in a syntax through every phase.
fn mutate_sentences(name: &str, syntax: Syntax, texts: Vec<String>) {
    for text in &texts {
        let whole = sentences::sentences(text).join("\n");
        assert_eq!(Syntax::of(&whole), syntax, "{whole}");
        assert!(read(&Source::new("whole", &whole), &Options::default()).is_ok(), "{whole}");
    }
    let mutants = Sentences { seed: setting("GDL_SEED", 0), texts };
    let cases = setting("GDL_CASES", 100);
    let Some(summary) = supervise(name, &mutants, numbers(cases)) else { return };
    judge(&summary);
    assert!(5 * summary.count("played") > cases, "too few mutants are played");
    assert!(summary.counts.keys().any(|word| word.starts_with("refused GDL14")), "too few faults of signs");
}

#[test]
fn mutants_in_infix_go_through_every_phase() {
    let infix = |text: &str| {
        let source = Source::new("game.kif", text);
        convert(&source, &Options::default(), Syntax::Infix).expect("it can be read").text
    };
    let texts = gdl_games::compiled().map(|entry| entry.text).filter(|text| text.len() < 5_000).map(infix);
    mutate_sentences("mutants_in_infix_go_through_every_phase", Syntax::Infix, texts.collect());
}

#[test]
fn mutants_in_epilog_go_through_every_phase() {
    let texts = [
        include_str!("../known/tictactoe.epilog"),
        include_str!("../known/breakthrough.epilog"),
        frame(Syntax::Epilog),
    ]
    .map(str::to_owned);
    mutate_sentences("mutants_in_epilog_go_through_every_phase", Syntax::Epilog, texts.to_vec());
}

/// A single rulesheet, unchanged.
struct Given {
    text: String,
}

impl Cases for Given {
    fn write(&self, _: u64) -> (Vec<String>, Vec<&'static str>) {
        (forms(&self.text), Vec::new())
    }
}

#[test]
fn one_rulesheet_goes_through_every_phase() {
    let text = match env::var("GDL_RULESHEET") {
        Ok(path) => fs::read_to_string(path).expect("a rulesheet"),
        Err(_) => gdl_games::find("tictactoe").expect("built in").text.to_owned(),
    };
    if let Some(summary) = supervise("one_rulesheet_goes_through_every_phase", &Given { text }, 0..1) {
        judge(&summary);
    }
}

/// Cases that fail in every possible way, or pass.
struct Traps;

impl Cases for Traps {
    fn write(&self, number: u64) -> (Vec<String>, Vec<&'static str>) {
        let traps = ["none", "panic", "memory", "none", "hang", "none"];
        let forms = ["beside", traps[number as usize], "too"].map(str::to_owned).to_vec();
        (if number == 4 { vec!["hang".to_owned()] } else { forms }, vec!["trap"])
    }

    fn go(&self, text: &str, enter: Enter) -> Vec<String> {
        enter("first", 1 << 20);
        enter("second", 1 << 20);
        for word in text.lines() {
            match word {
                "panic" => panic!("on purpose"),
                "memory" => drop(black_box(Vec::<u8>::with_capacity(1 << 21))),
                "hang" => sleep(Duration::from_secs(600)),
                _ => {}
            }
        }
        vec!["fine".to_owned()]
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(5)
    }
}

#[test]
fn whatever_goes_wrong_is_named_and_the_others_go_on() {
    let Some(summary) = supervise("whatever_goes_wrong_is_named_and_the_others_go_on", &Traps, 0..6) else {
        return;
    };
    assert_eq!((summary.cases, summary.count("fine"), summary.count("trap")), (6, 3, 3));
    let expected = [
        "case 1, second: on purpose; the rulesheet is\npanic\n",
        "case 2, second: the process ended with signal: 6 (SIGABRT); the rulesheet is\nmemory\n",
        "case 4, second: no end within 5 s; the rulesheet is\nhang\n",
    ];
    let faults = summary.faults.iter().map(|fault| fault.replace(" (core dumped)", ""));
    assert_eq!(faults.collect::<Vec<_>>(), expected);
}
