//! Monte Carlo tree search for hidden information: statistics belong to information sets, not to
//! states.

use super::{
    SearchResult,
    growth::Grow,
    meter::Meter,
    options::Options,
    payoff::Payoff,
    rollouts::{RolloutKind, Rollouts},
    sets::{NO_SET, Sets},
};
use crate::player::{Belief, Budget, Player, Report};
use gdl_runtime::{Game, GameExt, Information, chance::Stream, game::Id, information::Step};
use std::{
    fmt,
    time::{Duration, Instant},
};

/// Monte Carlo tree search over information sets, one tree for each role (MO-ISMCTS: Cowling,
/// Powley and Whitehouse, "Information set Monte Carlo tree search", 2012). Each playout draws a
/// play that is consistent with the role's information, and each role chooses by the statistics of
/// its own information set. So playouts never use hidden information, and the moves of the others
/// are evidence of what they know.
///
/// Consistent plays are followed from the initial state, with each role's information set. If a
/// step has more than 4,096 of them, a sample is followed. Plays are weighted by the probability of
/// their moves in the search. A node of the budget is a play.
pub struct Ismcts<G: Game> {
    seed: u64,
    bytes: usize,
    /// The number of searches so far.
    searches: u64,
    memory: Option<Memory<G>>,
    belief: Belief<G>,
    report: Option<Report>,
}

impl<G: Game> fmt::Debug for Ismcts<G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ismcts").field("seed", &self.seed).field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// A consistent play: its state, the information set of each role, and its weight.
#[derive(Clone)]
struct World<S> {
    state: S,
    known: Box<[u32]>,
    weight: f64,
}

/// A move of a role at an information set, with its statistics.
#[derive(Clone, Copy)]
struct Slot {
    action: u32,
    visits: u32,
    /// The number of visits of the information set in which the move was legal.
    available: u32,
    sum: f32,
}

/// The slots on a path down the trees, each with its role.
type Way = Vec<(u32, usize)>;

/// The data that a search keeps during a match.
struct Memory<G: Game> {
    sets: Sets,
    /// The first slot of each information set, and the number of its slots.
    spans: Vec<(u32, u32)>,
    slots: Vec<Slot>,
    /// The maximum number of slots of an information set.
    widest: usize,
    worlds: Vec<World<G::State>>,
    /// The steps of the role that the worlds have followed.
    followed: Vec<Step<G>>,
    role: G::Role,
}

/// The maximum number of plays that are all followed. If there are more, a sample of at most
/// `SAMPLE` plays is drawn, with `TRIES` tries for each.
const MOST_WORLDS: usize = 4096;
const SAMPLE: usize = 512;
const TRIES: usize = 32;

/// The share of a role's moves that is assumed to be uniformly random.
const RANDOM: f64 = 0.3;

/// The factors of the confidence bounds, if many random games judge a leaf, and if one does.
const EXPLORATION: [f32; 2] = [0.3, 0.7];

/// The maximum number of steps of a play below the root.
const LONGEST: usize = 1000;

impl<G: Game> Memory<G> {
    fn new(game: &G, role: G::Role) -> Self {
        let sets = Sets::new(game);
        let worlds = vec![World { state: game.initial(), known: sets.start(), weight: 1.0 }];
        Self { sets, spans: Vec::new(), slots: Vec::new(), widest: 0, worlds, followed: Vec::new(), role }
    }

    fn bytes(&self) -> usize {
        let worlds = self.worlds.first().map_or(0, |world| {
            self.worlds.len() * (size_of_val(world) + 8 * world.state.as_ref().len() + 4 * world.known.len())
        });
        self.sets.bytes() + self.spans.held() + self.slots.held() + worlds
    }

    /// Returns whether the data, with the growth of their lists, fit into `bytes` bytes.
    fn has_room(&self, bytes: usize) -> bool {
        let spans = self.spans.growth((self.sets.len() + 1).saturating_sub(self.spans.len()));
        let growth = self.sets.growth() + spans + self.slots.growth(self.widest);
        self.bytes() + growth <= bytes
    }

    fn span(&self, known: u32) -> (usize, usize) {
        let (first, count) = self.spans.get(known as usize).copied().unwrap_or((0, 0));
        (first as usize, count as usize)
    }

    /// Adds the slots of an information set, unless they exist. Returns true if they existed.
    fn open(&mut self, known: u32, moves: &[G::Move]) -> bool {
        if self.span(known).1 > 0 {
            return true;
        }
        let more = (known as usize + 1).saturating_sub(self.spans.len());
        self.spans.grow(more);
        self.spans.resize(self.spans.len() + more, (0, 0));
        self.widest = self.widest.max(moves.len());
        self.slots.grow(moves.len());
        self.spans[known as usize] = (self.slots.len() as u32, moves.len() as u32);
        let slot =
            |action: &G::Move| Slot { action: action.index() as u32, visits: 0, available: 0, sum: 0.0 };
        self.slots.extend(moves.iter().map(slot));
        false
    }

    /// Returns the assumed probability of a move at the information set `known`, where `moves` is
    /// the number of legal moves.
    fn likely(&self, known: u32, action: u32, moves: usize) -> f64 {
        let even = 1.0 / moves as f64;
        let (first, count) = self.span(known);
        let slots = &self.slots[first..first + count];
        let visits: u32 = slots.iter().map(|slot| slot.visits).sum();
        let own = slots.iter().find(|slot| slot.action == action).map_or(0, |slot| slot.visits);
        if visits < 16 {
            return even;
        }
        RANDOM * even + (1.0 - RANDOM) * f64::from(own) / f64::from(visits)
    }

    /// Follows a step of the role in all worlds. Returns false if no world is consistent with it.
    fn step(&mut self, game: &G, step: &Step<G>, stream: &mut Stream) -> bool {
        let (mut options, mut view) = (Options::new(game), game.new_view());
        let before = std::mem::take(&mut self.worlds);
        let role = self.role.index();
        let mut next: Vec<World<G::State>> = Vec::new();
        let mut ways = 0_u64;
        for world in &before {
            game.observe_without_goals(&world.state, &mut view);
            if options.read(game, &view) {
                ways = ways.saturating_add(options.joints() / options.of(role).len() as u64);
            }
        }
        let total: f64 = before.iter().map(|world| world.weight).sum();
        if ways <= MOST_WORLDS as u64 {
            for world in &before {
                game.observe_without_goals(&world.state, &mut view);
                if game.is_terminal_in(&view)
                    || !options.read(game, &view)
                    || !options.of(role).contains(&step.0)
                {
                    continue;
                }
                let others: Vec<usize> = (0..game.shape().roles).filter(|&other| other != role).collect();
                for way in 0..options.ways(&others) {
                    options.set_way(&others, way);
                    options.set(role, step.0);
                    next.extend(self.fit(game, world, &options, &others, step));
                }
            }
        } else {
            for _ in 0..SAMPLE * TRIES {
                if next.len() >= SAMPLE {
                    break;
                }
                let Some(world) = draw(&before, total, stream) else { break };
                game.observe_without_goals(&world.state, &mut view);
                if game.is_terminal_in(&view)
                    || !options.read(game, &view)
                    || !options.of(role).contains(&step.0)
                {
                    continue;
                }
                let others: Vec<usize> = (0..game.shape().roles).filter(|&other| other != role).collect();
                for &other in &others {
                    let moves = options.of(other);
                    let drawn = moves[stream.below(moves.len() as u64) as usize];
                    options.set(other, drawn);
                }
                options.set(role, step.0);
                let even: f64 = others.iter().map(|&other| options.of(other).len() as f64).product();
                // The uniform draw is corrected by the weight: the product of the numbers of moves.
                let drawn = World { weight: even, ..world.clone() };
                next.extend(self.fit(game, &drawn, &options, &others, step));
            }
        }
        next.sort_by(|a, b| (&a.state, &a.known).cmp(&(&b.state, &b.known)));
        next.dedup_by(|world, kept| {
            let is_same = (&world.state, &world.known) == (&kept.state, &kept.known);
            kept.weight += if is_same { world.weight } else { 0.0 };
            is_same
        });
        let most = next.iter().map(|world| world.weight).fold(0.0, f64::max);
        next.iter_mut().for_each(|world| world.weight /= most.max(f64::MIN_POSITIVE));
        self.worlds = next;
        self.followed.push(step.clone());
        !self.worlds.is_empty()
    }

    /// Returns a world after a joint move, if the role's percepts match the step.
    fn fit(
        &mut self,
        game: &G,
        world: &World<G::State>,
        options: &Options<G>,
        others: &[usize],
        step: &Step<G>,
    ) -> Option<World<G::State>> {
        let joint = options.joint();
        if game.perception(&world.state, joint, self.role) != step.1 {
            return None;
        }
        let chance = game.chance_role().map(Id::index);
        let mut weight = world.weight;
        for &other in others {
            let moves = options.of(other).len();
            weight *= if Some(other) == chance {
                1.0 / moves as f64
            } else {
                self.likely(world.known[other], joint[other].index() as u32, moves)
            };
        }
        let mut known = world.known.clone();
        self.sets.follow(game, &mut known, &world.state, joint, true);
        Some(World { state: game.apply_unchecked(&world.state, joint), known, weight })
    }
}

/// Draws a world by weight.
fn draw<'w, S>(worlds: &'w [World<S>], total: f64, stream: &mut Stream) -> Option<&'w World<S>> {
    let mut rank = stream.bits() as f64 / u64::MAX as f64 * total;
    let found = worlds.iter().find(|world| {
        rank -= world.weight;
        rank < 0.0
    });
    found.or(worlds.last())
}

impl<G: Game> Ismcts<G> {
    /// The default of [`Ismcts::memory`], in bytes.
    pub const DEFAULT_BYTES: usize = 256 << 20;

    /// The number of nodes of a search whose budget has no limit.
    pub const DEFAULT_NODES: u64 = 10_000;

    /// The minimum number of nodes and the minimum time of a budget that make up for the setup of
    /// lanes.
    const LANES_FROM: (u64, Duration) = (64, Duration::from_millis(10));

    /// Creates a search.
    #[must_use]
    pub fn new() -> Self {
        Self {
            seed: 0,
            bytes: Self::DEFAULT_BYTES,
            searches: 0,
            memory: None,
            belief: Belief::new(0),
            report: None,
        }
    }

    /// Sets the seed of all randomness; 0 by default.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self.belief = Belief::new(seed);
        self
    }

    /// Sets the maximum number of bytes of the trees. Trees stop growing once they have reached it.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Searches the information set of a role. Results of earlier searches in the same match are
    /// reused.
    pub fn search(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> SearchResult<G> {
        let role = information.role();
        let mut stream = Stream::new(self.seed, self.searches << 1);
        self.searches += 1;
        let mut memory = self.follow(game, information, &mut stream);
        let Some(world) = memory.worlds.first() else { return SearchResult::only(None) };
        let legal: Vec<G::Move> = game.legal_moves(&world.state, role).collect();
        let mut found: SearchResult<G> = SearchResult::only(legal.first().copied());
        if legal.is_empty() {
            self.memory = Some(memory);
            return found;
        }
        let known = world.known[role.index()];
        if known != NO_SET {
            memory.open(known, &legal);
        }
        let mut meter = Meter::new(budget, Self::DEFAULT_NODES);
        let (playouts, depth) = self.play(game, &mut memory, budget, &mut meter, &mut stream);
        let (first, count) = memory.span(known);
        let slots = &memory.slots[first..first + count];
        let mean =
            |slot: &Slot| if slot.visits == 0 { 0.0 } else { f64::from(slot.sum) / f64::from(slot.visits) };
        let tried =
            |slot: &Slot| (G::Move::from_index(slot.action as usize), u64::from(slot.visits), mean(slot));
        found.moves = slots
            .iter()
            .filter(|slot| legal.iter().any(|action| action.index() as u32 == slot.action))
            .map(tried)
            .collect();
        found.moves.sort_by(|a, b| b.1.cmp(&a.1).then(b.2.total_cmp(&a.2)).then(a.0.cmp(&b.0)));
        if let Some(&(action, visits, _)) = found.moves.first() {
            found.action = Some(action).filter(|_| visits > 0).or(found.action);
        }
        let visits: u64 = found.moves.iter().map(|tried| tried.1).sum();
        let sum: f64 = found.moves.iter().map(|tried| tried.1 as f64 * tried.2).sum();
        let report = &mut found.report;
        report.nodes = meter.nodes();
        report.playouts = playouts;
        report.depth = depth;
        report.bytes = memory.bytes() as u64;
        report.seconds = meter.seconds();
        report.value = (visits > 0).then(|| sum / visits as f64);
        report.note = Some(match memory.worlds.len() {
            1 => "1 play fits".to_owned(),
            plays => format!("{plays} plays fit"),
        });
        self.memory = Some(memory);
        found
    }

    /// Updates the worlds to the information. Starts again unless the information continues that of
    /// the last search: the same role, and the same steps so far.
    fn follow(&mut self, game: &G, information: &Information<G>, stream: &mut Stream) -> Memory<G> {
        let steps = information.steps();
        let role = information.role();
        let continues = |memory: &Memory<G>| memory.role == role && steps.starts_with(&memory.followed);
        let kept = self.memory.take().filter(continues);
        let mut memory = kept.unwrap_or_else(|| Memory::new(game, role));
        while let Some(step) = steps.get(memory.followed.len()) {
            if !memory.step(game, step, stream) {
                // Falls back to states of a belief, without the information sets of the others.
                self.belief.follow(game, information);
                let known: Box<[u32]> = vec![NO_SET; game.shape().roles].into();
                let world = |(state, weight): &(G::State, u128)| World {
                    state: state.clone(),
                    known: known.clone(),
                    weight: *weight as f64,
                };
                memory.worlds = self.belief.worlds().iter().map(world).collect();
                memory.followed = steps.to_vec();
                let own = memory.sets.start()[role.index()];
                let own = steps.iter().fold(own, |own, step| memory.sets.find::<G>(own, step, true));
                memory.worlds.iter_mut().for_each(|world| world.known[role.index()] = own);
            }
        }
        memory
    }

    /// Plays until the budget is spent. Returns the number of random games, and the greatest depth.
    fn play(
        &self,
        game: &G,
        memory: &mut Memory<G>,
        budget: &Budget,
        meter: &mut Meter,
        stream: &mut Stream,
    ) -> (u64, u32) {
        let left = budget.deadline().map(|end| end.saturating_duration_since(Instant::now()));
        let in_lanes = budget.nodes().is_none_or(|nodes| nodes >= Self::LANES_FROM.0)
            && left.is_none_or(|left| left >= Self::LANES_FROM.1);
        let mut rollouts =
            Rollouts::new(game, RolloutKind::of(in_lanes), self.seed.wrapping_add(self.searches << 32), 0);
        let mut descent = Descent {
            game,
            payoff: Payoff::new(game),
            options: Options::new(game),
            view: game.new_view(),
            exploration: EXPLORATION[usize::from(rollouts.batch() == 1)],
            bytes: self.bytes,
            has_room: memory.has_room(self.bytes),
            depth: 0,
        };
        let (mut playouts, mut means) = (0, Vec::new());
        let mut batch: Vec<(Way, G::State)> = Vec::new();
        let total: f64 = memory.worlds.iter().map(|world| world.weight).sum();
        while !meter.is_over() {
            while batch.len() < rollouts.batch() && meter.tick() {
                let Some(world) = draw(&memory.worlds, total, stream).cloned() else { break };
                let (path, state, goals) = descent.go(memory, world, stream);
                match goals {
                    Some(goals) => backup(memory, &path, &goals),
                    None => batch.push((path, state)),
                }
            }
            descent.has_room = memory.has_room(self.bytes);
            if batch.is_empty() {
                continue;
            }
            let states: Vec<&G::State> = batch.iter().map(|(_, state)| state).collect();
            playouts += rollouts.play(&states, &mut means);
            for ((path, _), judged) in batch.drain(..).zip(means.chunks(game.shape().roles)) {
                backup(memory, &path, judged);
            }
            if rollouts.batch() > 1 {
                meter.look();
            }
        }
        (playouts, descent.depth)
    }
}

/// Adds the goals of a play to the slots on its path, each for its role.
fn backup<G: Game>(memory: &mut Memory<G>, path: &[(u32, usize)], goals: &[f32]) {
    for &(role, slot) in path {
        memory.slots[slot].sum += goals[role as usize];
    }
}

/// A descent from a world down the trees.
struct Descent<'g, G: Game> {
    game: &'g G,
    payoff: Payoff,
    options: Options<G>,
    view: G::View,
    exploration: f32,
    bytes: usize,
    has_room: bool,
    depth: u32,
}

impl<G: Game> Descent<'_, G> {
    /// Returns the slots on the path and the last state, with the goals if the play ends there.
    fn go(
        &mut self,
        memory: &mut Memory<G>,
        world: World<G::State>,
        stream: &mut Stream,
    ) -> (Way, G::State, Option<Vec<f32>>) {
        let (game, roles) = (self.game, self.game.shape().roles);
        let chance = game.chance_role().map(Id::index);
        let World { mut state, mut known, .. } = world;
        let mut path = Vec::new();
        for depth in 0..LONGEST {
            game.observe_without_goals(&state, &mut self.view);
            let is_over = game.is_terminal_in(&self.view);
            if is_over || !self.options.read(game, &self.view) {
                game.observe(&state, &mut self.view);
                let goals = (0..roles).map(|role| f32::from(self.payoff.goal(self.view.as_ref(), role)));
                return (path, state, Some(goals.collect()));
            }
            self.depth = self.depth.max(depth as u32);
            let mut is_new = false;
            for role in 0..roles {
                let moves = self.options.of(role);
                if moves.len() == 1 {
                    continue;
                }
                let place = if Some(role) == chance {
                    stream.below(moves.len() as u64) as usize
                } else if known[role] == NO_SET || memory.span(known[role]).1 == 0 && !self.has_room {
                    is_new |= !self.has_room;
                    stream.below(moves.len() as u64) as usize
                } else {
                    is_new |= !memory.open(known[role], moves);
                    self.choose(memory, known[role], role, &mut path, stream)
                };
                let action = self.options.of(role)[place];
                self.options.set(role, action);
            }
            if self.has_room || known.iter().any(|&known| memory.span(known).1 > 0) {
                memory.sets.follow(game, &mut known, &state, self.options.joint(), self.has_room);
            }
            self.has_room &= memory.has_room(self.bytes);
            game.advance(&mut state, self.options.joint());
            if is_new {
                break;
            }
        }
        (path, state, None)
    }

    /// Returns the place of the move that a role tries: a random untried one, otherwise the legal
    /// one with the greatest upper bound.
    fn choose(
        &mut self,
        memory: &mut Memory<G>,
        known: u32,
        role: usize,
        path: &mut Way,
        stream: &mut Stream,
    ) -> usize {
        let (first, count) = memory.span(known);
        let moves = self.options.of(role);
        let slots = &mut memory.slots[first..first + count];
        let mut best = (0, f32::NEG_INFINITY, first);
        let mut untried = 0;
        for (place, action) in moves.iter().enumerate() {
            let Ok(at) = slots.binary_search_by_key(&(action.index() as u32), |slot| slot.action) else {
                continue;
            };
            let slot = &mut slots[at];
            slot.available += 1;
            if slot.visits == 0 {
                untried += 1;
                // Each untried move is equally likely (reservoir sampling).
                if stream.below(untried) == 0 {
                    best = (place, f32::INFINITY, first + at);
                }
                continue;
            }
            let visits = slot.visits as f32;
            let wide = 100.0 * self.exploration * (libm::logf(slot.available as f32) / visits).sqrt();
            let bound = slot.sum / visits + wide;
            if bound > best.1 {
                best = (place, bound, first + at);
            }
        }
        if best.1 > f32::NEG_INFINITY {
            memory.slots[best.2].visits += 1;
            path.push((role as u32, best.2));
        }
        best.0
    }
}

impl<G: Game> Default for Ismcts<G> {
    fn default() -> Self {
        Self::new()
    }
}

impl<G: Game> Player<G> for Ismcts<G> {
    fn name(&self) -> &'static str {
        "ismcts"
    }

    fn start(&mut self, game: &G, role: G::Role, budget: &Budget) {
        self.memory = None;
        // The trees keep the results of the search before the first move.
        if !budget.is_spent() {
            self.search(game, &Information::new(role), budget);
        }
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        let found = self.search(game, information, budget);
        self.report = Some(found.describe(game));
        found.action
    }

    fn stop(&mut self, _: &G, _: &Information<G>) {
        self.memory = None;
    }

    fn abort(&mut self) {
        self.memory = None;
    }

    fn report(&self) -> Option<Report> {
        self.report.clone()
    }
}
