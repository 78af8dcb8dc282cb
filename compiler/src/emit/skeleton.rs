//! The skeleton of a game: the module of a rulesheet with errors.
//!
//! The parts that could be parsed become a module with the known types and functions of a correct
//! rulesheet. So the user sees only the errors of the rulesheet. The module compiles but cannot
//! run.

use super::{
    names::{self, Hints},
    parts::{self, Bodies, Frame, missing},
};
use crate::{
    Source,
    syntax::{Kind, NodeId, Tree},
};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

/// The maximum number of names of each kind; a skeleton need not be complete, since it is never
/// run.
const MOST: usize = 1_000;

/// The likely names of a faulty rulesheet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guess {
    /// The roles, in the order of the text.
    pub roles: Vec<String>,
    /// The likely moves, one text for each head and number of arguments.
    pub moves: Vec<String>,
    /// The likely fluents, one text for each head and number of arguments.
    pub fluents: Vec<String>,
    /// The likely percepts, one text for each head and number of arguments; `None` if no rule has
    /// `sees`.
    pub percepts: Option<Vec<String>>,
}

impl Guess {
    /// Collects the names of a tree: roles from `role` facts, moves from `legal`, `input` and
    /// `does`, fluents from `init`, `next`, `base` and `true`, percepts from `sees`. Nested forms
    /// are included at any depth.
    #[must_use]
    pub fn new(tree: &Tree, source: &Source) -> Self {
        let mut roles: Vec<String> = Vec::new();
        let (mut moves, mut fluents) = (BTreeSet::new(), BTreeSet::new());
        let mut percepts: Option<BTreeSet<String>> = None;
        let mut stack: Vec<NodeId> = tree.forms.iter().rev().copied().collect();
        while let Some(form) = stack.pop() {
            let children = tree.children(form);
            stack.extend(children.iter().rev());
            let Some(&head) = children.first() else { continue };
            match (tree.text(head, source).to_ascii_lowercase().as_str(), children) {
                ("role", &[_, role]) if tree.node(role).kind == Kind::Symbol => {
                    let role = tree.text(role, source).to_owned();
                    if roles.len() < MOST && !roles.contains(&role) {
                        roles.push(role);
                    }
                }
                ("legal" | "input" | "does", &[_, _, action]) => {
                    moves.extend(outline(tree, source, action));
                }
                ("init" | "next" | "base" | "true", &[_, fluent]) => {
                    fluents.extend(outline(tree, source, fluent));
                }
                ("sees", &[_, _, percept]) => {
                    percepts.get_or_insert_default().extend(outline(tree, source, percept));
                }
                _ => {}
            }
        }
        let few = |set: BTreeSet<String>| set.into_iter().take(MOST).collect();
        Self { roles, moves: few(moves), fluents: few(fluents), percepts: percepts.map(few) }
    }
}

/// Returns a name with placeholders for its arguments, such as `(mark _ _)`. Returns `None` for
/// variables.
fn outline(tree: &Tree, source: &Source, node: NodeId) -> Option<String> {
    match (&tree.node(node).kind, tree.children(node)) {
        (Kind::Symbol, _) => Some(tree.text(node, source).to_owned()),
        (Kind::List(_), [head]) if tree.node(*head).kind == Kind::Symbol => {
            Some(tree.text(*head, source).to_owned())
        }
        (Kind::List(_), [head, arguments @ ..]) if tree.node(*head).kind == Kind::Symbol => {
            Some(format!("({}{})", tree.text(*head, source), " _".repeat(arguments.len())))
        }
        _ => None,
    }
}

/// Emits the module of a faulty rulesheet.
#[must_use]
pub fn skeleton(guess: &Guess, frame: &Frame) -> TokenStream {
    let game = frame.game();
    let none = Hints::default();
    let moves = names::name(guess.moves.iter().map(String::as_str), &none);
    let fluents = names::name(guess.fluents.iter().map(String::as_str), &none);
    let roles = parts::roles(&guess.roles, Bodies::Missing);
    let moves = parts::ids("Move", "A move.", "moves", &moves, guess.moves.len(), Bodies::Missing);
    let fluents =
        parts::ids("Fluent", "A fluent.", "fluents", &fluents, guess.fluents.len(), Bodies::Missing);
    let percepts = guess.percepts.as_ref().map(|texts| names::name(texts.iter().map(String::as_str), &none));
    let count = guess.percepts.as_ref().map_or(0, Vec::len);
    let percepts = parts::percepts(percepts.as_ref(), count, Bodies::Missing);
    let missing = missing();
    let items = quote! {
        #[doc = "The game, whose rulesheet has errors."]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct #game;

        #[doc = "The game."]
        #[must_use]
        pub const fn game() -> #game {
            #game
        }

        #[doc = "A state."]
        pub type State = __gdl::Bits<1>;

        #[doc = "What is seen of a position."]
        pub type View = __gdl::Bits<1>;

        #roles
        #moves
        #fluents
        #percepts

        impl __gdl::Game for #game {
            type State = State;
            type View = View;
            type Role = Role;
            type Move = Move;
            type Fluent = Fluent;
            type Percept = Percept;

            fn vocabulary(&self) -> &__gdl::Vocabulary {
                #missing
            }

            fn shape(&self) -> __gdl::Shape {
                #missing
            }

            fn new_state(&self) -> State {
                #missing
            }

            fn new_view(&self) -> View {
                #missing
            }

            fn initial(&self) -> State {
                #missing
            }

            fn observe(&self, _: &State, _: &mut View) {
                #missing
            }

            fn advance(&self, _: &mut State, _: &[Move]) {
                #missing
            }
        }
    };
    frame.module(&["A game whose rulesheet has errors.".to_owned()], &items)
}
