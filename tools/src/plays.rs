//! Tests of a rulesheet: plays with expectations, and matches that were recorded.
//!
//! A file of plays has a `(test NAME STEP ..)` for each test, in KIF. A test begins in the initial
//! state; its steps are
//!
//! - `(moves M ..)`: a joint move, with a move of each role in role order, which must be legal;
//! - `(does R M)`: the move of one role, if every other role has a single legal move;
//! - `(state F ..)`: continues from the state in which these fluents hold;
//! - an atom such as `(legal white (mark 1 1))`, `(true (cell 1 1 b))`, `terminal` or
//!   `(goal white 100)`, which must hold, or `(not ATOM)`;
//! - `(perft N ..)`: the numbers of sequences of one, two, three joint moves, and so on.
//!
//! The evaluator executes the rules, so a failed test comes with the reason ([`Explanation`]).
//! Sequences are counted by the game's engine. A test ends with the first step that fails. A file
//! is read as a whole before any test runs, and a syntax error has its position.
//!
//! A play of people becomes a test by [`recorded`]. [`Judge`] checks a recorded match in the form
//! of ggp-base: every move must be legal, and states and goals must be as recorded.

use crate::{
    error::{Error, Result},
    output::counted,
    play::outcome::Outcome,
    report,
};
use gdl_compiler::{
    Diagnostics, Options, Source, Span,
    eval::{EvalError, Evaluator, Explanation, Reason, State, Term},
    syntax::{self, Kind, NodeId, Syntax, Tree},
};
use gdl_format::term;
use gdl_players::record::Record;
use gdl_runtime::{Dynamic, Game, GameExt, History, history::Place};
use std::{
    cell::OnceCell,
    fmt::{self, Write},
};

/// The depth of the explanation of a failure, in rules.
const DEPTH: usize = 3;

/// The greatest depth of a `perft` step.
const DEEPEST: usize = 100;

/// The most `legal` atoms in the test of a recorded play.
const MOST_LEGAL: usize = 100;

/// A test.
#[derive(Clone, Debug)]
pub struct Test {
    /// The name of the test.
    pub name: String,
    steps: Vec<(Span, TestStep)>,
}

#[derive(Clone, Debug)]
enum TestStep {
    Moves(Vec<String>),
    Does(String, String),
    State(String),
    Holds(String, bool),
    Perft(Vec<u128>),
}

/// The failure of a test.
#[derive(Clone, Debug)]
pub struct TestFailure {
    /// The place of the step that failed, if the test is a text.
    pub span: Option<Span>,
    /// The message, for example "`terminal` does not hold".
    pub message: String,
    /// The explanation by the rules, if there is one.
    pub why: Option<Box<Explanation>>,
}

/// A callback that counts joint move sequences of lengths 1 to a depth. The state is KIF text. The
/// inner error is the first limit that an evaluation exceeded.
pub type Counter<'a> = dyn FnMut(&str, usize) -> Result<std::result::Result<Vec<u128>, String>> + 'a;

/// Reads a file of plays.
///
/// # Errors
/// Returns an error if the file is faulty, after printing the diagnostics on stderr.
pub fn read(source: &Source, options: &Options) -> Result<Vec<Test>> {
    let mut diagnostics = Diagnostics::default();
    // Plays are in KIF, whatever the syntax of their rulesheet.
    let options = Options { syntax: Some(Syntax::Kif), ..options.clone() };
    let tree = syntax::parse(source, &options, &mut diagnostics);
    diagnostics.sort();
    report::show(&diagnostics, source);
    if diagnostics.has_errors() {
        return Err(Error::Reported);
    }
    let reader = PlayReader { tree: &tree, source };
    tree.forms.iter().map(|&form| reader.test(form)).collect()
}

/// A parser of the forms in a file.
struct PlayReader<'a> {
    tree: &'a Tree,
    source: &'a Source,
}

impl PlayReader<'_> {
    fn test(&self, form: NodeId) -> Result<Test> {
        match self.tree.children(form) {
            [head, name, steps @ ..]
                if self.is(*head, "test") && self.tree.node(*name).kind == Kind::Symbol =>
            {
                let steps = steps.iter().map(|&step| Ok((self.tree.node(step).span, self.step(step)?)));
                Ok(Test { name: self.text(*name), steps: steps.collect::<Result<_>>()? })
            }
            _ => Err(self.fault(form, "this is not a test", "write `(test NAME STEP ..)`")),
        }
    }

    fn step(&self, node: NodeId) -> Result<TestStep> {
        let children = self.tree.children(node);
        let texts = |nodes: &[NodeId]| nodes.iter().map(|&node| self.text(node)).collect::<Vec<_>>();
        Ok(match children {
            [head, moves @ ..] if self.is(*head, "moves") => TestStep::Moves(texts(moves)),
            [head, role, action] if self.is(*head, "does") => {
                TestStep::Does(self.text(*role), self.text(*action))
            }
            [head, ..] if self.is(*head, "does") => {
                return Err(self.fault(
                    node,
                    "`does` takes a role and its move",
                    "write `(does white (mark 1 1))`",
                ));
            }
            [head, fluents @ ..] if self.is(*head, "state") => {
                TestStep::State(format!("({})", texts(fluents).join(" ")))
            }
            [head, counts @ ..] if self.is(*head, "perft") => {
                let counts: Option<Vec<u128>> =
                    texts(counts).iter().map(|count| count.parse().ok()).collect();
                match counts.filter(|counts| (1..=DEEPEST).contains(&counts.len())) {
                    Some(counts) => TestStep::Perft(counts),
                    None => {
                        return Err(self.fault(
                            node,
                            "`perft` takes counts, that of one joint move first",
                            "write `(perft 9 72 504)`",
                        ));
                    }
                }
            }
            [head, atom] if self.is(*head, "not") => TestStep::Holds(self.text(*atom), false),
            [head, ..] if self.is(*head, "not") => {
                return Err(self.fault(node, "`not` takes one atom", "write `(not terminal)`"));
            }
            _ => TestStep::Holds(self.text(node), true),
        })
    }

    fn is(&self, node: NodeId, word: &str) -> bool {
        self.tree.node(node).kind == Kind::Symbol
            && self.tree.text(node, self.source).eq_ignore_ascii_case(word)
    }

    /// Returns a form as KIF text, without comments.
    fn text(&self, node: NodeId) -> String {
        if matches!(self.tree.node(node).kind, Kind::Symbol | Kind::Variable) {
            return self.tree.text(node, self.source).to_owned();
        }
        let children: Vec<String> = self.tree.children(node).iter().map(|&child| self.text(child)).collect();
        format!("({})", children.join(" "))
    }

    fn fault(&self, node: NodeId, message: &str, help: &str) -> Error {
        let at = self.source.position(self.tree.node(node).span.start);
        Error::Input(format!("{}:{}:{}: {message}\n  = help: {help}", self.source.name(), at.line, at.column))
    }
}

/// Runs a test. Returns its failure, if any.
///
/// # Errors
/// Returns an error if sequences cannot be counted. A failed test is not an error.
pub fn run(evaluator: &Evaluator<'_>, test: &Test, count: &mut Counter<'_>) -> Result<Option<TestFailure>> {
    let mut state = match evaluator.initial() {
        Ok(state) => state,
        Err(error) => return Ok(Some(TestFailure { span: None, message: error.to_string(), why: None })),
    };
    let mut last = None;
    for (span, step) in &test.steps {
        let failed = |failure: TestFailure| Some(TestFailure { span: Some(*span), ..failure });
        if let TestStep::Perft(expected) = step {
            let counts = match count(&kif(&state), expected.len())? {
                Ok(counts) => counts,
                Err(excess) => {
                    return Ok(failed(plain(format!("evaluations were abandoned: the first {excess}"))));
                }
            };
            if counts != *expected {
                let row = |counts: &[u128]| counts.iter().map(u128::to_string).collect::<Vec<_>>().join(" ");
                let message = format!("expected {}, counted {}", row(expected), row(&counts));
                return Ok(failed(TestFailure { span: None, message, why: None }));
            }
        } else if let Err(failure) = follow(evaluator, &mut state, &mut last, step) {
            return Ok(failed(failure));
        }
    }
    Ok(None)
}

fn plain(message: String) -> TestFailure {
    TestFailure { span: None, message, why: None }
}

#[allow(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn wrong(error: EvalError) -> TestFailure {
    plain(error.to_string())
}

/// The last joint move of a play and the state before it; `None` in the initial state.
type Last = Option<(State, Vec<Term>)>;

/// Executes a step.
///
/// # Errors
/// Returns the failure of the step.
fn follow(
    evaluator: &Evaluator<'_>,
    state: &mut State,
    last: &mut Last,
    step: &TestStep,
) -> std::result::Result<(), TestFailure> {
    match step {
        TestStep::Moves(moves) => advance(evaluator, state, last, moves)?,
        TestStep::Does(role, action) => {
            let is_asked = |name: &Term| name.as_str().eq_ignore_ascii_case(role);
            if !evaluator.roles().iter().any(is_asked) {
                return Err(plain(format!("there is no role `{role}`")));
            }
            let mut moves = Vec::new();
            for (number, name) in evaluator.roles().iter().enumerate() {
                if is_asked(name) {
                    moves.push(action.clone());
                    continue;
                }
                match &evaluator.legal(state, number).map_err(wrong)?[..] {
                    [only] => moves.push(only.to_string()),
                    legal => {
                        let count = counted(legal.len(), "legal move");
                        let help = "write `(moves ..)` with a move of each role";
                        return Err(plain(format!("`{name}` has {count}: {help}")));
                    }
                }
            }
            advance(evaluator, state, last, &moves)?;
        }
        TestStep::State(text) => {
            let items = term::items(text).unwrap_or_default();
            *state = items
                .iter()
                .map(|item| evaluator.term(item))
                .collect::<std::result::Result<_, _>>()
                .map_err(wrong)?;
            *last = None;
        }
        TestStep::Holds(atom, expected) => {
            let explanation = evaluator.explain(atom, state, None, DEPTH).map_err(wrong)?;
            if explanation.holds != *expected {
                let verdict = if explanation.holds { "holds" } else { "does not hold" };
                let message = format!("`{}` {verdict}", explanation.atom);
                let why = lost(evaluator, last.as_ref(), atom).filter(|_| *expected).unwrap_or(explanation);
                return Err(TestFailure { span: None, message, why: Some(Box::new(why)) });
            }
        }
        TestStep::Perft(_) => {}
    }
    Ok(())
}

/// Returns why the last joint move did not make a fluent true. `None` unless the atom is `(true
/// FLUENT)`.
fn lost(evaluator: &Evaluator<'_>, last: Option<&(State, Vec<Term>)>, atom: &str) -> Option<Explanation> {
    let ((before, joint), items) = (last?, term::items(atom)?);
    match items[..] {
        [word, fluent] if word.eq_ignore_ascii_case("true") => {
            evaluator.explain(&format!("(next {fluent})"), before, Some(joint), DEPTH).ok()
        }
        _ => None,
    }
}

/// Makes a joint move, if it is legal.
fn advance(
    evaluator: &Evaluator<'_>,
    state: &mut State,
    last: &mut Last,
    moves: &[String],
) -> std::result::Result<(), TestFailure> {
    let (next, joint) = after(evaluator, state, moves)?;
    *last = Some((std::mem::replace(state, next), joint));
    Ok(())
}

/// Returns the successor of a state and the joint move as terms, if the move is legal.
fn after(
    evaluator: &Evaluator<'_>,
    state: &State,
    moves: &[String],
) -> std::result::Result<(State, Vec<Term>), TestFailure> {
    let roles = evaluator.roles();
    if moves.len() != roles.len() {
        return Err(plain(format!("{} for {}", counted(moves.len(), "move"), counted(roles.len(), "role"))));
    }
    let mut joint = Vec::new();
    for (role, action) in roles.iter().zip(moves) {
        let legal =
            evaluator.explain(&format!("(legal {role} {action})"), state, None, DEPTH).map_err(wrong)?;
        if !legal.holds {
            let message = format!("`{action}` is not legal for `{role}`");
            return Err(TestFailure { span: None, message, why: Some(Box::new(legal)) });
        }
        joint.push(evaluator.term(action).map_err(wrong)?);
    }
    Ok((evaluator.next(state, &joint).map_err(wrong)?, joint))
}

/// A judge of recorded matches. It uses the evaluator until `terminal` or `goal` exceed its limits,
/// and lifted evaluation for these two from then on.
pub struct Judge<'a> {
    evaluator: &'a Evaluator<'a>,
    lift: &'a dyn Fn() -> Result<Dynamic>,
    lifted: OnceCell<std::result::Result<Dynamic, String>>,
}

impl fmt::Debug for Judge<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judge").field("is_lifted", &self.is_lifted()).finish_non_exhaustive()
    }
}

impl<'a> Judge<'a> {
    /// Creates a judge. It calls `lift` for a game that is interpreted in each state, if the
    /// evaluator exceeds its limits.
    #[must_use]
    pub fn new(evaluator: &'a Evaluator<'a>, lift: &'a dyn Fn() -> Result<Dynamic>) -> Self {
        Self { evaluator, lift, lifted: OnceCell::new() }
    }

    /// Returns whether `terminal` and `goal` exceeded the evaluator's limits, so that lifted
    /// evaluation computes them.
    #[must_use]
    pub fn is_lifted(&self) -> bool {
        self.lifted.get().is_some()
    }

    /// Checks a recorded match: every move must be legal, only the last state may be terminal, and
    /// states and goals must be as recorded.
    ///
    /// # Errors
    /// Returns the first violation of the rules.
    pub fn follow(&self, record: &Record) -> std::result::Result<(), TestFailure> {
        let evaluator = self.evaluator;
        let mut state = evaluator.initial().map_err(wrong)?;
        for number in 0..=record.moves.len() {
            let at = |failure: TestFailure| {
                let message = format!("after {}: {}", counted(number, "joint move"), failure.message);
                TestFailure { message, ..failure }
            };
            if let Some(recorded) = record.states.get(number) {
                let items = term::items(recorded).unwrap_or_default();
                let recorded =
                    items.iter().map(|item| evaluator.term(item)).collect::<std::result::Result<State, _>>();
                let recorded = recorded.map_err(wrong).map_err(at)?;
                if let Some(difference) = difference(&state, &recorded) {
                    return Err(at(plain(difference)));
                }
            }
            if let Some(moves) = record.moves.get(number) {
                let is_over = || evaluator.terminal(&state);
                if self.ask(is_over, &state, GameExt::is_terminal).map_err(at)? {
                    return Err(at(plain("the match continues after its end".to_owned())));
                }
                state = after(evaluator, &state, moves).map_err(at)?.0;
            }
        }
        for (number, (role, value)) in evaluator.roles().iter().zip(&record.goal_values).enumerate() {
            let goals = || Ok(evaluator.goals(&state, number)?.iter().map(Term::to_string).collect());
            let lifted = |game: &Dynamic, state: &_| {
                let role = game.roles().nth(number);
                let goals = role.map_or_else(Vec::new, |role| game.goals(state, role));
                goals.iter().map(u8::to_string).collect()
            };
            let found: Vec<String> = self.ask(goals, &state, lifted)?;
            if !found.contains(&value.to_string()) {
                let found = if found.is_empty() { "none".to_owned() } else { found.join(" and ") };
                return Err(plain(format!("the goal of `{role}` is {found}, but {value} is recorded")));
            }
        }
        Ok(())
    }

    /// Queries the evaluator. If that exceeds its limits, queries lifted evaluation instead.
    fn ask<T>(
        &self,
        evaluator: impl FnOnce() -> std::result::Result<T, EvalError>,
        state: &State,
        lifted: impl FnOnce(&Dynamic, &<Dynamic as Game>::State) -> T,
    ) -> std::result::Result<T, TestFailure> {
        if !self.is_lifted() {
            match evaluator() {
                Err(
                    EvalError::Fuel { .. }
                    | EvalError::TermDepth { .. }
                    | EvalError::TermSize { .. }
                    | EvalError::Atoms { .. },
                ) => {}
                answer => return answer.map_err(wrong),
            }
        }
        let lift = || (self.lift)().map_err(|error| error.message().unwrap_or_default());
        let game = self.lifted.get_or_init(lift).as_ref().map_err(|error| plain(error.clone()))?;
        let position = game.parse_state(&kif(state)).map_err(|error| plain(error.to_string()))?;
        let answer = lifted(game, &position);
        game.failed_evaluations().map_or(Ok(answer), |(_, excess)| {
            Err(plain(format!("evaluations were abandoned: the first {excess}")))
        })
    }
}

/// Returns a state as KIF text.
fn kif(state: &State) -> String {
    let fluents: Vec<&str> = state.iter().map(Term::as_str).collect();
    format!("({})", fluents.join(" "))
}

/// Returns the fluents that only one of two states has.
fn difference(state: &State, recorded: &State) -> Option<String> {
    let mut text = String::new();
    for (here, there, verdict) in
        [(state, recorded, "is true and not recorded"), (recorded, state, "is recorded and not true")]
    {
        if let Some(fluent) = here.difference(there).next() {
            let others = here.difference(there).count() - 1;
            let more = if others > 0 { format!(", as {others} more") } else { String::new() };
            let joint = if text.is_empty() { "" } else { "; " };
            let _ = write!(text, "{joint}`{fluent}` {verdict}{more}");
        }
    }
    (!text.is_empty()).then_some(text)
}

/// Returns a test of a history up to its present state, in KIF: its moves, then facts about the
/// state.
///
/// In a terminal state the facts are the goals. Otherwise they are `(not terminal)` and the first
/// `MOST_LEGAL` legal moves. Returns `None` if the text has more than `most` bytes.
pub fn recorded<G: Game>(game: &G, history: &History<G>, most: usize) -> Option<String> {
    let here = history.state();
    let view = game.view(here);
    let is_over = game.is_terminal_in(&view);
    let outcome = if is_over { format!("{} ", Outcome::of(game, here).headline()) } else { String::new() };
    let name = format!("{outcome}after {}", counted(history.depth(), "move"));
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    let mut text = format!("(test {name}");
    let mut tell = |step: fmt::Arguments<'_>| {
        let _ = write!(text, "\n  {step}");
        (text.len() < most).then_some(())
    };
    let start = history.state_at(Place::START).filter(|start| **start != game.initial());
    if let Some(start) = start {
        let fluents: Vec<&str> = game.fluents(start).map(|fluent| game.fluent_text(fluent)).collect();
        tell(format_args!("(state {})", fluents.join(" ")))?;
    }
    for place in history.path().into_iter().skip(1) {
        let before = history.parent(place).and_then(|before| history.state_at(before))?;
        let joint = history.joint(place)?;
        let asked = game.to_play(before);
        let asked = game.roles().zip(joint).find(|(role, _)| Some(*role) == asked);
        // A step `does` is possible only if every other role has a single legal move. Chance may
        // have several.
        let asked =
            asked.filter(|(_, action)| game.joint(before, **action).is_ok_and(|whole| whole == joint));
        if let Some((role, &action)) = asked {
            tell(format_args!("(does {} {})", game.role_text(role), game.move_text(action)))?;
        } else {
            let moves: Vec<&str> = joint.iter().map(|&action| game.move_text(action)).collect();
            tell(format_args!("(moves {})", moves.join(" ")))?;
        }
    }
    if is_over {
        tell(format_args!("terminal"))?;
        for role in game.roles() {
            if let Some(goal) = game.goal_in(&view, role) {
                tell(format_args!("(goal {} {goal})", game.role_text(role)))?;
            }
        }
    } else {
        tell(format_args!("(not terminal)"))?;
        let legal = |role| game.legal_moves_in(&view, role).map(move |action| (role, action));
        for (role, action) in game.roles().flat_map(legal).take(MOST_LEGAL) {
            tell(format_args!("(legal {} {})", game.role_text(role), game.move_text(action)))?;
        }
    }
    text += ")\n";
    Some(text)
}

impl TestFailure {
    /// Returns the explanation if it adds to the message. It shows the rule that derives an atom
    /// wrongly, or the rules that fail to derive an expected atom.
    #[must_use]
    pub fn reason(&self) -> Option<&Explanation> {
        self.why.as_deref().filter(|why| !matches!(why.reason, Reason::Given | Reason::Deeper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{self, Way};
    use gdl_compiler::Limits;

    /// A game of one step. Its winner depends on pairs of pairs of four numbers: 256 of them.
    const RULES: &str =
        "(role a) (init start) (legal a stay) (legal a go) (number 1) (number 2) (number 3) (number 4)
        (<= (next start) (does a stay)) (<= (next (at 3 4)) (does a go))
        (<= (pair ?a ?b) (number ?a) (number ?b))
        (<= (step ?a ?b ?c ?d) (pair ?a ?b) (pair ?c ?d))
        (<= (way ?a ?b ?c ?d) (step ?a ?b ?c ?d))
        (<= (way ?a ?b ?e ?f) (way ?a ?b ?c ?d) (step ?c ?d ?e ?f))
        (<= terminal (not (true start)))
        (<= (goal a 100) (true (at ?a ?b)) (way 1 1 ?a ?b)) (<= (goal a 0) (true start))";

    fn record(moves: &[&str], goal: u8) -> Record {
        let moves = moves.iter().map(|action| vec![(*action).to_owned()]).collect();
        Record { moves, goal_values: vec![goal], ..Record::default() }
    }

    #[test]
    fn what_is_too_much_for_the_evaluator_is_judged_by_lifted_evaluation() {
        let source = || Source::new("rules", RULES);
        let rules = load::checked(source(), &load::quiet()).expect("rules");
        let lift = || load::play(source(), &load::quiet(), Some(Way::Lifted));
        let none = || Err(Error::Input("too much".to_owned()));
        let few = Limits { max_atoms: 200, ..Limits::default() };
        for (limits, is_lifted) in [(Limits::default(), false), (few, true)] {
            let evaluator = Evaluator::with_limits(&rules, &limits).expect("an evaluator");
            let judge = Judge::new(&evaluator, &lift);
            let found = |record| judge.follow(&record).err().map(|failure| failure.message);
            assert_eq!(found(record(&["stay", "go"], 100)), None);
            assert_eq!(judge.is_lifted(), is_lifted);
            for (moves, goal, message) in [
                (&["go"][..], 0, "the goal of `a` is 100, but 0 is recorded"),
                (&["stay"], 50, "the goal of `a` is 0, but 50 is recorded"),
                (&["fly"], 0, "after 0 joint moves: `(legal a fly)` is not a term"),
                (&["go", "stay"], 0, "after 1 joint move: the match continues after its end"),
            ] {
                let found = found(record(moves, goal)).unwrap_or_default();
                assert!(found.starts_with(message), "{found}");
            }
            let judge = Judge::new(&evaluator, &none);
            let found = judge.follow(&record(&["go"], 100)).err().map(|failure| failure.message);
            assert_eq!(found.as_deref(), is_lifted.then_some("too much"));
        }
    }
}
