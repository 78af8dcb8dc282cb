//! All histories of a game, and the regrets of the roles at their information sets.
//!
//! Histories are found once, so a round of regrets needs no step of the game. If several roles
//! choose in a state, they choose one after the other, without knowing the earlier choices.
//! Histories take no more bytes than given. A walk recurses once for each choice, so games with
//! more than [`MOST_CHOICES`] choices in a history are rejected.

use crate::search::{
    SolveError,
    growth::Grow,
    meter::Meter,
    options::Options,
    payoff::Payoff,
    sets::{NO_SET, Sets},
};
use gdl_runtime::{Game, GameExt, Information, game::Id};
use std::{
    marker::PhantomData,
    time::{Duration, Instant},
};

/// The initial estimate of the time of a history in a round.
const LOOK: Duration = Duration::from_nanos(10);

/// The maximum number of choices in a history.
const MOST_CHOICES: u32 = 500;

/// The continuation of a history.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// A terminal state: the index of the roles' goals.
    End(u32),
    Chance,
    /// The decision of a role, by its index in `choices`.
    Choice(u32),
}

#[derive(Clone, Copy, Debug)]
struct HistoryNode {
    next: Next,
    /// The index of the first child; the children are consecutive.
    first: u32,
    count: u32,
}

/// The decision of a role at an information set.
struct SetChoice<M> {
    role: u32,
    moves: Box<[M]>,
    /// The index of the first move's entry in the lists of regrets and strategies.
    first: usize,
    /// The index of the entry of the role's previous move, or [`NO_SET`].
    before: u32,
}

/// The search for all histories: the open ones, and the buffers for extending them.
struct Finder<'g, G: Game> {
    game: &'g G,
    payoff: Payoff,
    options: Options<G>,
    view: G::View,
    open: Vec<OpenHistory<G::State>>,
    bytes: usize,
}

impl<G: Game> Finder<'_, G> {
    /// Advances a history to the next choice, and returns the roles that choose. In a terminal
    /// state, stores the goals and returns no roles.
    fn go_on(
        &mut self,
        histories: &mut Histories<G>,
        at: &mut OpenHistory<G::State>,
        meter: &mut Meter,
    ) -> Result<Vec<usize>, SolveError> {
        let (game, roles) = (self.game, self.game.shape().roles);
        for _ in at.depth..=MOST_CHOICES {
            if !meter.tick() {
                return Err(SolveError::Budget);
            }
            game.observe(&at.state, &mut self.view);
            if game.is_terminal_in(&self.view) || !self.options.read(game, &self.view) {
                histories.nodes[at.node as usize].next = Next::End(histories.goals.len() as u32);
                let goals = (0..roles).map(|role| f32::from(self.payoff.goal(self.view.as_ref(), role)));
                histories.goals.grow(roles);
                histories.goals.extend(goals);
                return Ok(Vec::new());
            }
            let deciders: Vec<usize> = (0..roles).filter(|&role| self.options.of(role).len() > 1).collect();
            if !deciders.is_empty() {
                return Ok(deciders);
            }
            histories.sets.follow(game, &mut at.known, &at.state, self.options.joint(), true);
            game.advance(&mut at.state, self.options.joint());
        }
        Err(SolveError::Length)
    }

    /// Adds the histories after each joint move of a state; one role chooses after the other.
    fn branch(
        &mut self,
        histories: &mut Histories<G>,
        at: &OpenHistory<G::State>,
        deciders: &[usize],
    ) -> Result<(), SolveError> {
        let (game, limit) = (self.game, self.bytes);
        let depth = at.depth + deciders.len() as u32;
        if depth > MOST_CHOICES {
            return Err(SolveError::Length);
        }
        let ways = self.options.ways(deciders);
        // Open histories store states, whose bytes count.
        let one = size_of::<OpenHistory<G::State>>() + size_of_val(at.state.as_ref()) + 8 * at.known.len();
        let waiting = ways.saturating_mul(one as u64);
        let now = (histories.bytes() + self.open.held() + self.open.len() * one) as u64;
        let is_vast = ways > u64::from(u32::MAX / 4) || now.saturating_add(waiting) > limit as u64;
        if is_vast
            || now + waiting + (histories.growth(ways as usize) + self.open.growth(ways as usize)) as u64
                > limit as u64
        {
            return Err(SolveError::Bytes { limit });
        }
        self.open.grow(ways as usize);
        let chance = game.chance_role().map(Id::index);
        let mut level = vec![at.node];
        let mut firsts = Vec::with_capacity(deciders.len());
        for &role in deciders {
            let moves = self.options.of(role);
            let (next, first) = if Some(role) == chance {
                (Next::Chance, None)
            } else {
                let choice = histories.choice(at.known[role], role, moves, at.made[role]);
                (Next::Choice(choice), Some(histories.choices[choice as usize].first as u32))
            };
            firsts.push(first);
            let count = moves.len() as u32;
            let mut below = Vec::with_capacity(level.len() * moves.len());
            for node in level {
                let first = histories.nodes.len() as u32;
                histories.nodes[node as usize] = HistoryNode { next, first, count };
                histories.nodes.grow(count as usize);
                let none = HistoryNode { next: Next::Chance, first: 0, count: 0 };
                histories.nodes.resize((first + count) as usize, none);
                below.extend(first..first + count);
            }
            level = below;
        }
        for (way, node) in level.into_iter().enumerate() {
            self.options.set_way(deciders, way as u64);
            let (mut known, mut made) = (at.known.clone(), at.made.clone());
            let mut rest = way as u32;
            for (&role, first) in deciders.iter().zip(&firsts).rev() {
                let count = self.options.of(role).len() as u32;
                made[role] = first.map_or(NO_SET, |first| first + rest % count);
                rest /= count;
            }
            let joint = self.options.joint();
            histories.sets.follow(game, &mut known, &at.state, joint, true);
            let state = game.apply_unchecked(&at.state, joint);
            self.open.push(OpenHistory { node, state, known, made, depth });
        }
        Ok(())
    }
}

/// The histories of a game as a tree, with the regrets and strategies of all choices.
pub(super) struct Histories<G: Game> {
    sets: Sets,
    nodes: Vec<HistoryNode>,
    goals: Vec<f32>,
    choices: Vec<SetChoice<G::Move>>,
    /// The choice at each information set, or [`NO_SET`].
    choice_of: Vec<u32>,
    regrets: Vec<f64>,
    news: Vec<f64>,
    /// The strategy of this round, and the sum of all rounds' strategies, weighted by the round.
    current: Vec<f64>,
    average: Vec<f64>,
    rounds: u64,
    /// The longest time of a round so far.
    longest: Duration,
    players: Vec<usize>,
    game: PhantomData<fn() -> G>,
}

/// A history that is not extended yet.
struct OpenHistory<S> {
    node: u32,
    state: S,
    /// The information set of each role, and the index of the entry of its last move.
    known: Box<[u32]>,
    made: Box<[u32]>,
    /// The number of choices so far.
    depth: u32,
}

impl<G: Game> Histories<G> {
    /// Finds all histories; each is a node of the meter.
    pub(super) fn of(game: &G, bytes: usize, meter: &mut Meter) -> Result<Self, SolveError> {
        let roles = game.shape().roles;
        let chance = game.chance_role().map(Id::index);
        let players = (0..roles).filter(|&role| Some(role) != chance).collect();
        let mut histories = Self {
            sets: Sets::new(game),
            nodes: vec![HistoryNode { next: Next::Chance, first: 0, count: 0 }],
            goals: Vec::new(),
            choices: Vec::new(),
            choice_of: Vec::new(),
            regrets: Vec::new(),
            news: Vec::new(),
            current: Vec::new(),
            average: Vec::new(),
            rounds: 0,
            longest: Duration::ZERO,
            players,
            game: PhantomData,
        };
        let (known, made) = (histories.sets.start(), vec![NO_SET; roles].into());
        let mut finder = Finder {
            game,
            payoff: Payoff::new(game),
            options: Options::new(game),
            view: game.new_view(),
            open: vec![OpenHistory { node: 0, state: game.initial(), known, made, depth: 0 }],
            bytes,
        };
        while let Some(mut at) = finder.open.pop() {
            let deciders = finder.go_on(&mut histories, &mut at, meter)?;
            if !deciders.is_empty() {
                finder.branch(&mut histories, &at, &deciders)?;
            }
        }
        let figures = histories.average.len();
        (histories.news, histories.current) = (vec![0.0; figures], vec![0.0; figures]);
        histories.longest = LOOK * (histories.nodes.len() * histories.players.len()).min(1 << 30) as u32;
        Ok(histories)
    }

    /// Returns the choice of a role at an information set, and adds it if it is new.
    fn choice(&mut self, known: u32, role: usize, moves: &[G::Move], before: u32) -> u32 {
        let more = (known as usize + 1).saturating_sub(self.choice_of.len());
        self.choice_of.grow(more);
        self.choice_of.resize(self.choice_of.len() + more, NO_SET);
        let number = self.choices.len() as u32;
        let place = &mut self.choice_of[known as usize];
        if *place != NO_SET && self.choices[*place as usize].moves[..] == *moves {
            return *place;
        }
        *place = number;
        let first = self.average.len();
        self.choices.grow(1);
        self.choices.push(SetChoice { role: role as u32, moves: moves.into(), first, before });
        for list in [&mut self.regrets, &mut self.average] {
            list.grow(moves.len());
            list.resize(first + moves.len(), 0.0);
        }
        number
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Returns the bytes in use.
    pub(super) fn bytes(&self) -> usize {
        let figures = self.average.len() * (2 * size_of::<f64>() + size_of::<G::Move>());
        self.sets.bytes()
            + self.nodes.held()
            + self.goals.held()
            + self.choice_of.held()
            + self.choices.held()
            + self.average.held()
            + self.regrets.held()
            + figures
    }

    /// Returns an upper bound of the bytes of the longer lists that `more` further histories need.
    fn growth(&self, more: usize) -> usize {
        let choices = self.choice_of.growth(self.sets.len().saturating_sub(self.choice_of.len()) + 1);
        self.sets.growth()
            + self.nodes.growth(2 * more)
            // Chance has goals too.
            + self.goals.growth(more * (self.players.len() + 1))
            + choices
            + self.choices.growth(more)
            + self.average.growth(more)
            + self.regrets.growth(more)
    }

    /// Runs rounds of regrets, one role after the other; each history is a node. A round that has
    /// begun is finished, and time for another walk over all histories is left.
    pub(super) fn improve(&mut self, meter: &mut Meter) {
        let mut values = Vec::new();
        while meter.leaves(2 * self.longest) && meter.spend(self.nodes.len() as u64) {
            let start = Instant::now();
            self.rounds += 1;
            let weight = self.rounds as f64;
            for player in self.players.clone() {
                self.choose();
                self.news.fill(0.0);
                self.walk(0, player, 1.0, &mut values);
                for (regret, news) in self.regrets.iter_mut().zip(&self.news) {
                    *regret = (*regret + news).max(0.0);
                }
                self.count(player, weight);
            }
            self.longest = self.longest.max(start.elapsed());
            meter.look();
        }
    }

    /// Sets the current strategies in proportion to positive regrets.
    fn choose(&mut self) {
        for choice in &self.choices {
            let span = choice.first..choice.first + choice.moves.len();
            let total: f64 = self.regrets[span.clone()].iter().sum();
            let even = 1.0 / choice.moves.len() as f64;
            for place in span {
                self.current[place] = if total > 0.0 { self.regrets[place] / total } else { even };
            }
        }
    }

    /// Adds a player's current strategy to the average; each choice is weighted by the probability
    /// of the player's own moves to it.
    fn count(&mut self, player: usize, weight: f64) {
        // `choices` is in the order of play, so the entry at `choice.before` is already updated.
        for choice in self.choices.iter().filter(|choice| choice.role as usize == player) {
            let own = if choice.before == NO_SET { 1.0 } else { self.news[choice.before as usize] };
            for place in choice.first..choice.first + choice.moves.len() {
                self.news[place] = own * self.current[place];
                self.average[place] += weight * self.news[place];
            }
        }
    }

    /// Returns the value of a history for a player, and adds up the player's regrets.
    fn walk(&mut self, node: u32, player: usize, others: f64, values: &mut Vec<f64>) -> f64 {
        let HistoryNode { next, first, count } = self.nodes[node as usize];
        match next {
            Next::End(goals) => self.goals[goals as usize + player].into(),
            Next::Chance => {
                let each = 1.0 / f64::from(count);
                (first..first + count)
                    .fold(0.0, |sum, child| sum + each * self.walk(child, player, others * each, values))
            }
            Next::Choice(choice) => {
                let (role, at) =
                    (self.choices[choice as usize].role as usize, self.choices[choice as usize].first);
                if role != player {
                    return (0..count).fold(0.0, |sum, place| {
                        let share = self.current[at + place as usize];
                        // Histories after a move of probability 0 have no weight.
                        if share <= 0.0 {
                            return sum;
                        }
                        sum + share * self.walk(first + place, player, others * share, values)
                    });
                }
                let base = values.len();
                let mut mean = 0.0;
                for place in 0..count {
                    let share = self.current[at + place as usize];
                    let value = self.walk(first + place, player, others, values);
                    values.push(value);
                    mean += share * value;
                }
                for place in 0..count as usize {
                    self.news[at + place] += others * (values[base + place] - mean);
                }
                values.truncate(base);
                mean
            }
        }
    }

    /// Returns the average strategy at a choice.
    fn shares(&self, choice: u32) -> Vec<f64> {
        let SetChoice { first, moves, .. } = &self.choices[choice as usize];
        let shares = &self.average[*first..first + moves.len()];
        let total: f64 = shares.iter().sum();
        let even = 1.0 / moves.len() as f64;
        shares.iter().map(|share| if total > 0.0 { share / total } else { even }).collect()
    }

    /// Returns the moves of a role at its information, each with its probability.
    pub(super) fn strategy(&mut self, information: &Information<G>) -> Option<Vec<(G::Move, f64)>> {
        let steps = information.steps().iter();
        let start = information.role().index() as u32;
        let known = steps.fold(start, |known, step| self.sets.find::<G>(known, step, false));
        let choice = *self.choice_of.get(known as usize)?;
        if choice == NO_SET {
            return None;
        }
        let moves = self.choices[choice as usize].moves.iter().copied();
        Some(moves.zip(self.shares(choice)).collect())
    }

    /// Returns the moves of a strategy, most probable first. Each has its share of the rounds, and
    /// its probability in percent.
    pub(super) fn tried(&self, strategy: &[(G::Move, f64)]) -> Vec<(G::Move, u64, f64)> {
        let mut sorted: Vec<_> = strategy.to_vec();
        sorted.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        #[allow(clippy::cast_sign_loss, reason = "shares are none below 0")]
        let rounds = |share: f64| (share * self.rounds as f64).round() as u64;
        sorted.into_iter().map(|(action, share)| (action, rounds(share), 100.0 * share)).collect()
    }

    /// Returns the value for a role if all play their average strategies.
    pub(super) fn value(&self, role: usize) -> f64 {
        self.expect(0, role)
    }

    fn expect(&self, node: u32, role: usize) -> f64 {
        let HistoryNode { next, first, count } = self.nodes[node as usize];
        let children = (first..first + count).map(|child| self.expect(child, role));
        match next {
            Next::End(goals) => self.goals[goals as usize + role].into(),
            Next::Chance => children.sum::<f64>() / f64::from(count),
            Next::Choice(choice) => {
                self.shares(choice).into_iter().zip(children).map(|(share, value)| share * value).sum()
            }
        }
    }

    /// Returns the gain of a best response over the average strategy, as a mean over the roles.
    pub(super) fn exploitability(&self) -> f64 {
        let gain = |&player: &usize| Response::of(self, player) - self.value(player);
        self.players.iter().map(gain).sum::<f64>() / self.players.len().max(1) as f64
    }
}

/// The best response of a player to the average strategies of the others.
struct Response<'h, G: Game> {
    histories: &'h Histories<G>,
    player: usize,
    /// The histories at each choice of the player, with their probabilities by the moves of the
    /// others and chance.
    reached: Vec<Vec<(u32, f64)>>,
    best: Vec<u32>,
    /// The values of histories; NaN if not computed yet.
    values: Vec<f64>,
}

impl<'h, G: Game> Response<'h, G> {
    /// Returns the value of the best response.
    fn of(histories: &'h Histories<G>, player: usize) -> f64 {
        let mut response = Self {
            histories,
            player,
            reached: vec![Vec::new(); histories.choices.len()],
            best: vec![NO_SET; histories.choices.len()],
            values: vec![f64::NAN; histories.nodes.len()],
        };
        response.reach(0, 1.0);
        response.value(0)
    }

    fn reach(&mut self, node: u32, likely: f64) {
        let HistoryNode { next, first, count } = self.histories.nodes[node as usize];
        let shares = match next {
            Next::End(_) => return,
            Next::Chance => vec![1.0 / f64::from(count); count as usize],
            Next::Choice(choice) if self.histories.choices[choice as usize].role as usize == self.player => {
                self.reached[choice as usize].push((node, likely));
                vec![1.0; count as usize]
            }
            Next::Choice(choice) => self.histories.shares(choice),
        };
        for (child, share) in (first..).zip(shares) {
            self.reach(child, likely * share);
        }
    }

    fn value(&mut self, node: u32) -> f64 {
        if !self.values[node as usize].is_nan() {
            return self.values[node as usize];
        }
        let HistoryNode { next, first, count } = self.histories.nodes[node as usize];
        let value = match next {
            Next::End(goals) => self.histories.goals[goals as usize + self.player].into(),
            Next::Chance => {
                (first..first + count).map(|child| self.value(child)).sum::<f64>() / f64::from(count)
            }
            Next::Choice(choice) if self.histories.choices[choice as usize].role as usize == self.player => {
                let place = self.best(choice, count);
                self.value(first + place)
            }
            Next::Choice(choice) => {
                let shares = self.histories.shares(choice);
                (first..).zip(shares).map(|(child, share)| share * self.value(child)).sum()
            }
        };
        self.values[node as usize] = value;
        value
    }

    /// Returns the best move at a choice, over all its histories.
    fn best(&mut self, choice: u32, count: u32) -> u32 {
        if self.best[choice as usize] == NO_SET {
            let reached = std::mem::take(&mut self.reached[choice as usize]);
            let mut worth = vec![0.0; count as usize];
            for &(node, likely) in &reached {
                let first = self.histories.nodes[node as usize].first;
                for place in 0..count {
                    worth[place as usize] += likely * self.value(first + place);
                }
            }
            let best =
                (0..count).max_by(|&a, &b| worth[a as usize].total_cmp(&worth[b as usize]).then(b.cmp(&a)));
            self.best[choice as usize] = best.unwrap_or(0);
        }
        self.best[choice as usize]
    }
}
