//! A trial of two searches before a match: which of them wins short matches of the game, with few
//! nodes for each move.

use crate::{
    player::{Budget, Player},
    search::{AlphaBeta, Mcts, SearchResult, payoff::Payoff},
};
use gdl_runtime::{Game, GameExt, chance::Stream, game::Id};
use std::{
    fmt,
    ops::RangeInclusive,
    time::{Duration, Instant},
};

/// The length of a series of matches, from both seats in turn, and twice the points of alpha-beta
/// that are clearly better than half. A series stops as soon as that can no longer be reached. The
/// same number of wins before anything else is enough.
#[derive(Clone, Copy, Debug)]
struct Series {
    matches: u32,
    clear: u32,
}

const STRAIGHT: u32 = 5;

/// The series where roles choose in turn. Against an equal opponent a search reaches this number of
/// points in one of seven series, and to take it then is no mistake.
const IN_TURN: Series = Series { matches: 16, clear: 21 };
/// The series of alpha-beta with a learned value, which is expected to be better: more than half.
const LEARNED: Series = Series { matches: 16, clear: 17 };
/// The series where they choose at the same time: alpha-beta can be exploited, so it has to be
/// better by far: one of a hundred series.
const AT_ONCE: Series = Series { matches: 10, clear: 18 };

/// The budget of a role for a move.
#[derive(Clone, Copy, Debug)]
enum Each {
    /// Nodes of the tree, and of alpha-beta.
    Nodes(u64, u64),
    Time(Duration),
}

/// The terms of matches: the budget of a role for a move, and the moves at the start that are
/// drawn.
#[derive(Clone, Copy, Debug)]
struct Terms {
    each: Each,
    drawn: usize,
}

/// The nodes of a tree whose games are played in lanes, and the most for a move of a match. Of a
/// few nodes a tree knows less than it will in the match that counts, above all in small games.
const NODES: RangeInclusive<u64> = 64..=4000;

/// Nodes of the tree where budgets are of nodes, and of alpha-beta for one of them, which costs
/// about as much in most games.
const FEW: u64 = 150;
const RATE: u64 = 10;

/// Nodes of the tree where roles choose at the same time: few say little, so all matches are played
/// again with more.
const AT_ONCE_NODES: [u64; 2] = [150, 600];

/// A time that is enough for games in lanes.
const SHORT: Duration = Duration::from_millis(10);

/// A budget of less nodes is no time for a trial.
const WORTH: u64 = 1 << 18;

/// The longest match.
const LONGEST: usize = 200;

/// Nodes of alpha-beta by which it is found how long one takes.
const TIMED: u64 = 2000;

/// The result of matches of alpha-beta against random games in a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    series: Series,
    /// Twice the points of alpha-beta.
    points: u32,
    matches: u32,
}

impl Trial {
    /// Plays matches of two roles, which choose at the same time or in turn, as long as the budget
    /// lasts. Returns their result, if any, and the nodes taken. Alpha-beta keeps its evaluation;
    /// the tree takes at most `bytes` bytes.
    ///
    /// With a deadline both sides have as much time for a move. With a budget of nodes alone the
    /// result depends on nothing else.
    pub(super) fn of<G: Game>(
        game: &G,
        seed: u64,
        (is_simultaneous, is_learned): (bool, bool),
        rival: &mut AlphaBeta<G>,
        bytes: usize,
        budget: &Budget,
    ) -> (Option<Self>, u64) {
        let is_short = budget.nodes().is_some_and(|nodes| nodes < WORTH);
        let Some(first) = game.roles().next().filter(|_| !is_short) else { return (None, 0) };
        Player::start(rival, game, first, &budget.share(0.2, 0).and_nodes(WORTH / 8));
        let mut arena = Arena { game, seed, rival, bytes, budget, spent: WORTH / 8 };
        let trial = if is_simultaneous {
            let terms = AT_ONCE_NODES.map(|nodes| Terms { each: Each::Nodes(nodes, RATE * nodes), drawn: 0 });
            // A move that is drawn may lose the match. The tree mixes its moves, so matches differ.
            let whole = |trial: &Self| !trial.is_open();
            terms.into_iter().map(|terms| arena.play(AT_ONCE, terms)).take_while(whole).last()
        } else {
            let series = if is_learned { LEARNED } else { IN_TURN };
            // Two moves that are drawn make matches differ.
            arena.pace(series.matches).map(|each| arena.play(series, Terms { each, drawn: 2 }))
        };
        (trial, arena.spent)
    }

    /// Returns whether alpha-beta is clearly better.
    pub(super) fn is_won(self) -> bool {
        self.points >= self.series.clear || self.matches >= STRAIGHT && self.points == 2 * self.matches
    }

    /// Returns whether another match may decide.
    fn is_open(self) -> bool {
        let left = self.series.matches - self.matches;
        left > 0 && !self.is_won() && self.points + 2 * left >= self.series.clear
    }
}

/// Matches within a budget.
struct Arena<'a, G: Game> {
    game: &'a G,
    seed: u64,
    rival: &'a mut AlphaBeta<G>,
    bytes: usize,
    budget: &'a Budget,
    spent: u64,
}

impl<G: Game> Arena<'_, G> {
    /// The budget of a role for a move if `matches` matches are played; `None` if there is no time
    /// to find out.
    fn pace(&mut self, matches: u32) -> Option<Each> {
        let Some(end) = self.budget.deadline().filter(|_| self.budget.nodes().is_none()) else {
            return Some(Each::Nodes(FEW, RATE * FEW));
        };
        let states = self.decisions()?;
        let (mut tree, mut rival) = (Duration::MAX, Duration::MAX);
        for state in [states.first()?, &states[states.len() / 2]] {
            let role = self.game.roles().find(|&role| self.game.legal_moves(state, role).nth(1).is_some())?;
            let timed = |nodes: u64| self.budget.clone().and_nodes(nodes);
            let found = self.tree(0).search(self.game, state, role, &timed(*NODES.start()));
            tree = tree.min(each(&found)?);
            rival = rival.min(each(&self.rival.search(self.game, state, role, &timed(TIMED)))?);
        }
        let left = end.saturating_duration_since(Instant::now());
        let time = left / (matches * states.len() as u32);
        if tree * (*NODES.start() as u32) > SHORT {
            return Some(Each::Time(time.max(SHORT)));
        }
        let nodes = (time.as_nanos() / tree.as_nanos()) as u64;
        let nodes = nodes.clamp(*NODES.start(), *NODES.end());
        let ratio = tree.as_secs_f64() / rival.as_secs_f64();
        #[allow(clippy::cast_sign_loss, reason = "times are none below 0")]
        let rival = (nodes as f64 * ratio).ceil() as u64;
        Some(Each::Nodes(nodes, rival))
    }

    /// The states of a random game in which a role has a choice; `None` if the budget is spent
    /// before the end.
    fn decisions(&self) -> Option<Vec<G::State>> {
        let (game, mut stream) = (self.game, Stream::new(self.seed, u64::MAX));
        let (mut state, mut view) = (game.initial(), game.new_view());
        let mut states = Vec::new();
        for _ in 0..LONGEST {
            game.observe_without_goals(&state, &mut view);
            if self.budget.is_spent() {
                return None;
            }
            if game.is_terminal_in(&view) {
                break;
            }
            if game.roles().any(|role| game.legal_moves_in(&view, role).len() > 1) {
                states.push(state.clone());
            }
            let moves = game.roles().map(|role| game.random_move_in(&view, role, &mut stream));
            game.advance(&mut state, &moves.collect::<Option<Vec<_>>>()?);
        }
        Some(states)
    }

    /// The tree for a match.
    fn tree(&self, number: u32) -> Mcts<G> {
        Mcts::new().seed(self.seed.wrapping_add(number.into())).memory(self.bytes)
    }

    /// Plays matches until it is clear which search is better, or the budget is spent.
    fn play(&mut self, series: Series, terms: Terms) -> Trial {
        let mut trial = Trial { series, points: 0, matches: 0 };
        while trial.is_open() {
            let Some(points) = self.play_match(trial.matches, terms) else { break };
            trial.points += points;
            trial.matches += 1;
        }
        trial
    }

    /// One match: twice the points of the rival. Returns `None` if it was broken off.
    fn play_match(&mut self, number: u32, Terms { each, drawn }: Terms) -> Option<u32> {
        let (game, budget) = (self.game, self.budget);
        let seat = (number % 2) as usize;
        let mut tree = self.tree(number);
        let mut luck = Stream::new(self.seed, u64::from(number / 2));
        let mut state = game.initial();
        let mut view = game.new_view();
        for step in 0..LONGEST {
            if budget.is_spent() || budget.nodes().is_some_and(|nodes| self.spent >= nodes) {
                return None;
            }
            game.observe_without_goals(&state, &mut view);
            if game.is_terminal_in(&view) {
                let payoff = Payoff::new(game);
                let goal = |role: usize| payoff.goal(view.as_ref(), role);
                let (own, other) = (goal(seat), goal(1 - seat));
                return Some(u32::from(own >= other) + u32::from(own > other));
            }
            let mut joint = Vec::with_capacity(2);
            for role in game.roles() {
                let is_forced = game.legal_moves_in(&view, role).len() == 1;
                let is_rival = role.index() == seat;
                let action = if is_forced || step < drawn {
                    game.random_move_in(&view, role, &mut luck)?
                } else {
                    let share = match each {
                        Each::Nodes(_, nodes) if is_rival => budget.clone().and_nodes(nodes),
                        Each::Nodes(nodes, _) => budget.clone().and_nodes(nodes),
                        Each::Time(time) => budget.clone().and_until(Instant::now() + time),
                    };
                    let found = if is_rival {
                        self.rival.search(game, &state, role, &share)
                    } else {
                        tree.search(game, &state, role, &share)
                    };
                    self.spent += found.report.nodes;
                    found.action?
                };
                joint.push(action);
            }
            game.advance(&mut state, &joint);
        }
        Some(1)
    }
}

/// The time that a node of a search took: some, however coarse the clock is.
fn each<G: Game>(found: &SearchResult<G>) -> Option<Duration> {
    let nodes = u32::try_from(found.report.nodes).ok().filter(|&nodes| nodes > 0)?;
    Some((Duration::from_secs_f64(found.report.seconds) / nodes).max(Duration::from_nanos(1)))
}

/// As in `9.5 of 10 trials`.
impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} trials", f64::from(self.points) / 2.0, self.matches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_ends_as_soon_as_it_tells() {
        for (series, points, matches, is_open, is_won) in [
            (AT_ONCE, 0, 0, true, false),
            (AT_ONCE, 8, 4, true, false),
            (AT_ONCE, 10, 5, false, true),
            // More than a match lost: nine points are out of reach.
            (AT_ONCE, 1, 2, false, false),
            (AT_ONCE, 2, 2, true, false),
            (AT_ONCE, 17, 9, true, false),
            (AT_ONCE, 18, 10, false, true),
            (AT_ONCE, 17, 10, false, false),
            (IN_TURN, 9, 5, true, false),
            (IN_TURN, 10, 5, false, true),
            (IN_TURN, 21, 14, false, true),
            (IN_TURN, 20, 15, true, false),
            (IN_TURN, 20, 16, false, false),
            // More than five and a half matches lost.
            (IN_TURN, 0, 5, true, false),
            (IN_TURN, 0, 6, false, false),
        ] {
            let trial = Trial { series, points, matches };
            assert_eq!((trial.is_open(), trial.is_won()), (is_open, is_won), "{trial}");
        }
    }

    #[cfg(feature = "load")]
    #[test]
    fn nodes_depend_on_the_clock_only_where_there_is_one() {
        let text = include_str!("../../../../games/board/connect_four.kif");
        let game = gdl_runtime::load(text).expect("a sound rulesheet");
        let mut rival = AlphaBeta::new().memory(1 << 16);
        let mut pace = |budget: &Budget| {
            let mut arena =
                Arena { game: &game, seed: 1, rival: &mut rival, bytes: 1 << 20, budget, spent: 0 };
            arena.pace(16)
        };
        assert!(matches!(pace(&Budget::of_nodes(WORTH)), Some(Each::Nodes(150, 1500))));
        let both = Budget::within(Duration::from_secs(60)).and_nodes(WORTH);
        assert!(matches!(pace(&both), Some(Each::Nodes(150, 1500))));
        match pace(&Budget::within(Duration::from_secs(60))).expect("enough time") {
            Each::Nodes(tree, rival) => assert!(NODES.contains(&tree) && rival > 0, "{tree} {rival}"),
            Each::Time(time) => assert!(time >= SHORT),
        }
        assert!(pace(&Budget::within(Duration::ZERO)).is_none());
    }
}
