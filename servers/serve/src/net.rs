//! The net of a session's game, for people who inspect it. A view shows the sizes, the true fluents
//! and outputs of a state, and a drawing with the values of the gates.
//!
//! The net is compiled once for each session, at the first request. Gates have three values: a gate
//! that depends on undecided moves is open.
//!
//! A session keeps the sizes, and the net if it has at most a given number of operations, inputs
//! and outputs. A view takes time in proportion to the literals. At most `MOST_FLUENTS` fluents and
//! as many relations are shown, and at most `MOST_OUTPUTS` outputs. The names of each of these take
//! at most `MOST_TEXT` bytes.

mod drawing;
mod layout;

use drawing::{Drawing, Output};
use gdl_compiler::propnet::{Gate, Net, Signal};
use gdl_runtime::{Dynamic, Game, GameExt, bits::BitBox, game::Id};
use gdl_tools::load::Compiled;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

/// The most fluents of a view. Fluents that do not hold are shown only if the game has at most this
/// number.
const MOST_FLUENTS: usize = 1_000;
/// The most outputs that are listed by name; a net with more lists none.
const MOST_OUTPUTS: usize = 4_000;
/// The most bytes for the names of relations and fluents, of outputs, and of true outputs.
const MOST_TEXT: usize = 1 << 20;
/// The limit on the operations, the inputs and the outputs of a net that is kept for an uploaded
/// rulesheet. Such a net takes some megabytes for each session.
pub(crate) const MOST_OPERATIONS: usize = 50_000;

/// The sizes of a session's net, and the net itself if it is small enough.
#[derive(Debug)]
pub(crate) struct SessionNet {
    sizes: Sizes,
    /// The net, if it is not too large.
    kept: Option<Kept>,
}

/// A net that is kept for further views.
#[derive(Debug)]
struct Kept {
    net: Net,
    outputs: Vec<Output>,
    /// The last drawing, which states share; only its values depend on the state.
    drawn: Mutex<Option<Drawn>>,
}

/// A drawing, or the number of its nodes if it would be too large. `of` is the name of the output
/// if only one is drawn.
#[derive(Clone, Debug)]
struct Drawn {
    of: Option<String>,
    picture: Arc<Result<Drawing, usize>>,
}

/// The sizes of a net, as `gdl net` prints them.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sizes {
    /// The number of fluents, the bits of a state.
    pub fluents: usize,
    /// The number of possible moves of each role, in role order.
    pub moves: Vec<usize>,
    /// The number of possible percepts of each role; `None` if the rules have none.
    pub percepts: Option<Vec<usize>>,
    /// The number of ground rules that can affect play.
    pub ground_rules: usize,
    /// The number of conjunctions of any width.
    pub gates: usize,
    /// The number of two-operand conjunctions that compute these gates.
    pub operations: usize,
    /// The number of gates on the longest path.
    pub depth: usize,
    /// The number of fluents on which no output depends.
    pub dead_fluents: usize,
    /// The number of mutex groups.
    pub exclusive_groups: usize,
    /// The number of operations at each phase of the cycle, such as each player's turn.
    pub phases: Vec<usize>,
}

impl Sizes {
    fn of(compiled: &Compiled) -> Self {
        let net = &compiled.net;
        Self {
            fluents: net.vocabulary.fluents.len(),
            moves: net.outputs.legal.iter().map(Vec::len).collect(),
            percepts: net.outputs.sees.as_ref().map(|lists| lists.iter().map(Vec::len).collect()),
            ground_rules: compiled.ground.len(),
            gates: net.ands(),
            operations: net.operations(),
            depth: net.depth(),
            dead_fluents: net.influential().into_iter().filter(|influential| !influential).count(),
            exclusive_groups: net.mutex_groups.len(),
            phases: compiled.operations(),
        }
    }
}

/// The inside of a game; the description of the interface documents each part.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NetView {
    /// The sizes; `None` if the game has no net.
    pub sizes: Option<Sizes>,
    /// The fluents by relation. `None` for a role that may not see them.
    pub relations: Option<Vec<Relation>>,
    /// The names of the outputs that can be drawn; empty if there are too many.
    pub outputs: Vec<String>,
    /// The names of the true outputs. `None` for a role that may not see them.
    pub holding: Option<Vec<String>>,
    /// The name of the output that is drawn; `None` for the whole net.
    pub of: Option<String>,
    /// The drawing; `None` if it would be too large.
    pub picture: Option<LitDrawing>,
    /// The number of nodes that the drawing has or would have.
    pub nodes: Option<usize>,
}

/// The fluents of a relation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Relation {
    /// The name of the relation.
    pub name: String,
    /// The number of its fluents.
    pub size: usize,
    /// The number of its fluents that hold.
    pub holding: usize,
    /// The fluents with their values; only those that hold if the game has too many.
    pub fluents: Vec<Fluent>,
}

/// A fluent and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Fluent {
    /// The fluent as KIF text.
    pub text: String,
    /// True if it holds.
    pub holds: bool,
}

/// A drawing with the values of a state.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LitDrawing {
    /// The drawing, whose fields are inlined in the JSON.
    #[serde(flatten)]
    pub picture: Drawing,
    /// The value of each node; null if it is open or hidden.
    pub node_values: Vec<Option<bool>>,
    /// The value of each edge; null if it is open or hidden.
    pub edge_values: Vec<Option<bool>>,
}

impl SessionNet {
    /// Creates the net of a session. The net is kept if it has at most `most` operations, at most
    /// `most` fluents and moves, and at most `most` outputs.
    #[must_use]
    pub(crate) fn new(compiled: Compiled, most: usize) -> Self {
        let sizes = Sizes::of(&compiled);
        let outputs = drawing::outputs(&compiled.net);
        let fits =
            [sizes.operations, compiled.net.inputs(), outputs.len()].iter().all(|&count| count <= most);
        let kept = fits.then(|| Kept { net: compiled.compilation.net, outputs, drawn: Mutex::default() });
        Self { sizes, kept }
    }

    /// Returns whether the kept net has an output of this name.
    #[must_use]
    pub(crate) fn has(&self, output: &str) -> bool {
        self.kept
            .as_ref()
            .is_some_and(|kept| kept.outputs.iter().any(|known| known.is_called(&kept.net, output)))
    }

    /// Returns the view of a state, or a view without values if `state` is `None`. Draws the cone
    /// of influence of the output `of`, or the whole net.
    #[must_use]
    pub(crate) fn view(&self, game: &Dynamic, state: Option<&BitBox>, of: Option<&str>) -> NetView {
        let sizes = Some(self.sizes.clone());
        match &self.kept {
            Some(kept) => NetView { sizes, ..kept.view(game, state, of) },
            None => NetView { sizes, ..without_net(game, state) },
        }
    }
}

impl Kept {
    fn view(&self, game: &Dynamic, state: Option<&BitBox>, of: Option<&str>) -> NetView {
        let values = state.map(|state| self.values(game.fluents(state).map(Id::index)));
        let value = |signal: Signal| values.as_ref().and_then(|values| read(values, signal));
        let drawn = self.draw(of);
        let (picture, nodes) = match &*drawn {
            Err(count) => (None, *count),
            Ok(picture) => {
                let node_values = picture.nodes.iter().map(|node| value(node.signal)).collect();
                let edge_values = picture.edges.iter().map(|edge| value(edge.signal)).collect();
                (Some(LitDrawing { picture: picture.clone(), node_values, edge_values }), picture.nodes.len())
            }
        };
        let is_true = |output: &&Output| value(output.signal) == Some(true);
        let all = self.outputs.iter().filter(|_| self.outputs.len() <= MOST_OUTPUTS);
        NetView {
            relations: state.map(|state| relations(game, state)),
            outputs: self.names(all),
            holding: state.map(|_| self.names(self.outputs.iter().filter(is_true).take(MOST_OUTPUTS))),
            of: of.map(str::to_owned),
            picture,
            nodes: Some(nodes),
            ..without_net(game, None)
        }
    }

    /// Returns the names of outputs, until they would take more than `MOST_TEXT` bytes.
    fn names<'o>(&self, outputs: impl Iterator<Item = &'o Output>) -> Vec<String> {
        let mut room = MOST_TEXT;
        outputs
            .map_while(|output| {
                let name = output.name(&self.net);
                room = room.checked_sub(name.len())?;
                Some(name)
            })
            .collect()
    }

    fn draw(&self, of: Option<&str>) -> Arc<Result<Drawing, usize>> {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = drawn.as_ref().filter(|last| last.of.as_deref() == of) {
            return Arc::clone(&last.picture);
        }
        let picture = Arc::new(match of {
            None => drawing::draw(&self.net, &self.outputs),
            Some(name) => {
                let chosen: Vec<Output> =
                    self.outputs.iter().filter(|output| output.is_called(&self.net, name)).cloned().collect();
                drawing::draw(&self.net, &chosen)
            }
        });
        *drawn = Some(Drawn { of: of.map(str::to_owned), picture: Arc::clone(&picture) });
        picture
    }

    /// Returns the value of each gate in the state with these fluents. An illegal move counts as
    /// not made, a role's only legal move as made, and other legal moves are open. In a terminal
    /// state all moves are open. O(literals).
    fn values(&self, fluents: impl Iterator<Item = usize>) -> Vec<Option<bool>> {
        let net = &self.net;
        let mut holds = vec![false; net.initial.len()];
        fluents.for_each(|fluent| holds[fluent] = true);
        let mut values = vec![None; net.len()];
        values[0] = Some(false);
        values[1..=holds.len()].iter_mut().zip(&holds).for_each(|(value, &holds)| *value = Some(holds));
        self.propagate(&mut values);
        if read(&values, net.outputs.terminal) != Some(true) {
            for (role, legal) in (0..).zip(&net.outputs.legal) {
                let count = legal.iter().filter(|(_, signal)| read(&values, *signal) == Some(true)).count();
                let made: Vec<_> = legal
                    .iter()
                    .map(|&(action, signal)| {
                        let is_legal = read(&values, signal) == Some(true);
                        (
                            net.does_input(role, action),
                            if is_legal && count > 1 { None } else { Some(is_legal) },
                        )
                    })
                    .collect();
                for (input, value) in made.into_iter().filter(|(input, _)| !input.is_constant()) {
                    values[input.gate() as usize] = value;
                }
            }
            self.propagate(&mut values);
        }
        values
    }

    fn propagate(&self, values: &mut [Option<bool>]) {
        for gate in self.net.inputs()..self.net.len() {
            let Gate::And(operands) = self.net.gate(gate as u32) else { continue };
            let mut value = Some(true);
            for &operand in operands {
                match read(values, operand) {
                    Some(false) => {
                        value = Some(false);
                        break;
                    }
                    Some(true) => {}
                    None => value = None,
                }
            }
            values[gate] = value;
        }
    }
}

fn read(values: &[Option<bool>], signal: Signal) -> Option<bool> {
    values[signal.gate() as usize].map(|value| value != signal.is_negated())
}

/// Returns the view of a game that has no net.
#[must_use]
pub(crate) fn without_net(game: &Dynamic, state: Option<&BitBox>) -> NetView {
    NetView {
        sizes: None,
        relations: state.map(|state| relations(game, state)),
        outputs: Vec::new(),
        holding: None,
        of: None,
        picture: None,
        nodes: None,
    }
}

/// Returns the fluents of a game with their values, by relation in alphabetical order.
fn relations(game: &Dynamic, state: &BitBox) -> Vec<Relation> {
    let fluents = game.vocabulary().fluents();
    let all = fluents.len() <= MOST_FLUENTS;
    let mut holds = vec![false; fluents.len()];
    game.fluents(state).for_each(|fluent| holds[fluent.index()] = true);
    let mut relations: BTreeMap<&str, Relation> = BTreeMap::new();
    let (mut told, mut room) = (0, MOST_TEXT);
    for (text, &holds) in fluents.iter().zip(&holds) {
        let name = text.trim_start_matches('(').split([' ', ')']).next().unwrap_or(text);
        if !relations.contains_key(name) {
            let Some(left) = room.checked_sub(name.len()).filter(|_| relations.len() < MOST_FLUENTS) else {
                continue;
            };
            room = left;
            let new = Relation { name: name.to_owned(), size: 0, holding: 0, fluents: Vec::new() };
            relations.insert(name, new);
        }
        let Some(relation) = relations.get_mut(name) else { continue };
        relation.size += 1;
        relation.holding += usize::from(holds);
        if let Some(left) = room.checked_sub(text.len()).filter(|_| all || holds && told < MOST_FLUENTS) {
            (room, told) = (left, told + 1);
            relation.fluents.push(Fluent { text: text.to_owned(), holds });
        }
    }
    relations.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_runtime::chance::Stream;
    use gdl_tools::load;

    fn built_in(name: &str) -> (SessionNet, Dynamic) {
        let entry = gdl_games::find(name).expect("a built-in game");
        let (_, compiled) = load::inspect(&load::text_of(entry), &load::quiet());
        let compiled = compiled.expect("it is sound");
        let game = Dynamic::decode(&compiled.table).expect("a table");
        (SessionNet::new(compiled, usize::MAX), game)
    }

    #[test]
    fn what_is_lit_is_what_the_game_says() {
        for name in ["tictactoe", "connect_four", "rock_paper_scissors", "monty_hall"] {
            let (inside, game) = built_in(name);
            let kept = inside.kept.as_ref().expect("the net is kept");
            for output in &kept.outputs {
                let named: Vec<String> = (kept.outputs.iter())
                    .filter(|other| other.is_called(&kept.net, &output.name(&kept.net)))
                    .map(|other| other.name(&kept.net))
                    .collect();
                assert_eq!(named, [output.name(&kept.net)]);
            }
            let names = game.vocabulary();
            let mut stream = Stream::new(3, 0);
            for _ in 0..5 {
                let mut state = game.initial();
                loop {
                    let values = kept.values(game.fluents(&state).map(Id::index));
                    let said = |name: &str| {
                        let output = kept.outputs.iter().find(|output| output.is_called(&kept.net, name));
                        output.map(|output| read(&values, output.signal))
                    };
                    assert_eq!(said("terminal"), Some(Some(game.is_terminal(&state))));
                    for role in game.roles() {
                        let legal: Vec<_> = game.legal_moves(&state, role).collect();
                        for &action in names.moves_of(role.index()) {
                            let action = Id::from_index(action as usize);
                            let name = format!("legal {} {}", game.role_text(role), game.move_text(action));
                            assert_eq!(said(&name), Some(Some(legal.contains(&action))), "{name}");
                        }
                    }
                    if game.is_terminal(&state) {
                        break;
                    }
                    let view = game.view(&state);
                    let joint: Vec<_> = game
                        .roles()
                        .map(|role| game.random_move_in(&view, role, &mut stream).expect("a legal move"))
                        .collect();
                    game.advance(&mut state, &joint);
                    for (number, fluent) in names.fluents().iter().enumerate() {
                        let next = said(&format!("next {fluent}")).expect("each fluent has a next");
                        let holds = game.holds(&state, Id::from_index(number));
                        assert!(next.is_none_or(|next| next == holds), "{name}: next {fluent}");
                    }
                }
            }
        }
    }

    #[test]
    fn whoever_may_not_know_sees_no_values() {
        let (inside, game) = built_in("monty_hall");
        let sight = inside.view(&game, None, None);
        assert!(sight.relations.is_none() && sight.holding.is_none() && sight.sizes.is_some());
        let lit = sight.picture.expect("a small net");
        assert!(lit.node_values.iter().chain(&lit.edge_values).all(Option::is_none));
        let sight = inside.view(&game, Some(&game.initial()), None);
        assert!(sight.picture.is_some_and(|lit| lit.node_values.contains(&Some(true))));
    }

    #[test]
    fn fluents_stand_by_their_relations() {
        let (inside, game) = built_in("tictactoe");
        let sight = inside.view(&game, Some(&game.initial()), Some("terminal"));
        let relations = sight.relations.expect("values");
        let figures: Vec<_> =
            relations.iter().map(|r| (r.name.as_str(), r.size, r.holding, r.fluents.len())).collect();
        assert_eq!(figures, [("cell", 27, 9, 27), ("control", 2, 1, 2)]);
        let terminal = sight.holding.expect("values").contains(&"terminal".to_owned());
        assert!(!terminal && sight.of.as_deref() == Some("terminal"));
    }

    #[test]
    fn of_a_large_net_there_are_figures_alone() {
        let entry = gdl_games::find("tictactoe").expect("a built-in game");
        let compiled = || load::inspect(&load::text_of(entry), &load::quiet()).1.expect("it is sound");
        let game = Dynamic::decode(&compiled().table).expect("a table");
        let sight = SessionNet::new(compiled(), 10).view(&game, Some(&game.initial()), None);
        assert!(sight.sizes.is_some() && sight.relations.is_some());
        assert!(sight.picture.is_none() && sight.outputs.is_empty() && sight.nodes.is_none());
    }

    #[test]
    fn relations_are_bounded_in_number() {
        let fluents: Vec<String> =
            (0..1_500).map(|n| format!("(init f{n}) (<= (next f{n}) (true f{n}) (does r a))")).collect();
        let rest = fluents.concat();
        let text =
            format!("(role r) (legal r a) (legal r b) (<= terminal (not (true f0))) (goal r 100) {rest}");
        let game = gdl_runtime::load(&text).expect("it is sound");
        assert_eq!(relations(&game, &game.initial()).len(), MOST_FLUENTS);
    }
}
