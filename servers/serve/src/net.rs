//! The net of a session's game, for people who look inside: from the compiled game and a state it
//! tells the sizes of the net, what holds, and a drawing with the gates that are true.
//!
//! The net is compiled once for a session, when it is first asked for. Gates are evaluated in three
//! values: what depends on moves that are still to be made is open.
//!
//! A session keeps a net with at most a given number of operations; for a larger one only the
//! figures are kept. A look takes a few steps for each literal. At most `MOST_FLUENTS` fluents and
//! as many relations are shown, and at most `MOST_OUTPUTS` outputs; the names of each of these take
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

/// Fluents that do not hold are shown if there are no more than this; at most this number of those
/// that hold is shown.
const MOST_FLUENTS: usize = 1_000;
/// Outputs are offered by name if there are no more than this.
const MOST_OUTPUTS: usize = 4_000;
/// The greatest number of bytes for the names of relations and fluents, of outputs, and of those
/// that are true.
const MOST_TEXT: usize = 1 << 20;
/// The greatest number of operations of a kept net of an uploaded rulesheet: some megabytes for
/// each session.
pub(crate) const MOST_OPERATIONS: usize = 50_000;

/// The net of a session.
#[derive(Debug)]
pub(crate) struct SessionNet {
    sizes: Sizes,
    /// The net, if it is not too large.
    kept: Option<Kept>,
}

/// A net that is looked at again and again.
#[derive(Debug)]
struct Kept {
    net: Net,
    outputs: Vec<Output>,
    /// The last drawing: states change more often.
    drawn: Mutex<Option<Drawn>>,
}

/// A drawing, or how many nodes it would have, and the output that it is of, if not of all.
#[derive(Clone, Debug)]
struct Drawn {
    of: Option<String>,
    picture: Arc<Result<Drawing, usize>>,
}

/// The size of a net; the figures of `gdl net`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sizes {
    /// Bits of a state.
    pub fluents: usize,
    /// For each role, in order, the moves that it may ever make.
    pub moves: Vec<usize>,
    /// The same of percepts, where the rules speak of them.
    pub percepts: Option<Vec<usize>>,
    /// Instances of rules that can matter.
    pub ground_rules: usize,
    /// Conjunctions of any width.
    pub gates: usize,
    /// Conjunctions of two operands that these stand for.
    pub operations: usize,
    /// Gates on the longest path.
    pub depth: usize,
    /// Fluents on which nothing that is seen depends.
    pub dead_fluents: usize,
    /// The number of mutex groups.
    pub exclusive_groups: usize,
    /// Operations at each phase of the cycle, such as each player's turn.
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

/// The inside of a game; see the description of the interface for the meaning of each part.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct NetView {
    /// The figures, unless the game is evaluated state by state.
    pub sizes: Option<Sizes>,
    /// The fluents that hold, relation by relation. `None` for a role that may not know.
    pub relations: Option<Vec<Relation>>,
    /// The names of what the net says, for pictures of a part; none if they are many.
    pub outputs: Vec<String>,
    /// The outputs that are true. `None` for a role that may not know.
    pub holding: Option<Vec<String>>,
    /// The subject of the picture; the whole net by default.
    pub of: Option<String>,
    /// The picture, unless it would be too large.
    pub picture: Option<LitDrawing>,
    /// The nodes that the picture has or would have.
    pub nodes: Option<usize>,
}

/// The fluents of a relation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Relation {
    /// Its name.
    pub name: String,
    /// The number of its fluents.
    pub size: usize,
    /// The number of those that hold.
    pub holding: usize,
    /// Fluents with their values: all, or those that hold where there are many.
    pub fluents: Vec<Fluent>,
}

/// A fluent and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Fluent {
    /// Its KIF text.
    pub text: String,
    /// True if it holds.
    pub holds: bool,
}

/// A drawing with the values of a state.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LitDrawing {
    /// Nodes and edges.
    #[serde(flatten)]
    pub picture: Drawing,
    /// For each node if it is true; null if that is open or hidden.
    pub node_values: Vec<Option<bool>>,
    /// The same for each edge.
    pub edge_values: Vec<Option<bool>>,
}

impl SessionNet {
    /// The net of a game, which is kept if it has at most `most` operations, fluents and outputs
    /// each.
    #[must_use]
    pub(crate) fn new(compiled: Compiled, most: usize) -> Self {
        let sizes = Sizes::of(&compiled);
        let outputs = drawing::outputs(&compiled.net);
        let fits =
            [sizes.operations, compiled.net.inputs(), outputs.len()].iter().all(|&count| count <= most);
        let kept = fits.then(|| Kept { net: compiled.compilation.net, outputs, drawn: Mutex::default() });
        Self { sizes, kept }
    }

    /// Returns whether the net that is kept says something under this name.
    #[must_use]
    pub(crate) fn has(&self, output: &str) -> bool {
        self.kept
            .as_ref()
            .is_some_and(|kept| kept.outputs.iter().any(|known| known.is_called(&kept.net, output)))
    }

    /// The view of a state, or of an unknown one: with a picture of what `of` depends on, or of
    /// all.
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

    /// The names of some outputs, as far as there is room for them.
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

    /// The value of each gate in the state with these fluents. Moves that are not legal are not
    /// made, and the only one that is legal is; all others are open. O(literals).
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

/// The view of a game that has no net.
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

/// The fluents of a game with their values, relation by relation in the order of their names.
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
