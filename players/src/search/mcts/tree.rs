//! The tree of a Monte Carlo search: selects states to be judged, and backs up their values.

mod backup;
mod reuse;
mod root;
mod slot;

use super::{
    advantage::{Advantages, Reply},
    stage::Stage,
};
use crate::search::{growth::Grow, memory::hash, options::Options, payoff::Payoff};
use gdl_runtime::{Game, GameExt, chance::Stream, game::Id};
use hashbrown::HashTable;
use rustc_hash::FxHashMap;
use slot::{Bounds, Slot, best};

/// The number that stands for no node.
pub(super) const NONE: u32 = u32::MAX;

/// The way in which the moves of a state are chosen.
#[derive(Clone, Debug)]
enum NodeKind {
    /// The state is terminal, or some role has no legal move.
    End,
    /// One role decides, or none: then there is one slot.
    Turn { role: usize },
    /// Chance draws one of the slots.
    Chance,
    /// Several roles choose simultaneously, possibly including chance.
    Stage(Box<Stage>),
    /// Several roles choose simultaneously, with too many joint moves for mixed strategies. The
    /// slots of each role are consecutive, in the order of `choices`.
    Apart { choices: Vec<(usize, usize)> },
}

struct Node<G: Game> {
    state: G::State,
    kind: NodeKind,
    /// The first of the node's consecutive slots; `count` is the number of these slots.
    first: u32,
    count: u32,
    visits: u32,
    /// The number of moves from the first root. Every step leads to a higher level, so the tree has
    /// no cycles.
    level: u32,
    /// True if the value is proved; `sums` then has the value itself.
    is_proved: bool,
}

/// A path from the root down: its nodes, each with the step that leaves it.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    steps: Vec<(u32, TreeStep)>,
    /// The node at the end; `None` if it was not added to the tree.
    node: Option<u32>,
}

#[derive(Clone, Debug)]
enum TreeStep {
    Slot(u32),
    Cell(u32),
    Slots(Vec<u32>),
}

/// The settings of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The factor of exploration; `None` chooses it by the number of games that judge a state.
    pub(super) exploration: Option<f32>,
    /// True if proved values are propagated.
    pub(super) proves: bool,
    /// True if untried moves are expected to have the same advantage as elsewhere in the tree.
    pub(super) learns: bool,
    /// True if roles that choose simultaneously mix their moves.
    pub(super) mixes: bool,
    /// The maximum number of bytes of the tree.
    pub(super) bytes: usize,
}

impl Rules {
    /// Returns the bounds that moves are compared by. Values are not `trusted` if few random games
    /// judge a state. The values of a single player's game are not trusted either, since random
    /// games rarely find its solution.
    fn bounds(&self, trusted: bool) -> Bounds {
        let (exploration, minimax) = if trusted { (0.1, 0.2) } else { (0.7, 0.0) };
        Bounds { exploration: self.exploration.unwrap_or(exploration), minimax }
    }
}

/// A graph of nodes and slots, with the buffers to extend it.
///
/// Equal states share a node (Childs, Brodeur and Kocsis, "Transpositions and move groups in Monte
/// Carlo tree search", 2008); slots are not shared. In addition to the mean of all games, each slot
/// stores the value of the best line after it (Lanctot, Winands, Pepels and Sturtevant, "Monte
/// Carlo tree search with heuristic evaluations using implicit minimax backups", 2014). Where many
/// random games judge a state, that value helps long before the mean converges.
pub(super) struct Tree<G: Game> {
    rules: Rules,
    bounds: Bounds,
    root: u32,
    nodes: Vec<Node<G>>,
    slots: Vec<Slot>,
    /// The maximum number of slots of a node.
    widest: usize,
    /// The sum of each role's values, for each node.
    sums: Vec<f32>,
    /// The value of each role at the end of the best line, for each node.
    worths: Vec<f32>,
    /// The nodes, hashed by their states.
    numbers: HashTable<u32>,
    /// The children of [`NodeKind::Apart`] nodes, by node and chosen slots.
    apart: FxHashMap<(u32, Vec<u32>), u32>,
    /// The advantages of moves over the whole tree, if values are trusted.
    advantages: Option<Advantages>,
    /// The bytes of stages and of the keys of `apart`.
    more_bytes: usize,
    pub(super) depth: u32,
    payoff: Payoff,
    roles: usize,
    chance: Option<usize>,
    options: Options<G>,
    view: G::View,
}

impl<G: Game> Tree<G> {
    /// The bytes of `apart` for each child that it has capacity for; the load factor is 7/8.
    const APART: usize = (size_of::<((u32, Vec<u32>), u32)>() + 1) * 8 / 7;

    pub(super) fn new(game: &G, state: &G::State, rules: Rules) -> Self {
        let mut tree = Self {
            rules,
            bounds: rules.bounds(false),
            root: 0,
            nodes: Vec::new(),
            slots: Vec::new(),
            widest: 0,
            sums: Vec::new(),
            worths: Vec::new(),
            numbers: HashTable::new(),
            apart: FxHashMap::default(),
            advantages: None,
            more_bytes: 0,
            depth: 0,
            payoff: Payoff::new(game),
            roles: game.shape().roles,
            chance: game.chance_role().map(Id::index),
            options: Options::new(game),
            view: game.new_view(),
        };
        tree.add(game, state.clone(), 0);
        tree
    }

    /// Sets whether many random games or one judge each state from now on.
    pub(super) fn judge_by(&mut self, game: &G, many: bool) {
        let players = self.roles - usize::from(self.chance.is_some());
        let trusted = many && players > 1;
        self.bounds = self.rules.bounds(trusted);
        if !(trusted && self.rules.learns) {
            self.advantages = None;
        } else if self.advantages.is_none() {
            self.advantages = Some(Advantages::new(game.shape(), self.rules.bytes));
        }
    }

    /// Returns the bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.held()
            + self.nodes.len() * self.state_bytes()
            + self.slots.held()
            + self.sums.held()
            + self.worths.held()
            + self.numbers.allocation_size()
            + self.apart.capacity() * Self::APART
            + self.advantages.as_ref().map_or(0, Advantages::bytes)
            + self.more_bytes
    }

    /// Returns the bytes of the words of a state.
    fn state_bytes(&self) -> usize {
        self.nodes.first().map_or(0, |node| size_of_val(node.state.as_ref()))
    }

    /// Returns whether the bytes suffice for another node, with the growth of all lists and the
    /// buffers of [`Tree::below`].
    fn has_room(&self) -> bool {
        let numbers = if self.numbers.len() < self.numbers.capacity() {
            0
        } else {
            // A hash table with twice the capacity.
            2 * self.numbers.allocation_size() + 64
        };
        let apart = if self.apart.len() < self.apart.capacity() {
            0
        } else {
            2 * self.apart.capacity() * Self::APART
        };
        let growth = self.nodes.growth(1)
            + self.slots.growth(self.widest)
            + self.sums.growth(self.roles)
            + self.worths.growth(self.roles);
        let reuse = self.nodes.len() * Self::REUSE;
        self.bytes() + self.state_bytes() + numbers + apart + growth + reuse <= self.rules.bytes
    }

    fn mean(&self, node: u32) -> Vec<f32> {
        let at = &self.nodes[node as usize];
        let sums = &self.sums[node as usize * self.roles..][..self.roles];
        let visits = if at.is_proved { 1 } else { at.visits.max(1) };
        sums.iter().map(|sum| sum / visits as f32).collect()
    }

    /// Adds a node for a state, with slots for the legal moves, and returns the node's index.
    fn add(&mut self, game: &G, state: G::State, level: u32) -> u32 {
        let number = self.nodes.len() as u32;
        let first = self.slots.len() as u32;
        game.observe_without_goals(&state, &mut self.view);
        let over = game.is_terminal_in(&self.view);
        let is_end = over || !self.options.read(game, &self.view);
        if is_end && !over {
            game.observe(&state, &mut self.view);
        }
        let view = &self.view;
        let sums: Vec<f32> = (0..self.roles)
            .map(|role| if is_end { f32::from(self.payoff.goal(view.as_ref(), role)) } else { 0.0 })
            .collect();
        for list in [&mut self.sums, &mut self.worths] {
            list.grow(sums.len());
            list.extend(&sums);
        }
        let kind = if is_end { NodeKind::End } else { self.unfold() };
        let count = self.slots.len() as u32 - first;
        self.widest = self.widest.max(count as usize);
        self.nodes.grow(1);
        self.nodes.push(Node { state, kind, first, count, visits: 0, level, is_proved: is_end });
        self.index(number);
        number
    }

    /// Adds a node to the index by its state, in place of any node of the same state.
    fn index(&mut self, number: u32) {
        let nodes = &self.nodes;
        let state_of = |&number: &u32| nodes[number as usize].state.as_ref();
        let state = state_of(&number);
        match self.numbers.find_mut(hash(state), |known| state_of(known) == state) {
            Some(known) => *known = number,
            None => {
                self.numbers.insert_unique(hash(state), number, |known| hash(state_of(known)));
            }
        }
    }

    /// Returns the node of a state, if it has a higher level than `level`.
    fn find(&self, state: &[u64], level: u32) -> Option<u32> {
        let is_it = |&number: &u32| self.nodes[number as usize].state.as_ref() == state;
        let number = *self.numbers.find(hash(state), is_it)?;
        (self.nodes[number as usize].level > level).then_some(number)
    }

    /// Adds the slots of the legal moves in `options`.
    fn unfold(&mut self) -> NodeKind {
        let choices: Vec<(usize, usize)> = (0..self.roles)
            .map(|role| (role, self.options.of(role).len()))
            .filter(|&(_, moves)| moves > 1)
            .collect();
        let slot = |action: &G::Move| Slot {
            action: action.index() as u32,
            child: NONE,
            visits: 0,
            sum: 0.0,
            worth: -1.0,
            is_proved: false,
        };
        if let [] | [_] = choices[..] {
            let role = choices.first().map_or(0, |&(role, _)| role);
            self.slots.grow(self.options.of(role).len());
            self.slots.extend(self.options.of(role).iter().map(slot));
            return if Some(role) == self.chance && !choices.is_empty() {
                NodeKind::Chance
            } else {
                NodeKind::Turn { role }
            };
        }
        let cells = choices.iter().fold(1, |product: u64, &(_, moves)| product.saturating_mul(moves as u64));
        if cells <= Stage::MOST && self.rules.mixes {
            let stage = Stage::new(&choices, self.chance, self.roles, NONE);
            self.more_bytes += stage.bytes();
            return NodeKind::Stage(Box::new(stage));
        }
        for &(role, moves) in &choices {
            self.slots.grow(moves);
            self.slots.extend(self.options.of(role).iter().map(slot));
        }
        NodeKind::Apart { choices }
    }

    /// Selects a path from the root to a state that needs a value, or whose value is proved. Every
    /// slot on the path counts as lost until the backup (virtual loss), so that other threads
    /// choose other paths.
    pub(super) fn select(&mut self, game: &G, stream: &mut Stream) -> (Path, G::State) {
        let mut at = self.root;
        let mut path = Path { steps: Vec::new(), node: Some(at) };
        loop {
            let node = &self.nodes[at as usize];
            if node.is_proved || (node.visits == 0 && !path.steps.is_empty()) {
                let state = node.state.clone();
                // The next thread may go on from this node.
                self.nodes[at as usize].visits += u32::from(!self.nodes[at as usize].is_proved);
                self.depth = self.depth.max(path.steps.len() as u32);
                return (path, state);
            }
            self.nodes[at as usize].visits += 1;
            let last = path.steps.last().map(|(_, step)| step);
            let (step, child) = self.step(at, self.action(last), stream);
            if child != NONE {
                path.steps.push((at, step));
                path.node = Some(child);
                at = child;
                continue;
            }
            let state = self.follow(game, at, &step);
            path.steps.push((at, step));
            path.node = None;
            let level = self.nodes[at as usize].level;
            let known = self.find(state.as_ref(), level);
            if known.is_none() && !self.has_room() {
                self.depth = self.depth.max(path.steps.len() as u32);
                return (path, state);
            }
            let child = known.unwrap_or_else(|| self.add(game, state, level + 1));
            let (parent, step) = &path.steps[path.steps.len() - 1];
            match step {
                TreeStep::Slot(slot) => self.slots[*slot as usize].child = child,
                TreeStep::Cell(cell) => {
                    if let NodeKind::Stage(stage) = &mut self.nodes[*parent as usize].kind {
                        stage.children[*cell as usize] = child;
                    }
                }
                TreeStep::Slots(slots) => {
                    self.more_bytes += 4 * slots.len();
                    self.apart.insert((*parent, slots.clone()), child);
                }
            }
            path.node = Some(child);
            at = child;
        }
    }

    /// Returns the move of a step that is a single slot.
    fn action(&self, step: Option<&TreeStep>) -> Option<u32> {
        match step {
            Some(TreeStep::Slot(slot)) => Some(self.slots[*slot as usize].action),
            _ => None,
        }
    }

    /// Returns the mean value of a node for a role. Visits in progress count as lost, as in slots.
    fn expected(&self, at: u32, role: usize) -> f32 {
        self.sums[at as usize * self.roles + role] / (self.nodes[at as usize].visits.max(2) - 1) as f32
    }

    /// Chooses a step from a node, and returns it with the child. `to` is the move that led to the
    /// node.
    fn step(&mut self, at: u32, to: Option<u32>, stream: &mut Stream) -> (TreeStep, u32) {
        let bounds = self.bounds;
        let node = &mut self.nodes[at as usize];
        let (first, count) = (node.first as usize, node.count as usize);
        match &mut node.kind {
            NodeKind::Stage(stage) => {
                let cell = stage.choose(stream);
                (TreeStep::Cell(cell as u32), stage.children[cell])
            }
            NodeKind::Chance | NodeKind::End => {
                let slot = first + stream.below(count as u64) as usize;
                self.slots[slot].visits += 1;
                (TreeStep::Slot(slot as u32), self.slots[slot].child)
            }
            &mut NodeKind::Turn { role } => {
                let visits = node.visits;
                let mean = self.expected(at, role);
                let expected = |action| match &self.advantages {
                    Some(known) => mean + known.expected(Reply { role, action, to }),
                    None => f32::INFINITY,
                };
                let slot = first + best(&self.slots[first..first + count], visits, bounds, stream, expected);
                self.slots[slot].visits += 1;
                (TreeStep::Slot(slot as u32), self.slots[slot].child)
            }
            NodeKind::Apart { choices } => {
                let mut start = first;
                let mut chosen = Vec::with_capacity(choices.len());
                for &(role, moves) in choices.iter() {
                    let place = if Some(role) == self.chance {
                        stream.below(moves as u64) as usize
                    } else {
                        best(&self.slots[start..start + moves], node.visits, bounds, stream, |_| {
                            f32::INFINITY
                        })
                    };
                    self.slots[start + place].visits += 1;
                    chosen.push((start + place) as u32);
                    start += moves;
                }
                let child = self.apart.get(&(at, chosen.clone())).copied().unwrap_or(NONE);
                (TreeStep::Slots(chosen), child)
            }
        }
    }

    /// Computes the state that a step from a node leads to.
    fn follow(&mut self, game: &G, at: u32, step: &TreeStep) -> G::State {
        let node = &self.nodes[at as usize];
        game.observe_without_goals(&node.state, &mut self.view);
        self.options.read(game, &self.view);
        match (step, &node.kind) {
            (TreeStep::Cell(cell), NodeKind::Stage(stage)) => {
                for (decision, place) in stage.decisions.iter().zip(stage.moves_of(*cell as usize)) {
                    let action = self.options.of(decision.role)[place];
                    self.options.set(decision.role, action);
                }
            }
            (TreeStep::Slots(slots), NodeKind::Apart { choices }) => {
                for (&(role, _), &slot) in choices.iter().zip(slots) {
                    self.options.set(role, G::Move::from_index(self.slots[slot as usize].action as usize));
                }
            }
            (TreeStep::Slot(slot), kind) => {
                let role = match kind {
                    NodeKind::Turn { role } => Some(*role),
                    _ => self.chance,
                };
                if let Some(role) = role {
                    self.options.set(role, G::Move::from_index(self.slots[*slot as usize].action as usize));
                }
            }
            _ => {}
        }
        game.apply_unchecked(&node.state, self.options.joint())
    }
}

impl Path {
    /// Returns whether the path ends at a state with a proved value.
    pub(super) fn is_proved<G: Game>(&self, tree: &Tree<G>) -> bool {
        self.node.is_some_and(|node| tree.nodes[node as usize].is_proved)
    }
}
