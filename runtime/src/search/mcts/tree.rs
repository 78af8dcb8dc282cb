//! The tree of a Monte Carlo search: in come random numbers, out go states to be judged, and their values go in again.

use super::stage::Stage;
use crate::{
    game::{Game, Id},
    random::Stream,
    search::{memory::hash, options::Options, payoff::Payoff},
};
use std::collections::{HashMap, VecDeque};

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// How the moves of a state are chosen.
#[derive(Clone, Debug)]
enum Kind {
    /// The game is over, or nobody can go on.
    End,
    /// One role decides, or nobody: then there is one slot.
    Turn { role: usize },
    /// Chance draws one of the slots.
    Chance,
    /// Several roles choose at the same time, chance perhaps among them.
    Stage(Box<Stage>),
    /// The same with too many joint moves for strategies: each role has slots of its own, one role's behind the
    /// other's.
    Apart { choices: Vec<(usize, usize)> },
}

struct Node<G: Game> {
    state: G::State,
    kind: Kind,
    /// Its slots.
    first: u32,
    count: u32,
    visits: u32,
    /// Moves from the first root of all. Every step leads to a higher level, so no way goes round in circles.
    level: u32,
    /// If its value is proved; then that is the mean.
    is_proved: bool,
}

/// A move of a role and what came of it.
#[derive(Clone, Copy, Debug)]
struct Slot {
    action: u32,
    child: u32,
    /// Visits, those under way among them, and the sum of what the role got.
    visits: u32,
    sum: f32,
    /// What the role gets at the end of the best line behind it, as far as that is known; else negative.
    worth: f32,
    is_proved: bool,
}

impl Slot {
    fn mean(&self) -> f32 {
        if self.visits == 0 { 0.0 } else { self.sum / self.visits as f32 }
    }
}

/// A way from the root down: the nodes, and where it went on from each.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    steps: Vec<(u32, Step)>,
    /// The node it came to, if there is one.
    node: Option<u32>,
}

#[derive(Clone, Debug)]
enum Step {
    Slot(u32),
    Cell(u32),
    Slots(Vec<u32>),
}

/// What a search is made of; set before it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// How much is tried that looked bad so far; if nobody says it, that depends on how far values can be trusted.
    pub(super) exploration: Option<f32>,
    /// If proved values are passed on.
    pub(super) proves: bool,
    /// If roles that choose at the same time mix their moves.
    pub(super) mixes: bool,
    /// The most bytes.
    pub(super) bytes: usize,
}

impl Rules {
    /// How moves are compared, if what random games say of states can be trusted or not. It cannot where they are few, nor
    /// where one role alone makes its way, which random games hardly ever find.
    fn bounds(&self, trusted: bool) -> Bounds {
        let (exploration, minimax) = if trusted { (0.1, 0.2) } else { (0.7, 0.0) };
        Bounds { exploration: self.exploration.unwrap_or(exploration), minimax }
    }
}

/// How moves are compared.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    exploration: f32,
    /// How much the best line counts beside the mean of all.
    minimax: f32,
}

/// Nodes, slots and what is needed to make more of them.
///
/// States that are met again are one node (Childs, Brodeur and Kocsis, "Transpositions and move groups in Monte Carlo tree
/// search", 2008); slots are not shared. Beside the mean of all games each slot keeps what the best line behind it comes to
/// (Lanctot, Winands, Pepels and Sturtevant, "Monte Carlo tree search with heuristic evaluations using implicit minimax
/// backups", 2014): where a state is judged by many random games that is worth knowing long before the mean tells.
pub(super) struct Tree<G: Game> {
    rules: Rules,
    bounds: Bounds,
    nodes: Vec<Node<G>>,
    slots: Vec<Slot>,
    /// For each node the sum of the values of all roles.
    sums: Vec<f32>,
    /// For each node what each role gets at the end of the best line.
    worths: Vec<f32>,
    /// Nodes by their states: open addressing, a power of two of places.
    places: Vec<u32>,
    /// Children of nodes whose roles have slots of their own.
    apart: HashMap<(u32, Vec<u32>), u32, rustc_hash::FxBuildHasher>,
    /// Bytes of the heap behind nodes and of `apart`.
    more_bytes: usize,
    pub(super) depth: u32,
    payoff: Payoff,
    roles: usize,
    chance: Option<usize>,
    options: Options<G>,
    view: G::View,
}

impl<G: Game> Tree<G> {
    pub(super) fn new(game: &G, state: &G::State, rules: Rules) -> Self {
        let mut tree = Self {
            rules,
            bounds: rules.bounds(false),
            nodes: Vec::new(),
            slots: Vec::new(),
            sums: Vec::new(),
            worths: Vec::new(),
            places: vec![NONE; 64],
            apart: HashMap::default(),
            more_bytes: 0,
            depth: 0,
            payoff: Payoff::new(game),
            roles: game.shape().roles,
            chance: game.chance_role().map(Id::index),
            options: Options::new(game),
            view: game.blank(),
        };
        tree.add(game, state.clone(), 0);
        tree
    }

    /// From now on states are judged by many random games each, or by one.
    pub(super) fn judge_by(&mut self, many: bool) {
        let players = self.roles - usize::from(self.chance.is_some());
        self.bounds = self.rules.bounds(many && players > 1);
    }

    /// Bytes in use, of the lists as far as they are filled.
    pub(super) fn bytes(&self) -> usize {
        let state = self.nodes.first().map_or(0, |node| size_of_val(node.state.as_ref()));
        self.nodes.len() * (size_of::<Node<G>>() + state + 8 * self.roles)
            + self.places.len() * size_of::<u32>()
            + self.slots.len() * size_of::<Slot>()
            + self.more_bytes
    }

    /// True if there may be another node. Lists grow by doubling, so half of the bytes are left for that.
    fn has_room(&self) -> bool {
        self.bytes() < self.rules.bytes / 2
    }

    /// True if there is nothing more to find out.
    pub(super) fn is_proved(&self) -> bool {
        self.nodes[0].is_proved
    }

    /// The mean value of the root for a role.
    pub(super) fn value(&self, role: usize) -> Option<f64> {
        let visits = self.nodes[0].visits.max(u32::from(self.nodes[0].is_proved));
        let mean = self.mean(0)[role];
        (visits > 0).then_some(f64::from(mean))
    }

    fn mean(&self, node: u32) -> Vec<f32> {
        let at = &self.nodes[node as usize];
        let sums = &self.sums[node as usize * self.roles..][..self.roles];
        let visits = if at.is_proved { 1 } else { at.visits.max(1) };
        sums.iter().map(|sum| sum / visits as f32).collect()
    }

    /// Adds a node for a state.
    fn add(&mut self, game: &G, state: G::State, level: u32) -> u32 {
        let number = self.nodes.len() as u32;
        let first = self.slots.len() as u32;
        game.glance(&state, &mut self.view);
        let over = game.terminal_in(&self.view);
        let is_end = over || !self.options.read(game, &self.view);
        if is_end && !over {
            game.observe(&state, &mut self.view);
        }
        let view = &self.view;
        let sums: Vec<f32> = (0..self.roles)
            .map(|role| if is_end { f32::from(self.payoff.goal(view.as_ref(), role)) } else { 0.0 })
            .collect();
        self.sums.extend(&sums);
        self.worths.extend(&sums);
        let kind = if is_end { Kind::End } else { self.unfold() };
        let count = self.slots.len() as u32 - first;
        self.nodes.push(Node { state, kind, first, count, visits: 0, level, is_proved: is_end });
        self.index(number);
        number
    }

    /// Where the node of a state stands among `places`, or would stand.
    fn place(&self, state: &[u64]) -> usize {
        let mask = self.places.len() - 1;
        let mut place = (hash(state) >> 20) as usize & mask;
        while self.places[place] != NONE && self.nodes[self.places[place] as usize].state.as_ref() != state {
            place = (place + 1) & mask;
        }
        place
    }

    /// Makes a node known by its state, in place of one of a lower level.
    fn index(&mut self, number: u32) {
        let place = self.place(self.nodes[number as usize].state.as_ref());
        self.places[place] = number;
        if 2 * self.nodes.len() > self.places.len() {
            self.places = vec![NONE; 2 * self.places.len()];
            for number in 0..self.nodes.len() as u32 {
                let place = self.place(self.nodes[number as usize].state.as_ref());
                self.places[place] = number;
            }
        }
    }

    /// The node of a state, if there is one of a higher level.
    fn find(&self, state: &[u64], level: u32) -> Option<u32> {
        let number = self.places[self.place(state)];
        (number != NONE && self.nodes[number as usize].level > level).then_some(number)
    }

    /// Adds the slots of the moves that were read.
    fn unfold(&mut self) -> Kind {
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
            self.slots.extend(self.options.of(role).iter().map(slot));
            return if Some(role) == self.chance && !choices.is_empty() {
                Kind::Chance
            } else {
                Kind::Turn { role }
            };
        }
        let cells = choices.iter().fold(1, |product: u64, &(_, moves)| product.saturating_mul(moves as u64));
        if cells <= Stage::MOST && self.rules.mixes {
            let stage = Stage::new(&choices, self.chance, self.roles, NONE);
            self.more_bytes += stage.bytes();
            return Kind::Stage(Box::new(stage));
        }
        for &(role, _) in &choices {
            self.slots.extend(self.options.of(role).iter().map(slot));
        }
        Kind::Apart { choices }
    }

    /// Goes down from the root to a state that is to be judged, or whose value is proved. Every slot on the way counts
    /// as lost until its value comes in, so that others go elsewhere.
    pub(super) fn select(&mut self, game: &G, stream: &mut Stream) -> (Path, G::State) {
        let mut path = Path { steps: Vec::new(), node: Some(0) };
        let mut at = 0_u32;
        loop {
            let node = &self.nodes[at as usize];
            if node.is_proved || (node.visits == 0 && !path.steps.is_empty()) {
                let state = node.state.clone();
                // Whoever comes next may go on from here.
                self.nodes[at as usize].visits += u32::from(!self.nodes[at as usize].is_proved);
                self.depth = self.depth.max(path.steps.len() as u32);
                return (path, state);
            }
            self.nodes[at as usize].visits += 1;
            let (step, child) = self.step(at, stream);
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
                Step::Slot(slot) => self.slots[*slot as usize].child = child,
                Step::Cell(cell) => {
                    if let Kind::Stage(stage) = &mut self.nodes[*parent as usize].kind {
                        stage.children[*cell as usize] = child;
                    }
                }
                Step::Slots(slots) => {
                    self.more_bytes += 64 + 4 * slots.len();
                    self.apart.insert((*parent, slots.clone()), child);
                }
            }
            path.node = Some(child);
            at = child;
        }
    }

    /// Chooses where to go on from a node, and the child there.
    fn step(&mut self, at: u32, stream: &mut Stream) -> (Step, u32) {
        let node = &mut self.nodes[at as usize];
        let (first, count) = (node.first as usize, node.count as usize);
        let bounds = self.bounds;
        match &mut node.kind {
            Kind::Stage(stage) => {
                let cell = stage.choose(stream);
                (Step::Cell(cell as u32), stage.children[cell])
            }
            Kind::Chance | Kind::End => {
                let slot = first + stream.below(count as u64) as usize;
                self.slots[slot].visits += 1;
                (Step::Slot(slot as u32), self.slots[slot].child)
            }
            Kind::Turn { .. } => {
                let slot = first + best(&self.slots[first..first + count], node.visits, bounds, stream);
                self.slots[slot].visits += 1;
                (Step::Slot(slot as u32), self.slots[slot].child)
            }
            Kind::Apart { choices } => {
                let mut start = first;
                let mut chosen = Vec::with_capacity(choices.len());
                for &(role, moves) in choices.iter() {
                    let place = if Some(role) == self.chance {
                        stream.below(moves as u64) as usize
                    } else {
                        best(&self.slots[start..start + moves], node.visits, bounds, stream)
                    };
                    self.slots[start + place].visits += 1;
                    chosen.push((start + place) as u32);
                    start += moves;
                }
                let child = self.apart.get(&(at, chosen.clone())).copied().unwrap_or(NONE);
                (Step::Slots(chosen), child)
            }
        }
    }

    /// The state that a step from a node leads to.
    fn follow(&mut self, game: &G, at: u32, step: &Step) -> G::State {
        let node = &self.nodes[at as usize];
        game.glance(&node.state, &mut self.view);
        self.options.read(game, &self.view);
        match (step, &node.kind) {
            (Step::Cell(cell), Kind::Stage(stage)) => {
                for (decision, place) in stage.decisions.iter().zip(stage.moves_of(*cell as usize)) {
                    let action = self.options.of(decision.role)[place];
                    self.options.set(decision.role, action);
                }
            }
            (Step::Slots(slots), Kind::Apart { choices }) => {
                for (&(role, _), &slot) in choices.iter().zip(slots) {
                    self.options.set(role, G::Move::from_index(self.slots[slot as usize].action as usize));
                }
            }
            (Step::Slot(slot), kind) => {
                let role = match kind {
                    Kind::Turn { role } => Some(*role),
                    _ => self.chance,
                };
                if let Some(role) = role {
                    self.options.set(role, G::Move::from_index(self.slots[*slot as usize].action as usize));
                }
            }
            _ => {}
        }
        game.next_unchecked(&node.state, self.options.joint())
    }

    /// Brings the values of a state back up its path; those that are proved count instead.
    pub(super) fn backup(&mut self, path: &Path, judged: &[f32]) {
        let mut values = judged.to_vec();
        let mut below = path.node;
        let mut proved = None;
        if let Some(leaf) = path.node {
            if self.nodes[leaf as usize].is_proved {
                values = self.mean(leaf);
                proved = self.rules.proves.then_some(leaf);
            } else {
                self.count(leaf, &values);
                self.worths[leaf as usize * self.roles..][..self.roles].copy_from_slice(&values);
            }
        }
        for (at, step) in path.steps.iter().rev() {
            match (step, &mut self.nodes[*at as usize].kind) {
                (Step::Slot(slot), kind) => {
                    let role = match kind {
                        Kind::Turn { role } => *role,
                        _ => 0,
                    };
                    let slot = &mut self.slots[*slot as usize];
                    slot.sum += values[role];
                    if let Some(child) = below {
                        slot.worth = self.worths[child as usize * self.roles + role];
                    }
                    if let Some(child) = proved {
                        slot.is_proved = true;
                        slot.sum = self.sums[child as usize * self.roles + role] * slot.visits as f32;
                    }
                }
                (Step::Cell(cell), Kind::Stage(stage)) => stage.learn(*cell as usize, &values),
                (Step::Slots(slots), Kind::Apart { choices }) => {
                    for (&(role, _), &slot) in choices.iter().zip(slots) {
                        self.slots[slot as usize].sum += values[role];
                    }
                }
                _ => {}
            }
            proved = proved.and_then(|_| self.prove(*at));
            if let Some(node) = proved {
                values = self.mean(node);
            } else {
                self.count(*at, &values);
            }
            self.settle(*at);
            below = Some(*at);
        }
    }

    /// Takes what a node is worth from its best slot, else from its mean.
    fn settle(&mut self, at: u32) {
        let node = &self.nodes[at as usize];
        let own = at as usize * self.roles;
        let slots = &self.slots[node.first as usize..][..node.count as usize];
        let known = slots.iter().filter(|slot| slot.worth >= 0.0);
        match known.max_by(|a, b| a.worth.total_cmp(&b.worth)) {
            Some(best) if matches!(node.kind, Kind::Turn { .. }) && !node.is_proved => {
                let from = best.child as usize * self.roles;
                self.worths.copy_within(from..from + self.roles, own);
            }
            _ => {
                let mean = self.mean(at);
                self.worths[own..][..self.roles].copy_from_slice(&mean);
            }
        }
    }

    fn count(&mut self, node: u32, values: &[f32]) {
        if self.nodes[node as usize].is_proved {
            return;
        }
        let sums = &mut self.sums[node as usize * self.roles..][..self.roles];
        sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
    }

    /// Proves the value of a node if its children say it (Winands, Björnsson and Saito, "Monte-Carlo tree search
    /// solver", 2008, for any number of roles and any goals). The node, if it is proved.
    fn prove(&mut self, at: u32) -> Option<u32> {
        let node = &self.nodes[at as usize];
        if node.is_proved {
            return Some(at);
        }
        let slots = &mut self.slots[node.first as usize..][..node.count as usize];
        let role = if let Kind::Turn { role } = node.kind { role } else { 0 };
        // What was proved on other ways to the same states counts too.
        for slot in slots.iter_mut().filter(|slot| !slot.is_proved && slot.child != NONE) {
            if self.nodes[slot.child as usize].is_proved {
                let value = self.sums[slot.child as usize * self.roles + role];
                slot.visits = slot.visits.max(1);
                (slot.is_proved, slot.sum, slot.worth) = (true, value * slot.visits as f32, value);
            }
        }
        let slots = &self.slots[node.first as usize..][..node.count as usize];
        let values = match node.kind {
            Kind::Turn { role } => {
                let best = slots.iter().filter(|slot| slot.is_proved).max_by(|a, b| {
                    let value = |slot: &Slot| self.sums[slot.child as usize * self.roles + role];
                    value(a).total_cmp(&value(b))
                })?;
                let values = self.sums[best.child as usize * self.roles..][..self.roles].to_vec();
                let is_most = values[role] >= f32::from(self.payoff.range(role).1);
                (is_most || slots.iter().all(|slot| slot.is_proved)).then_some(values)?
            }
            Kind::Chance if slots.iter().all(|slot| slot.is_proved) => {
                let mut values = vec![0.0; self.roles];
                for slot in slots {
                    let child = &self.sums[slot.child as usize * self.roles..][..self.roles];
                    values.iter_mut().zip(child).for_each(|(sum, value)| *sum += value / slots.len() as f32);
                }
                values
            }
            _ => return None,
        };
        self.sums[at as usize * self.roles..][..self.roles].copy_from_slice(&values);
        self.nodes[at as usize].is_proved = true;
        Some(at)
    }

    /// The slots of a role at the root; none where it has no choice or mixes.
    fn slots_of(&self, role: usize) -> &[Slot] {
        let node = &self.nodes[0];
        let slots = &self.slots[node.first as usize..][..node.count as usize];
        match &node.kind {
            Kind::Turn { role: mover } if *mover == role => slots,
            Kind::Apart { choices } => {
                let before: usize =
                    choices.iter().take_while(|&&(other, _)| other != role).map(|&(_, moves)| moves).sum();
                let own = choices.iter().find(|&&(other, _)| other == role).map_or(0, |&(_, moves)| moves);
                slots.get(before..before + own).unwrap_or(&[])
            }
            _ => &[],
        }
    }

    /// What the root says of the moves of a role, in move order.
    pub(super) fn tried(&self, role: usize) -> Vec<Tried> {
        let tried = |slot: &Slot| Tried {
            action: slot.action,
            visits: slot.visits.into(),
            value: slot.mean().into(),
        };
        self.slots_of(role).iter().map(tried).collect()
    }

    /// The place among them of the move to make.
    pub(super) fn best(&self, role: usize) -> Option<usize> {
        choose(self.slots_of(role), self.payoff.range(role).1.into())
    }

    /// The mixed strategy of a role at the root, if several roles choose there: for each legal move, in move order, how
    /// likely it should be, and what it is worth.
    pub(super) fn mixed(&self, role: usize) -> Option<Vec<(f64, f64)>> {
        let Kind::Stage(stage) = &self.nodes[0].kind else { return None };
        let number = stage.decisions.iter().position(|decision| decision.role == role)?;
        let strategy = stage.strategy(number);
        let worth = |(place, &likely): (usize, &f64)| (likely, stage.worth(number, place));
        Some(strategy.iter().enumerate().map(worth).collect())
    }

    /// How often the root was visited.
    pub(super) fn visits(&self) -> u32 {
        self.nodes[0].visits
    }

    /// Adds what another tree of the same root found of its moves.
    pub(super) fn merge(&mut self, other: &Self) {
        let slots = self.nodes[0].count.min(other.nodes[0].count) as usize;
        for (slot, more) in self.slots[..slots].iter_mut().zip(&other.slots) {
            if slot.is_proved {
                continue;
            }
            slot.visits += more.visits;
            slot.sum += more.sum;
        }
        let sums = self.sums[..self.roles].iter_mut().zip(&other.sums);
        if !self.nodes[0].is_proved {
            self.nodes[0].visits += other.nodes[0].visits;
            sums.for_each(|(sum, more)| *sum += more);
        }
        self.depth = self.depth.max(other.depth);
    }

    /// The joint moves tried most, as far as they were tried more than once.
    pub(super) fn line(&mut self, game: &G) -> Vec<Vec<G::Move>> {
        let mut line = Vec::new();
        let mut at = 0_u32;
        loop {
            let node = &self.nodes[at as usize];
            let Kind::Turn { role } = node.kind else { break };
            let slots = &self.slots[node.first as usize..][..node.count as usize];
            let Some(slot) = choose(slots, f32::from(self.payoff.range(role).1)) else { break };
            let child = slots[slot].child;
            if child == NONE || slots[slot].visits < 2 {
                break;
            }
            let step = Step::Slot(node.first + slot as u32);
            self.follow(game, at, &step);
            line.push(self.options.joint().to_vec());
            at = child;
        }
        line
    }

    /// The part of the tree below a state that is at most so many moves away, if there is one.
    pub(super) fn below(&self, game: &G, state: &G::State, moves: u32) -> Option<Self> {
        let mut queue = VecDeque::from([(0_u32, 0_u32)]);
        while let Some((at, depth)) = queue.pop_front() {
            if self.nodes[at as usize].state == *state {
                return Some(self.copy(game, at));
            }
            if depth < moves {
                queue.extend(self.children(at).into_iter().map(|child| (child, depth + 1)));
            }
        }
        None
    }

    fn children(&self, at: u32) -> Vec<u32> {
        let node = &self.nodes[at as usize];
        match &node.kind {
            Kind::Stage(stage) => stage.children.iter().copied().filter(|&child| child != NONE).collect(),
            // What is reached by joint moves that are hashed is left behind.
            Kind::Apart { .. } => Vec::new(),
            _ => {
                let slots = &self.slots[node.first as usize..][..node.count as usize];
                slots.iter().map(|slot| slot.child).filter(|&child| child != NONE).collect()
            }
        }
    }

    /// A tree of what is below a node.
    fn copy(&self, game: &G, root: u32) -> Self {
        let mut tree = Self::new(game, &self.nodes[root as usize].state, self.rules);
        tree.nodes.clear();
        tree.slots.clear();
        tree.sums.clear();
        tree.worths.clear();
        tree.places.fill(NONE);
        tree.more_bytes = 0;
        let mut numbers = vec![NONE; self.nodes.len()];
        numbers[root as usize] = 0;
        let mut queue = VecDeque::from([root]);
        let mut next = 1_u32;
        while let Some(old) = queue.pop_front() {
            let node = &self.nodes[old as usize];
            let first = tree.slots.len() as u32;
            let mut renumber = |child: &mut u32| {
                if *child != NONE {
                    let number = &mut numbers[*child as usize];
                    if *number == NONE {
                        queue.push_back(*child);
                        *number = next;
                        next += 1;
                    }
                    *child = *number;
                }
            };
            let mut kind = node.kind.clone();
            if let Kind::Stage(stage) = &mut kind {
                stage.children.iter_mut().for_each(&mut renumber);
                tree.more_bytes += stage.bytes();
            }
            for slot in &self.slots[node.first as usize..][..node.count as usize] {
                let mut slot = *slot;
                renumber(&mut slot.child);
                tree.slots.push(slot);
            }
            let own = old as usize * self.roles..(old as usize + 1) * self.roles;
            tree.sums.extend(&self.sums[own.clone()]);
            tree.worths.extend(&self.worths[own]);
            tree.nodes.push(Node { state: node.state.clone(), kind, first, ..*node });
            tree.index(tree.nodes.len() as u32 - 1);
        }
        tree
    }
}

impl Path {
    /// True if it led to a state whose value needs no random games.
    pub(super) fn is_proved<G: Game>(&self, tree: &Tree<G>) -> bool {
        self.node.is_some_and(|node| tree.nodes[node as usize].is_proved)
    }
}

/// What the root says of a move.
pub(super) struct Tried {
    pub(super) action: u32,
    pub(super) visits: u64,
    pub(super) value: f64,
}

/// The slot to try next (Auer, Cesa-Bianchi and Fischer, "Finite-time analysis of the multiarmed bandit problem", 2002;
/// Kocsis and Szepesvári, "Bandit based Monte-Carlo planning", 2006): one that was never tried, else the greatest upper
/// bound.
fn best(slots: &[Slot], visits: u32, bounds: Bounds, stream: &mut Stream) -> usize {
    let untried = slots.iter().filter(|slot| slot.visits == 0).count();
    if untried > 0 {
        let rank = stream.below(untried as u64) as usize;
        let mut places =
            slots.iter().enumerate().filter(|(_, slot)| slot.visits == 0).map(|(place, _)| place);
        return places.nth(rank).unwrap_or(0);
    }
    let wide = 100.0 * bounds.exploration * libm::logf(visits.max(1) as f32).sqrt();
    let bound = |slot: &Slot| {
        let mean = slot.mean();
        if slot.is_proved {
            return mean;
        }
        let ahead = if slot.worth >= 0.0 { bounds.minimax * (slot.worth - mean) } else { 0.0 };
        mean + ahead + wide / (slot.visits as f32).sqrt()
    };
    let mut most = (0, f32::NEG_INFINITY);
    for (place, slot) in slots.iter().enumerate() {
        let bound = bound(slot);
        if bound > most.1 {
            most = (place, bound);
        }
    }
    most.0
}

/// The slot to play: one that is proved to be worth the most a role can get, else the one tried most, unless what is
/// proved of another is better.
fn choose(slots: &[Slot], greatest: f32) -> Option<usize> {
    let won = slots.iter().position(|slot| slot.is_proved && slot.mean() >= greatest);
    let open = |slot: &&Slot| !slot.is_proved;
    let tried = slots.iter().enumerate().filter(|(_, slot)| open(slot)).max_by(|a, b| {
        a.1.visits.cmp(&b.1.visits).then(a.1.mean().total_cmp(&b.1.mean())).then(b.0.cmp(&a.0))
    });
    let proved = slots
        .iter()
        .enumerate()
        .filter(|(_, slot)| !open(slot))
        .max_by(|a, b| a.1.mean().total_cmp(&b.1.mean()).then(b.0.cmp(&a.0)));
    let better = match (tried, proved) {
        (Some(tried), Some(proved)) if proved.1.mean() >= tried.1.mean() => Some(proved.0),
        (Some(tried), _) => Some(tried.0),
        (None, proved) => proved.map(|(place, _)| place),
    };
    won.or(better)
}
