//! Compares a reasoner with a reference trace.
//!
//! The input is a [`Reasoner`] (the evaluator of the compiler, a compiled game, ...) and a
//! [`Trace`]. The output is an [`Outcome`]: the amount compared, and the first difference. Recorded
//! playouts are replayed move by move. Joint move sequences are counted level by level, with equal
//! states merged.
//!
//! A replay makes a constant number of queries for each role and step of the trace, whose bytes are
//! [bounded](trace::MOST_BYTES). [`Limits`] bound the states and joint moves of counting. Counting
//! stores the states of two levels, and the deeper level may have `MOST_BYTES` of text.

mod engine;
pub mod trace;

pub use engine::GameReasoner;
pub use trace::Trace;

use gdl_compiler::eval::{Evaluator, State, Term};
use sha2::{Digest, Sha256};
use std::{collections::BTreeMap, fmt, fmt::Write as _, time::Instant};
use trace::{Playout, TraceEnd, TraceStep};

/// A reasoner for the rules of one game. Terms are KIF texts. Lists are sorted by bytes, without
/// duplicates. Players are identified by their index in [`Reasoner::roles`].
pub trait Reasoner {
    /// A state of the game.
    type State: Clone + Ord;

    /// Returns the players, in the order of the rules.
    fn roles(&self) -> Vec<String>;

    /// Returns the initial state.
    ///
    /// # Errors
    /// Returns an error message if the reasoner fails. The other methods do so too.
    fn initial(&self) -> Result<Self::State, String>;

    /// Returns the fluents that hold in a state.
    fn fluents(&self, state: &Self::State) -> Vec<String>;

    /// Returns a player's legal moves.
    ///
    /// # Errors
    /// As for [`Reasoner::initial`].
    fn legal(&self, state: &Self::State, role: usize) -> Result<Vec<String>, String>;

    /// Returns the successor of a state by a joint move.
    ///
    /// # Errors
    /// As for [`Reasoner::initial`].
    fn next(&self, state: &Self::State, joint: &[String]) -> Result<Self::State, String>;

    /// Returns whether the game is over.
    ///
    /// # Errors
    /// As for [`Reasoner::initial`].
    fn terminal(&self, state: &Self::State) -> Result<bool, String>;

    /// Returns all goal values that can be derived for a player.
    ///
    /// # Errors
    /// As for [`Reasoner::initial`].
    fn goals(&self, state: &Self::State, role: usize) -> Result<Vec<String>, String>;
}

impl Reasoner for Evaluator<'_> {
    type State = State;

    fn roles(&self) -> Vec<String> {
        Evaluator::roles(self).iter().map(Term::to_string).collect()
    }

    fn initial(&self) -> Result<State, String> {
        Evaluator::initial(self).map_err(|error| error.to_string())
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        state.iter().map(Term::to_string).collect()
    }

    fn legal(&self, state: &State, role: usize) -> Result<Vec<String>, String> {
        texts(Evaluator::legal(self, state, role))
    }

    fn next(&self, state: &State, joint: &[String]) -> Result<State, String> {
        let joint: Result<Vec<Term>, _> = joint.iter().map(|text| self.term(text)).collect();
        joint.and_then(|joint| Evaluator::next(self, state, &joint)).map_err(|error| error.to_string())
    }

    fn terminal(&self, state: &State) -> Result<bool, String> {
        Evaluator::terminal(self, state).map_err(|error| error.to_string())
    }

    fn goals(&self, state: &State, role: usize) -> Result<Vec<String>, String> {
        texts(Evaluator::goals(self, state, role))
    }
}

fn texts(answer: Result<Vec<Term>, gdl_compiler::eval::EvalError>) -> Result<Vec<String>, String> {
    match answer {
        Ok(terms) => Ok(terms.iter().map(Term::to_string).collect()),
        Err(error) => Err(error.to_string()),
    }
}

/// The limit on the text of a level's states, in bytes. Counting ends where a level would exceed
/// it.
const MOST_BYTES: usize = 256 << 20;

/// The limits of a comparison.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The most playouts to replay.
    pub playouts: usize,
    /// The most steps to replay of each playout.
    pub steps: usize,
    /// The most states to expand while counting sequences.
    pub states: u64,
    /// The most joint moves to make while counting sequences.
    pub moves: u64,
    /// The time at which the comparison stops. Differences found before it are reported.
    pub deadline: Option<Instant>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { playouts: usize::MAX, steps: usize::MAX, states: 10_000, moves: 1_000_000, deadline: None }
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The number of steps of playouts compared.
    pub steps: usize,
    /// The number of playouts compared to their end.
    pub playouts: usize,
    /// The depth up to which sequences were counted and compared.
    pub perft_depth: usize,
    /// True if the deadline cut the comparison short.
    pub out_of_time: bool,
    /// The first difference, if there is one.
    pub difference: Option<Difference>,
}

/// The position and kind of a difference between reasoner and trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The number of the playout; `None` in the initial state and while counting sequences.
    pub playout: Option<usize>,
    /// The step of the playout, or the depth of the level.
    pub step: usize,
    /// The kind of difference, for example `legal moves of white`.
    pub what: String,
    /// The value in the trace; for lists, the terms that the reasoner lacks.
    pub expected: String,
    /// The value of the reasoner; for lists, the terms that the trace lacks.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.playout {
            Some(playout) => write!(f, "playout {playout}, step {}: ", self.step)?,
            None => write!(f, "depth {}: ", self.step)?,
        }
        write!(f, "{}: expected {}, found {}", self.what, self.expected, self.found)
    }
}

/// Compares a reasoner with a trace: the initial state, the playouts, then the sequence counts.
pub fn verify<R: Reasoner>(reasoner: &R, trace: &Trace, limits: &Limits) -> Outcome {
    let mut check = Check { reasoner, trace, limits, playout: None, step: 0, outcome: Outcome::default() };
    match check.all() {
        Ok(()) => {}
        Err(Stop::OutOfTime) => check.outcome.out_of_time = true,
        Err(Stop::Differs(difference)) => check.outcome.difference = Some(*difference),
    }
    check.outcome
}

/// Returns the first 16 hexadecimal digits of the SHA-256 of the texts, joined by line breaks.
#[must_use]
pub fn hash16<T: AsRef<str>>(sorted: &[T]) -> String {
    let mut hasher = Sha256::new();
    for (i, text) in sorted.iter().enumerate() {
        if i > 0 {
            hasher.update("\n");
        }
        hasher.update(text.as_ref());
    }
    let mut digits = String::new();
    for byte in &hasher.finalize()[..8] {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// The reason why a comparison ends early.
enum Stop {
    OutOfTime,
    Differs(Box<Difference>),
}

struct Check<'c, R: Reasoner> {
    reasoner: &'c R,
    trace: &'c Trace,
    limits: &'c Limits,
    /// The playout that is being compared, if any.
    playout: Option<usize>,
    step: usize,
    outcome: Outcome,
}

impl<R: Reasoner> Check<'_, R> {
    fn all(&mut self) -> Result<(), Stop> {
        let trace = self.trace;
        self.same("the players", &trace.roles.join(" "), &self.reasoner.roles().join(" "))?;
        let initial = self.initial()?;
        for playout in trace.playouts.iter().take(self.limits.playouts) {
            self.replay(initial.clone(), playout)?;
        }
        self.playout = None;
        self.count(initial)
    }

    fn initial(&mut self) -> Result<R::State, Stop> {
        let trace = self.trace;
        let initial = self.answer(self.reasoner.initial())?;
        self.same_list("the initial state", &trace.initial_state, &self.reasoner.fluents(&initial))?;
        let terminal = self.answer(self.reasoner.terminal(&initial))?;
        self.same("the game is over", &trace.initial_terminal, &terminal)?;
        self.same_for_each_role("legal moves", &trace.initial_legals, &initial, R::legal)?;
        self.same_for_each_role("goal values", &trace.initial_goal_values, &initial, R::goals)?;
        Ok(initial)
    }

    fn replay(&mut self, mut state: R::State, playout: &Playout) -> Result<(), Stop> {
        self.playout = Some(playout.k);
        for (i, step) in playout.steps.iter().enumerate() {
            if i == self.limits.steps {
                return Ok(());
            }
            self.step = i;
            self.look_at_the_clock()?;
            self.compare_step(&state, step)?;
            state = self.answer(self.reasoner.next(&state, &step.j))?;
            self.outcome.steps += 1;
        }
        self.step = playout.steps.len();
        self.compare_end(&state, &playout.end)?;
        self.outcome.playouts += 1;
        Ok(())
    }

    fn compare_step(&self, state: &R::State, step: &TraceStep) -> Result<(), Stop> {
        let fluents = self.reasoner.fluents(state);
        if let Some(expected) = &step.state {
            self.same_list("the state", expected, &fluents)?;
        }
        self.same("the number of fluents", &step.nf, &fluents.len())?;
        self.same("the hash of the state", &step.sh, &hash16(&fluents))?;
        self.same("the game is over", &false, &self.answer(self.reasoner.terminal(state))?)?;
        if let Some(expected) = &step.legals {
            self.same_for_each_role("legal moves", expected, state, R::legal)?;
        }
        for (role, name) in self.trace.roles.iter().enumerate() {
            let legal = self.answer(self.reasoner.legal(state, role))?;
            let (n, hash) = (step.n.get(role).copied(), step.lh.get(role).map_or("", String::as_str));
            self.same(&format!("the number of legal moves of {name}"), &n.unwrap_or(0), &legal.len())?;
            self.same(&format!("the hash of the legal moves of {name}"), hash, hash16(&legal).as_str())?;
        }
        if let Some(expected) = &step.goals {
            self.same_for_each_role("goal values", expected, state, R::goals)?;
        }
        Ok(())
    }

    fn compare_end(&self, state: &R::State, end: &TraceEnd) -> Result<(), Stop> {
        let fluents = self.reasoner.fluents(state);
        if let Some(expected) = &end.state {
            self.same_list("the state", expected, &fluents)?;
        }
        self.same("the number of fluents", &end.nf, &fluents.len())?;
        self.same("the hash of the state", &end.sh, &hash16(&fluents))?;
        // A reference that was cut off by an error or a timeout need not have computed `terminal`.
        if end.terminal || matches!(end.capped.as_deref(), None | Some("steps")) {
            self.same("the game is over", &end.terminal, &self.answer(self.reasoner.terminal(state))?)?;
        }
        if let Some(name) = end.capped.as_deref().and_then(|capped| capped.strip_prefix("no_legal:"))
            && let Some(role) = self.trace.roles.iter().position(|role| role == name)
        {
            let legal = self.answer(self.reasoner.legal(state, role))?;
            self.same_list(&format!("legal moves of {name}"), &[], &legal)?;
        }
        if let Some(expected) = &end.goal_values {
            self.same_for_each_role("goal values", expected, state, R::goals)?;
        }
        Ok(())
    }

    /// Counts joint move sequences level by level, up to the depth of the trace or the limits.
    fn count(&mut self, initial: R::State) -> Result<(), Stop> {
        let (mut states, mut moves) = (self.limits.states, self.limits.moves);
        let mut level = BTreeMap::from([(initial, 1_u128)]);
        for depth in 0..=self.trace.perft.len() {
            self.step = depth;
            self.compare_level(&level)?;
            self.outcome.perft_depth = depth;
            let Some(expected) = self.trace.perft.get(depth) else { break };
            if states < level.len() as u64 {
                break;
            }
            states -= level.len() as u64;

            let mut below = BTreeMap::new();
            let (mut terminal_states, mut terminal_sequences) = (0, 0_u128);
            for (state, times) in &level {
                self.look_at_the_clock()?;
                if self.answer(self.reasoner.terminal(state))? {
                    terminal_states += 1;
                    terminal_sequences = terminal_sequences.saturating_add(*times);
                } else if !self.expand(state, *times, &mut moves, &mut below)? {
                    return Ok(());
                }
            }
            if let Some(expected) = self.trace.terminal_distinct.get(depth) {
                self.same("terminal states", expected, &terminal_states)?;
            }
            if let Some(expected) = self.trace.terminal_sequences.get(depth) {
                self.same("sequences that end here", expected, &terminal_sequences)?;
            }
            self.step = depth + 1;
            let sum = below.values().fold(0_u128, |sum, times| sum.saturating_add(*times));
            self.same("joint move sequences", expected, &sum)?;
            level = below;
        }
        Ok(())
    }

    fn compare_level(&self, level: &BTreeMap<R::State, u128>) -> Result<(), Stop> {
        if let Some(expected) = self.trace.distinct_states.get(self.step) {
            self.same("distinct states", expected, &(level.len() as u128))?;
        }
        if let Some(expected) = self.trace.level_hash.get(self.step) {
            let mut hashes: Vec<String> =
                level.keys().map(|state| hash16(&self.reasoner.fluents(state))).collect();
            hashes.sort_unstable();
            self.same("the hash of the distinct states", expected, &hash16(&hashes))?;
        }
        Ok(())
    }

    /// Adds the successors of a state to `below`. Returns false if a limit would be exceeded.
    fn expand(
        &self,
        state: &R::State,
        times: u128,
        moves: &mut u64,
        below: &mut BTreeMap<R::State, u128>,
    ) -> Result<bool, Stop> {
        let mut legals = Vec::new();
        for role in 0..self.trace.roles.len() {
            legals.push(self.answer(self.reasoner.legal(state, role))?);
        }
        let joints = legals.iter().try_fold(1_u64, |product, legal| product.checked_mul(legal.len() as u64));
        let Some(left) = joints.and_then(|joints| moves.checked_sub(joints)) else { return Ok(false) };
        // The states of a game have texts of similar length, so the length of this one is used for
        // all.
        let bytes: usize = self.reasoner.fluents(state).iter().map(|fluent| fluent.len() + 8).sum();
        if bytes.saturating_mul(below.len() + joints.unwrap_or(0) as usize) > MOST_BYTES {
            return Ok(false);
        }
        *moves = left;
        for mut number in 0..joints.unwrap_or(0) {
            self.look_at_the_clock()?;
            let mut joint = Vec::new();
            for legal in &legals {
                let n = legal.len() as u64;
                joint.push(legal[usize::try_from(number % n).unwrap_or(0)].clone());
                number /= n;
            }
            let next = self.answer(self.reasoner.next(state, &joint))?;
            let sum = below.entry(next).or_insert(0);
            *sum = sum.saturating_add(times);
        }
        Ok(true)
    }

    fn look_at_the_clock(&self) -> Result<(), Stop> {
        match self.limits.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stop::OutOfTime),
            _ => Ok(()),
        }
    }

    fn answer<T>(&self, answer: Result<T, String>) -> Result<T, Stop> {
        answer.map_err(|error| self.differs("an error", String::from("an answer"), error))
    }

    fn same<T: PartialEq + fmt::Display + ?Sized>(
        &self,
        what: &str,
        expected: &T,
        found: &T,
    ) -> Result<(), Stop> {
        if expected == found {
            return Ok(());
        }
        Err(self.differs(what, expected.to_string(), found.to_string()))
    }

    fn same_list(&self, what: &str, expected: &[String], found: &[String]) -> Result<(), Stop> {
        if expected == found {
            return Ok(());
        }
        Err(self.differs(what, excess(expected, found), excess(found, expected)))
    }

    fn same_for_each_role(
        &self,
        what: &str,
        expected: &[Vec<String>],
        state: &R::State,
        ask: impl Fn(&R, &R::State, usize) -> Result<Vec<String>, String>,
    ) -> Result<(), Stop> {
        for (role, (name, expected)) in self.trace.roles.iter().zip(expected).enumerate() {
            let found = self.answer(ask(self.reasoner, state, role))?;
            self.same_list(&format!("{what} of {name}"), expected, &found)?;
        }
        Ok(())
    }

    fn differs(&self, what: &str, expected: String, found: String) -> Stop {
        let (playout, step, what) = (self.playout, self.step, what.to_owned());
        Stop::Differs(Box::new(Difference { playout, step, what, expected, found }))
    }
}

/// Returns the terms of one sorted list that are missing in the other: five at most, then the
/// number of the rest.
fn excess(list: &[String], other: &[String]) -> String {
    const SHOWN: usize = 5;
    let extra: Vec<&str> =
        list.iter().filter(|text| other.binary_search(text).is_err()).map(String::as_str).collect();
    match extra.len() {
        0 => String::from("nothing else"),
        n if n <= SHOWN => extra.join(" "),
        n => format!("{} and {} more", extra[..SHOWN].join(" "), n - SHOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_compiler::{Diagnostics, Options, Rules, Source, check, syntax};

    /// A counter from 0 to 3 for two players. A step adds one if at least one player adds.
    const GAME: &str = "(role a) (role b) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal ?r add) (role ?r)) (<= (legal ?r wait) (role ?r))
        (<= added (does ?r add))
        (<= (next (n ?y)) (true (n ?x)) (succ ?x ?y) added)
        (<= (next (n ?x)) (true (n ?x)) (not added))
        (<= terminal (true (n 3)))
        (<= (goal ?r 100) (role ?r) terminal) (<= (goal ?r 0) (role ?r) (not terminal))";

    fn rules() -> Rules {
        let source = Source::new("count.kif", GAME);
        let options = Options::default();
        let mut diagnostics = Diagnostics::default();
        let tree = syntax::parse(&source, &options, &mut diagnostics);
        check::check(&tree, &source, &options, &mut diagnostics).expect("the rules are right")
    }

    /// Returns a trace of one playout, with hashes computed by [`hash16`].
    fn trace() -> String {
        let moves = hash16(&["add", "wait"]);
        let states: Vec<String> = (0..=3).map(|n| hash16(&[format!("(n {n})")])).collect();
        let level = |ns: std::ops::RangeInclusive<usize>| {
            let mut hashes = states[ns].to_vec();
            hashes.sort();
            hash16(&hashes)
        };
        let mut steps = String::new();
        for (n, state) in states[..3].iter().enumerate() {
            let comma = if n > 0 { "," } else { "" };
            let _ = write!(
                steps,
                r#"{comma}{{"j":["add","wait"],"n":[2,2],"lh":["{moves}","{moves}"],"sh":"{state}","nf":1}}"#
            );
        }
        format!(
            r#"{{"format":"{FORMAT}","name":"count","status":"ok","roles":["a","b"],
            "initial_state":["(n 0)"],"initial_terminal":false,
            "initial_legals":[["add","wait"],["add","wait"]],"initial_goal_values":[["0"],["0"]],
            "perft":[4,16,64,148],"distinct_states":[1,2,3,4],
            "level_hash":["{}","{}","{}","{}"],
            "terminal_distinct":[0,0,0,1],"terminal_sequences":[0,0,0,27],
            "playouts":[{{"k":0,"seed":0,"steps":[{steps}],"end":{{"length":3,"terminal":true,
            "capped":null,"sh":"{}","nf":1,"state":["(n 3)"],"goal_values":[["100"],["100"]]}}}}]}}"#,
            level(0..=0),
            level(0..=1),
            level(0..=2),
            level(0..=3),
            states[3],
            FORMAT = trace::FORMAT,
        )
    }

    fn outcome(text: &str, limits: &Limits) -> Outcome {
        let rules = rules();
        let evaluator = Evaluator::new(&rules).expect("the rules are within the limits");
        verify(&evaluator, &Trace::read(text).expect("the trace is well formed"), limits)
    }

    #[test]
    fn a_right_trace_has_no_difference() {
        let expected = Outcome { steps: 3, playouts: 1, perft_depth: 4, ..Outcome::default() };
        assert_eq!(outcome(&trace(), &Limits::default()), expected);
    }

    #[test]
    fn limits_end_the_comparison_early() {
        let perft_depth = |states, moves| {
            let limits = Limits { states, moves, ..Limits::default() };
            outcome(&trace(), &limits).perft_depth
        };
        assert_eq!((perft_depth(0, 100), perft_depth(1, 100), perft_depth(3, 100)), (0, 1, 2));
        assert_eq!((perft_depth(100, 3), perft_depth(100, 4), perft_depth(100, 12)), (0, 1, 2));
        let late = Limits { deadline: Some(Instant::now()), ..Limits::default() };
        assert_eq!(outcome(&trace(), &late), Outcome { out_of_time: true, ..Outcome::default() });
    }

    #[test]
    fn the_first_difference_is_told() {
        let told = |from: &str, to: &str| {
            let trace = trace().replacen(from, to, 1);
            outcome(&trace, &Limits::default()).difference.expect("a difference").to_string()
        };
        let moves = hash16(&["add", "wait"]);
        for (from, to, expected) in [
            (r#"["a","b"]"#, r#"["a"]"#, "depth 0: the players: expected a, found a b"),
            (r#""(n 0)""#, r#""(n 1)""#, "depth 0: the initial state: expected (n 1), found (n 0)"),
            (
                r#"["add","wait"]"#,
                r#"["add"]"#,
                "depth 0: legal moves of a: expected nothing else, found wait",
            ),
            (
                r#""initial_terminal":false"#,
                r#""initial_terminal":true"#,
                "depth 0: the game is over: expected true, found false",
            ),
            (
                r#""n":[2,2]"#,
                r#""n":[2,3]"#,
                "playout 0, step 0: the number of legal moves of b: expected 3, found 2",
            ),
            (
                &moves,
                "0",
                &format!("playout 0, step 0: the hash of the legal moves of a: expected 0, found {moves}"),
            ),
            (
                r#"["100"],["100"]"#,
                r#"["100"],["0"]"#,
                "playout 0, step 3: goal values of b: expected 0, found 100",
            ),
            ("[4,16,", "[4,15,", "depth 2: joint move sequences: expected 15, found 16"),
            ("[1,2,3,4]", "[1,2,5,4]", "depth 2: distinct states: expected 5, found 3"),
            ("[0,0,0,27]", "[0,0,0,26]", "depth 3: sequences that end here: expected 26, found 27"),
        ] {
            assert_eq!(told(from, to), expected, "{from} -> {to}");
        }
    }

    #[test]
    fn what_is_no_trace_is_refused() {
        let error = Trace::read("{}").expect_err("fields are missing");
        assert!(error.starts_with("not a trace: missing field"), "{error}");
        let error = Trace::read(&trace().replacen(trace::FORMAT, "other", 1)).expect_err("another format");
        assert_eq!(error, "not a trace: the format is `other`, not `ggp-oracle-trace-1`");
    }

    #[test]
    fn hashes_are_those_of_the_format() {
        assert_eq!(hash16::<&str>(&[]), "e3b0c44298fc1c14");
    }
}
