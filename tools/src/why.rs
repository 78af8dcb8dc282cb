//! Explanations of atoms for `gdl why`: the reason why an atom holds at a position or not.
//!
//! A [`Position`] is read from a text: the start, a state, moves from the start, or a file of `gdl
//! play` or of a match recorder. The evaluator explains an atom there by the rules
//! ([`Explanation`]). A fluent is explained by the step to the position, as an atom of `next` or
//! `init`.

mod page;

pub use page::Page;

use crate::{
    error::{Error, Result},
    parse::did_you_mean,
    saved,
};
use gdl_compiler::{
    Rules, Source, Span,
    eval::{EvalError, Evaluator, Explanation, Literal, Reason, State, Term},
};
use gdl_format::term;
use serde_json::{Value, json};
use std::path::Path;

/// A position of a play.
#[derive(Clone, Debug)]
pub struct Position {
    /// The fluents that hold.
    pub state: State,
    /// The number of joint moves from the initial state, if known.
    pub depth: Option<usize>,
    /// The previous state and the joint move made there, if known.
    before: Option<(State, Vec<Term>)>,
    /// The joint move to be made, for queries of its results.
    making: Option<Vec<Term>>,
}

impl Position {
    /// Reads a position: `start`, `((FLUENT) ..)`, `after (MOVE ..) ..` with the moves of all roles
    /// in role order, `FILE`, or `FILE@N`. The last two are the end of a play and its position
    /// after N joint moves.
    ///
    /// # Errors
    /// Returns an error if the text has another form, a file cannot be read, or a move is not
    /// legal.
    pub fn read(text: &str, evaluator: &Evaluator<'_>) -> Result<Self> {
        let text = text.trim();
        if text == "start" {
            return Self::after(evaluator, &[], 0);
        }
        if text.starts_with('(') {
            return Self::of(evaluator, text);
        }
        if let Some(moves) = text.strip_prefix("after").filter(|rest| rest.trim_start().starts_with('(')) {
            let list = format!("({moves})");
            let joints = term::items(&list);
            let joints: Option<Vec<Vec<String>>> =
                joints.and_then(|joints| joints.into_iter().map(joint).collect());
            let joints = joints.ok_or_else(|| {
                Error::Input(
                    "the moves are not lists with a move of each role: `after (a noop) (noop b)`".to_owned(),
                )
            })?;
            return Self::after(evaluator, &joints, joints.len());
        }
        let (path, depth) =
            match text.rsplit_once('@').and_then(|(path, depth)| Some((path, depth.parse().ok()?))) {
                Some((path, depth)) => (path, Some(depth)),
                None => (text, None),
            };
        if !Path::new(path).exists() {
            return Err(Error::Input(format!(
                "there is no file {path}\n  = help: other positions are `start`, `((FLUENT) ..)` and `after \
                 (MOVE ..) ..`"
            )));
        }
        let moves = saved::joint_moves(Path::new(path))?;
        let depth = depth.unwrap_or(moves.len());
        if depth > moves.len() {
            return Err(Error::Input(format!(
                "{path} has {} joint moves, so there is no position after {depth}",
                moves.len()
            )));
        }
        Self::after(evaluator, &moves, depth)
    }

    /// Returns the initial position.
    ///
    /// # Errors
    /// Returns an error if the rules exceed a limit of the evaluator.
    pub fn start(evaluator: &Evaluator<'_>) -> Result<Self> {
        let state = evaluator.initial().map_err(|error| wrong("the start", &error))?;
        Ok(Self { state, depth: Some(0), before: None, making: None })
    }

    /// Reads a position from a list of fluents as KIF text, such as `((a 1) (b 2))`. It has no
    /// history.
    ///
    /// # Errors
    /// Returns an error if the text has another form.
    pub fn of(evaluator: &Evaluator<'_>, text: &str) -> Result<Self> {
        Ok(Self { state: state(text, evaluator)?, depth: None, before: None, making: None })
    }

    /// Adds the previous state, the joint move made there, and the number of joint moves from the
    /// initial state.
    ///
    /// # Errors
    /// Returns an error if a text is not a state or not a move.
    pub fn reached(
        self,
        before: &str,
        joint: &[String],
        depth: usize,
        evaluator: &Evaluator<'_>,
    ) -> Result<Self> {
        let made = joint.iter().map(|action| evaluator.term(action)).collect::<std::result::Result<_, _>>();
        let made = made.map_err(|error| wrong("the joint move", &error))?;
        Ok(Self { before: Some((state(before, evaluator)?, made)), depth: Some(depth), ..self })
    }

    /// Marks the position as the initial one.
    #[must_use]
    pub fn at_start(self) -> Self {
        Self { depth: Some(0), ..self }
    }

    /// Makes a joint move, with a move of each role, and returns the next position.
    ///
    /// # Errors
    /// Returns an error if a move is not legal, or the rules exceed a limit of the evaluator.
    pub fn step(self, evaluator: &Evaluator<'_>, texts: &[String]) -> Result<Self> {
        let made = self.joint(evaluator, texts).map_err(Error::Input)?;
        let next = evaluator.next(&self.state, &made).map_err(|error| Error::Input(error.to_string()))?;
        let depth = self.depth.map(|depth| depth + 1);
        Ok(Self { state: next, depth, before: Some((self.state, made)), making: None })
    }

    /// Returns the position after `depth` of the joint moves, with the next one as the move to be
    /// made.
    fn after(evaluator: &Evaluator<'_>, moves: &[Vec<String>], depth: usize) -> Result<Self> {
        let mut position = Self::start(evaluator)?;
        for (number, joint) in moves.iter().take(depth + 1).enumerate() {
            let numbered = |error: Error| match error {
                Error::Input(message) => Error::Input(format!("joint move {}: {message}", number + 1)),
                other => other,
            };
            if number == depth {
                position.making =
                    Some(position.joint(evaluator, joint).map_err(Error::Input).map_err(numbered)?);
                break;
            }
            position = position.step(evaluator, joint).map_err(numbered)?;
        }
        Ok(position)
    }

    /// Parses a joint move that is legal in this position.
    fn joint(&self, evaluator: &Evaluator<'_>, texts: &[String]) -> std::result::Result<Vec<Term>, String> {
        let roles = evaluator.roles();
        if texts.len() != roles.len() {
            return Err(format!("{} moves for {} roles", texts.len(), roles.len()));
        }
        let mut joint = Vec::new();
        for (number, (text, role)) in texts.iter().zip(roles).enumerate() {
            let action = evaluator.term(text).map_err(|error| error.to_string())?;
            let legal = evaluator.legal(&self.state, number).map_err(|error| error.to_string())?;
            if !legal.contains(&action) {
                // The texts may be the name and the arguments of a single move.
                let one = format!("({})", texts.join(" "));
                if evaluator.term(&one).is_ok_and(|one| legal.contains(&one)) {
                    return Err(format!("a joint move is a list of the moves of all roles: `({one} ..)`"));
                }
                return Err(format!(
                    "`{action}` is not legal for `{role}`; ask why: `(legal {role} {action})`"
                ));
            }
            joint.push(action);
        }
        Ok(joint)
    }

    /// Sets the joint move to be made, as `(MOVE ..)` with the moves of all roles, for queries of
    /// its results.
    ///
    /// # Errors
    /// Returns an error if the move is not legal.
    pub fn making(self, evaluator: &Evaluator<'_>, text: &str) -> Result<Self> {
        let texts = joint(text.trim())
            .ok_or_else(|| Error::Input(format!("`{text}` is not a list with a move of each role")))?;
        self.making_all(evaluator, &texts)
    }

    /// Sets the joint move to be made, with a move of each role.
    ///
    /// # Errors
    /// Returns an error if the move is not legal.
    pub fn making_all(self, evaluator: &Evaluator<'_>, texts: &[String]) -> Result<Self> {
        let making = Some(self.joint(evaluator, texts).map_err(Error::Input)?);
        Ok(Self { making, ..self })
    }

    /// Explains why an atom holds in this position or not, `depth` rules deep. The outer
    /// parentheses of the atom may be left out.
    ///
    /// # Errors
    /// Returns an error if the text is not a ground atom of the rules, if the atom needs a joint
    /// move and none is set, or if evaluation exceeds its limits.
    pub fn ask(
        &self,
        rules: &Rules,
        evaluator: &Evaluator<'_>,
        atom: &str,
        depth: usize,
    ) -> Result<Explanation> {
        let atom = term::normalise(atom);
        let is_bare = !atom.starts_with('(') && atom.contains(' ');
        let atom = if is_bare { format!("({atom})") } else { atom };
        let parts = term::parts(&atom);
        let head = parts.first().copied().unwrap_or_default();
        let is = |name: &str| head.eq_ignore_ascii_case(name);
        // A state does not explain its fluents, but the step that led to it does.
        if let (true, [_, fluent]) = (is("true"), &parts[..]) {
            let asked = match (&self.before, self.depth) {
                (Some((state, joint)), _) => Some((format!("(next {fluent})"), state, Some(&joint[..]))),
                (None, Some(_)) => Some((format!("(init {fluent})"), &self.state, None)),
                (None, None) => None,
            };
            if let Some((atom, state, joint)) = asked {
                return explain(rules, evaluator, &atom, state, joint, depth);
            }
        }
        if self.making.is_none() && (is("next") || is("sees") || is("does")) {
            return Err(Error::Input(format!(
                "`{head}` is about a joint move: give one, such as `--making '(MOVE ..)'`"
            )));
        }
        explain(rules, evaluator, &atom, &self.state, self.making.as_deref(), depth)
    }
}

/// Parses a state.
fn state(text: &str, evaluator: &Evaluator<'_>) -> Result<State> {
    let items = term::items(text)
        .ok_or_else(|| Error::Input("the state is not one list of fluents: `((a 1) (b 2))`".to_owned()))?;
    let state = items.iter().map(|item| evaluator.term(item)).collect::<std::result::Result<_, _>>();
    state.map_err(|error| wrong("the state", &error))
}

fn explain(
    rules: &Rules,
    evaluator: &Evaluator<'_>,
    atom: &str,
    state: &State,
    joint: Option<&[Term]>,
    depth: usize,
) -> Result<Explanation> {
    evaluator.explain(atom, state, joint, depth).map_err(|error| match (unknown(rules, atom), error) {
        (Some((word, near)), EvalError::NotATerm { .. }) => {
            Error::Input(format!("`{word}` is not a word of these rules{near}"))
        }
        (_, error) => Error::Input(error.to_string()),
    })
}

/// Returns the first word that the rules do not use, and a hint at a similar word.
fn unknown<'t>(rules: &Rules, atom: &'t str) -> Option<(&'t str, String)> {
    let mut words = atom.split(|letter: char| letter.is_whitespace() || "()".contains(letter));
    let word = words.find(|word| !word.is_empty() && rules.symbols.find(word).is_none())?;
    Some((word, did_you_mean(word, rules.symbols.iter())))
}

/// Splits a list into the texts of its items.
fn joint(text: &str) -> Option<Vec<String>> {
    term::items(text).map(|items| items.into_iter().map(str::to_owned).collect())
}

fn wrong(what: &str, error: &EvalError) -> Error {
    Error::Input(format!("{what}: {error}"))
}

/// Returns an explanation as JSON: `atom`, `holds`, and at most one of the following.
///
/// - `given` (true): a fluent of the state or a move made;
/// - `by`: the rule that derives it, with its `premises`;
/// - `attempts`: the rules that might derive it, each with the literals that `held` and the first
///   one that `fails`;
/// - `deeper` (true): it needs a query of its own.
///
/// Rules have `line` and `column`. Literals have `text`, `line`, `column` and, if they have an
/// atom, `why`: an object like this one.
#[must_use]
pub fn to_json(explanation: &Explanation, rules: &Rules, source: &Source) -> Value {
    let placed = |span: Span, mut object: Value| {
        let at = source.position(span.start);
        object["line"] = json!(at.line);
        object["column"] = json!(at.column);
        object
    };
    let literal = |literal: &Literal| {
        let mut object = placed(literal.span, json!({ "text": literal.text }));
        if let Some(why) = &literal.why {
            object["why"] = to_json(why, rules, source);
        }
        object
    };
    let mut object = json!({ "atom": explanation.atom, "holds": explanation.holds });
    match &explanation.reason {
        Reason::Given => object["given"] = json!(true),
        Reason::Deeper => object["deeper"] = json!(true),
        Reason::Rule { rule, premises } => {
            let premises: Vec<Value> = premises.iter().map(literal).collect();
            object["by"] = placed(rules.rules[*rule].head.span, json!({ "premises": premises }));
        }
        Reason::None(attempts) => {
            let attempts = attempts.iter().map(|attempt| {
                let object = json!({ "held": attempt.held, "fails": literal(&attempt.fails) });
                placed(rules.rules[attempt.rule].head.span, object)
            });
            object["attempts"] = attempts.collect();
        }
    }
    object
}
