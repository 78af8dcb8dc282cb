//! The coverage of rules by play: the rules that fire, the moves that become legal and the fluents
//! that come true. The others are [`Dead`].
//!
//! A [`Seen`] is a witness of random games. It also receives the matches of searches, which reach
//! states that random games do not. It accumulates states and views by bitwise OR. Finding the
//! rules that fire takes O(literals) steps for each position. So this is done only for the first
//! random games and the first matches: for as many of each as `LITERALS` allows, but at least one.

use crate::{states::States, witness::Witness};
use gdl_compiler::{Compilation, Source, Span, ground::GroundRules, propnet::Signal};
use gdl_runtime::{
    Dynamic, Game, GameExt,
    dynamic::{FluentId, MoveId, RoleId},
    game::Id,
};
use serde_json::{Value, json};

/// The limit on the literals of ground rules that are evaluated.
const LITERALS: f64 = 2e7;

/// The greatest number of dead items that are listed by name, for each kind of item.
const LISTED: usize = 20;

/// The greatest length of a rule's head in reports, in characters.
const WIDTH: usize = 60;

/// The rules, moves and fluents that play has used so far.
#[derive(Debug)]
pub struct Seen<'g> {
    game: &'g Dynamic,
    ground: &'g GroundRules,
    /// The union of all states: the fluents that held.
    held: <Dynamic as Game>::State,
    /// The union of the views of all states that are not terminal.
    legal: <Dynamic as Game>::View,
    /// For each ground rule, true if it fired in the games and matches for which rules are
    /// evaluated.
    fired: Vec<bool>,
    /// The number of random games, and of matches, for which rules are evaluated.
    games: u64,
    matches: u64,
    /// The terminal states of random games.
    ends: States,
}

impl<'g> Seen<'g> {
    /// Creates an empty coverage, for games of about `length` joint moves.
    #[must_use]
    pub fn new(game: &'g Dynamic, ground: &'g GroundRules, length: f64) -> Self {
        #[allow(clippy::cast_sign_loss, reason = "it is positive, and casts of floats saturate")]
        let games = (LITERALS / ((1.0 + length) * (1 + ground.literals()) as f64)) as u64;
        Self {
            game,
            ground,
            held: game.new_state(),
            legal: game.new_view(),
            fired: vec![false; ground.silent().len()],
            games: games.max(1),
            matches: 0,
            ends: States::default(),
        }
    }

    /// Adds a match, given by its joint moves from the initial state.
    pub fn follow(&mut self, joints: &[Vec<MoveId>]) {
        let game = self.game;
        let mut state = game.initial();
        let mut view = game.new_view();
        for joint in joints.iter().map(Some).chain([None]) {
            game.observe_without_goals(&state, &mut view);
            self.look(&state, &view, joint.map(|joint| &joint[..]), self.matches < self.games);
            if let Some(joint) = joint {
                game.advance(&mut state, joint);
            }
        }
        self.matches += 1;
    }

    /// Adds a position. If `fires`, also marks the rules that fire there.
    fn look(
        &mut self,
        state: &<Dynamic as Game>::State,
        view: &<Dynamic as Game>::View,
        joint: Option<&[MoveId]>,
        fires: bool,
    ) {
        join(self.held.as_mut(), state.as_ref());
        if !self.game.is_terminal_in(view) {
            join(self.legal.as_mut(), view.as_ref());
        }
        if fires {
            let holds = |fluent: u32| self.game.holds(state, FluentId::from_index(fluent as usize));
            let joint: Vec<u32> = joint.unwrap_or(&[]).iter().map(|action| action.index() as u32).collect();
            self.ground.mark_fired(&self.ground.truths_of_step(&holds, &joint), &mut self.fired);
        }
    }

    /// Returns the number of terminal states that random games visited, and how many of them are
    /// distinct.
    #[must_use]
    pub fn ends(&self) -> [f64; 2] {
        [self.ends.visited() as f64, self.ends.estimate().distinct]
    }

    /// Returns the rules, moves and fluents that play did not use.
    #[must_use]
    pub fn dead(&self, compilation: &Compilation, source: &Source) -> Dead {
        Dead {
            rules: self.rules(compilation, source),
            moves: self.moves(compilation),
            fluents: self.fluents(compilation),
        }
    }

    /// Returns the group of the rules about states and moves. Static rules are excluded: grounding
    /// evaluates them.
    fn rules(&self, compilation: &Compilation, source: &Source) -> Group {
        let (instances, silent) = (self.ground.with_instances(), self.ground.silent());
        let mut group = Group::default();
        for (number, rule) in compilation.rules.rules.iter().enumerate() {
            if instances[number] || silent[number] {
                group.add(self.fired[number], || Idle {
                    text: head(source, rule.head.span),
                    place: Some(source.position(rule.span.start)).map(|place| [place.line, place.column]),
                    is_proved: silent[number],
                });
            }
        }
        group
    }

    /// Returns the group of the moves that occur in the rules, role by role.
    fn moves(&self, compilation: &Compilation) -> Group {
        let (ground, legal) = (self.ground, &compilation.net.outputs.legal);
        let mut group = Group::default();
        for &(role, action) in &ground.does {
            let ids = (RoleId::from_index(role as usize), MoveId::from_index(action as usize));
            group.add(self.game.is_legal_in(&self.legal, ids.0, ids.1), || Idle {
                text: format!("{} {}", self.game.role_text(ids.0), self.game.move_text(ids.1)),
                place: None,
                is_proved: !legal[role as usize]
                    .iter()
                    .any(|&(a, signal)| a == action && signal != Signal::FALSE),
            });
        }
        group
    }

    fn fluents(&self, compilation: &Compilation) -> Group {
        let (ground, next) = (self.ground, &compilation.net.outputs.next);
        let mut group = Group::default();
        for fluent in 0..next.len() {
            let id = FluentId::from_index(fluent);
            group.add(self.game.holds(&self.held, id), || Idle {
                text: self.game.fluent_text(id).to_owned(),
                place: None,
                is_proved: !ground.initial[fluent] && next[fluent] == Signal::FALSE,
            });
        }
        group
    }
}

impl Witness for Seen<'_> {
    fn see(
        &mut self,
        number: u64,
        state: &<Dynamic as Game>::State,
        view: &<Dynamic as Game>::View,
        joint: Option<&[MoveId]>,
    ) {
        if self.game.is_terminal_in(view) {
            self.ends.visit(state.as_ref());
        }
        self.look(state, view, joint, number < self.games);
    }

    fn merge(&mut self, other: Self) {
        join(self.held.as_mut(), other.held.as_ref());
        join(self.legal.as_mut(), other.legal.as_ref());
        self.fired.iter_mut().zip(&other.fired).for_each(|(fired, other)| *fired |= other);
        self.ends.merge(other.ends);
        self.matches += other.matches;
    }
}

fn join(bits: &mut [u64], others: &[u64]) {
    bits.iter_mut().zip(others).for_each(|(word, other)| *word |= other);
}

/// Returns the source text of a rule's head, on one line.
fn head(source: &Source, span: Span) -> String {
    let text = source.text().get(span.start as usize..span.end as usize).unwrap_or_default();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= WIDTH {
        return line;
    }
    line.chars().take(WIDTH - 1).chain(['…']).collect()
}

/// The rules, moves and fluents that play did not use.
#[derive(Clone, Debug)]
pub struct Dead {
    /// Rules that never fired.
    pub rules: Group,
    /// Moves that were never legal.
    pub moves: Group,
    /// Fluents that never held.
    pub fluents: Group,
}

/// The number of all items of one kind, and the dead ones among them.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// The number of all items.
    pub of: usize,
    /// The number of dead items.
    pub count: usize,
    /// The first dead items.
    pub list: Vec<Idle>,
}

/// A dead rule, move or fluent.
#[derive(Clone, Debug)]
pub struct Idle {
    /// The head of the rule, the role and move, or the fluent.
    pub text: String,
    /// The line and column of the rule.
    pub place: Option<[usize; 2]>,
    /// True if it is proved dead; otherwise play merely did not use it.
    pub is_proved: bool,
}

impl Group {
    fn add(&mut self, is_used: bool, idle: impl FnOnce() -> Idle) {
        self.of += 1;
        self.count += usize::from(!is_used);
        if !is_used && self.list.len() < LISTED {
            self.list.push(idle());
        }
    }

    fn to_json(&self) -> Value {
        let idle = |idle: &Idle| {
            let [line, column] = idle.place.map_or([None; 2], |place| place.map(Some));
            let mut object = json!({ "text": idle.text, "proved": idle.is_proved });
            if idle.place.is_some() {
                (object["line"], object["column"]) = (json!(line), json!(column));
            }
            object
        };
        json!({ "of": self.of, "count": self.count, "list": self.list.iter().map(idle).collect::<Vec<_>>() })
    }
}

impl Dead {
    /// Returns the coverage: the share of the rules about states and moves that fire.
    #[must_use]
    pub fn coverage(&self) -> f64 {
        1.0 - self.rules.count as f64 / self.rules.of.max(1) as f64
    }

    /// Returns the JSON object of `coverage`, `rules`, `moves` and `fluents`. Each group has the
    /// number `of` all items, the `count` of dead ones, and a `list` of the first ones.
    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({
            "coverage": self.coverage(),
            "rules": self.rules.to_json(),
            "moves": self.moves.to_json(),
            "fluents": self.fluents.to_json(),
        })
    }
}
