//! A trial of two searches before a match: they play short matches of the game with small budgets,
//! which show the better one.

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

/// A series of matches with alternating seats: their number, and twice the points that alpha-beta
/// needs to be clearly better. A series stops as soon as these points are reached or out of reach.
/// If the budget is spent before, it needs half a point more than the share of `clear - 1` points.
#[derive(Clone, Copy, Debug)]
struct Series {
    matches: u32,
    clear: u32,
}

const STRAIGHT: u32 = 5;

/// The series for roles that choose in turn. Against an equal opponent, alpha-beta wins one in
/// seven series, and then using it does no harm.
const IN_TURN: Series = Series { matches: 16, clear: 21 };
/// The series for alpha-beta with a learned value, which is expected to be better: more than half
/// of the points.
const LEARNED: Series = Series { matches: 16, clear: 17 };
/// The series for roles that choose simultaneously. Alpha-beta can be exploited there, so it has to
/// be much better: against an equal opponent, it wins one in a hundred series.
const AT_ONCE: Series = Series { matches: 10, clear: 18 };

/// The budget of a role for one move.
#[derive(Clone, Copy, Debug)]
enum Each {
    /// The number of nodes of the tree, and that of alpha-beta.
    Nodes(u64, u64),
    Time(Duration),
}

/// The conditions of matches: the budget for a move, and the number of random steps at the start.
#[derive(Clone, Copy, Debug)]
struct MatchTerms {
    each: Each,
    drawn: usize,
}

/// The range of nodes of the tree for a move of a match, with games in lanes. With fewer nodes, a
/// tree is weaker than in the real match, mainly in small games.
const NODES: RangeInclusive<u64> = 64..=4000;

/// The number of nodes of the tree if the budget limits nodes or has no deadline. A node of the
/// tree takes about the same time as [`RATE`] nodes of alpha-beta in most games.
const FEW: u64 = 150;
const RATE: u64 = 10;

/// The numbers of nodes of the tree if roles choose simultaneously. A win with few nodes is not
/// reliable, so a second series uses more.
const AT_ONCE_NODES: [u64; 2] = [150, 600];

/// The minimum time of a move. Moves are limited by time if the minimum of [`NODES`] takes the tree
/// longer than this, otherwise by nodes.
const SHORT: Duration = Duration::from_millis(10);

/// The minimum number of nodes of a budget for a trial.
const WORTH: u64 = 1 << 18;

/// The maximum number of steps of a match.
const LONGEST: usize = 200;

/// The number of nodes of alpha-beta for measuring the time of a node.
const TIMED: u64 = 2000;

/// The result of matches of alpha-beta against `Mcts`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    series: Series,
    /// Twice the points of alpha-beta, so that a draw is 1.
    points: u32,
    matches: u32,
}

impl Trial {
    /// Plays matches of two roles, until the result is clear or the budget is spent. Returns the
    /// result, if there is one, and the number of nodes taken. Alpha-beta keeps its evaluation; the
    /// tree takes at most `bytes`.
    ///
    /// With a deadline, both sides have about the same time for a move. With a budget of nodes
    /// alone, the result does not depend on the clock.
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
        let mut arena = Arena::new(game, seed, rival, bytes, budget);
        arena.spent = WORTH / 8;
        let trial = if is_simultaneous {
            let terms =
                AT_ONCE_NODES.map(|nodes| MatchTerms { each: Each::Nodes(nodes, RATE * nodes), drawn: 0 });
            // There are no random steps, since one may lose the match. The tree mixes its moves, so
            // matches differ.
            let whole = |trial: &Self| !trial.is_open();
            let mut play = |terms| arena.play(AT_ONCE, |_, _| Some(terms));
            terms.into_iter().map(&mut play).take_while(whole).last()
        } else {
            let series = if is_learned { LEARNED } else { IN_TURN };
            // Two random steps at the start make matches differ.
            let terms =
                |arena: &mut Arena<'_, G>, left| arena.pace(left).map(|each| MatchTerms { each, drawn: 2 });
            Some(arena.play(series, terms)).filter(|trial| trial.matches > 0)
        };
        (trial, arena.spent)
    }

    /// Returns whether alpha-beta is better, by the matches that were played.
    pub(super) fn is_better(self) -> bool {
        let Series { matches, clear } = self.series;
        self.points > 0 && (self.points - 1) * matches >= (clear - 1) * self.matches
    }

    /// Returns whether alpha-beta is clearly better.
    fn is_won(self) -> bool {
        self.points >= self.series.clear || self.matches >= STRAIGHT && self.points == 2 * self.matches
    }

    /// Returns whether further matches may change the verdict.
    fn is_open(self) -> bool {
        let left = self.series.matches - self.matches;
        left > 0 && !self.is_won() && self.points + 2 * left >= self.series.clear
    }
}

/// The setting of matches within a budget.
struct Arena<'a, G: Game> {
    game: &'a G,
    seed: u64,
    rival: &'a mut AlphaBeta<G>,
    bytes: usize,
    budget: &'a Budget,
    spent: u64,
    /// The nodes and seconds so far, of the tree and of alpha-beta.
    rates: [Rate; 2],
    /// The number of choices so far, and of the matches that had them. A random game counts.
    choices: (u32, u32),
}

/// The nodes and seconds of searches.
#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    nodes: u64,
    seconds: f64,
}

impl Rate {
    fn add<G: Game>(&mut self, found: &SearchResult<G>) {
        self.nodes += found.report.nodes;
        self.seconds += found.report.seconds;
    }

    /// Returns the time for each node, at least 1 ns even if the clock is coarse.
    fn each(self) -> Option<Duration> {
        let each = || Duration::from_secs_f64(self.seconds / self.nodes as f64);
        (self.nodes > 0).then(|| each().max(Duration::from_nanos(1)))
    }
}

impl<'a, G: Game> Arena<'a, G> {
    fn new(game: &'a G, seed: u64, rival: &'a mut AlphaBeta<G>, bytes: usize, budget: &'a Budget) -> Self {
        let rates = [Rate::default(); 2];
        Self { game, seed, rival, bytes, budget, spent: 0, rates, choices: (0, 0) }
    }

    /// Computes the budget for a move such that `matches` matches take the rest of the time.
    /// Returns `None` if there is no time to measure the searches.
    fn pace(&mut self, matches: u32) -> Option<Each> {
        let Some(end) = self.budget.deadline().filter(|_| self.budget.nodes().is_none()) else {
            return Some(Each::Nodes(FEW, RATE * FEW));
        };
        if self.choices.1 == 0 {
            self.measure()?;
        }
        let [tree, rival] = [self.rates[0].each()?, self.rates[1].each()?];
        let left = end.saturating_duration_since(Instant::now());
        let time = left * self.choices.1 / (matches * self.choices.0).max(1);
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

    /// Measures both searches in two states of a random game, and counts its choices. Returns
    /// `None` if there is no time for it.
    fn measure(&mut self) -> Option<()> {
        let states = self.decisions()?;
        for state in [states.first()?, &states[states.len() / 2]] {
            let role = self.game.roles().find(|&role| self.game.legal_moves(state, role).nth(1).is_some())?;
            let timed = |nodes: u64| self.budget.clone().and_nodes(nodes);
            let found = self.tree(0).search(self.game, state, role, &timed(*NODES.start()));
            self.rates[0].add(&found);
            self.rates[1].add(&self.rival.search(self.game, state, role, &timed(TIMED)));
        }
        self.choices = (states.len() as u32, 1);
        Some(())
    }

    /// Plays a random game and returns its states in which a role has a choice. Returns `None` if
    /// the budget is spent first.
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

    /// Creates the tree search for a match.
    fn tree(&self, number: u32) -> Mcts<G> {
        Mcts::new().seed(self.seed.wrapping_add(number.into())).memory(self.bytes)
    }

    /// Plays matches until the verdict is clear or the budget is spent. `terms` gives the terms of
    /// a match by the number of matches that remain.
    fn play(&mut self, series: Series, terms: impl Fn(&mut Self, u32) -> Option<MatchTerms>) -> Trial {
        let mut trial = Trial { series, points: 0, matches: 0 };
        while trial.is_open() {
            let terms = terms(self, series.matches - trial.matches);
            let points = terms.and_then(|terms| self.play_match(trial.matches, terms));
            let Some(points) = points else { break };
            trial.points += points;
            trial.matches += 1;
        }
        trial
    }

    /// Plays one match and returns twice the points of alpha-beta. Returns `None` if it was
    /// interrupted.
    fn play_match(&mut self, number: u32, MatchTerms { each, drawn }: MatchTerms) -> Option<u32> {
        let (game, budget) = (self.game, self.budget);
        let seat = (number % 2) as usize;
        let mut tree = self.tree(number);
        let mut luck = Stream::new(self.seed, u64::from(number / 2));
        let mut state = game.initial();
        let mut view = game.new_view();
        let mut choices = 0;
        for step in 0..LONGEST {
            if budget.is_spent() || budget.nodes().is_some_and(|nodes| self.spent >= nodes) {
                return None;
            }
            game.observe_without_goals(&state, &mut view);
            if game.is_terminal_in(&view) {
                self.choices = (self.choices.0 + choices, self.choices.1 + 1);
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
                    self.rates[usize::from(is_rival)].add(&found);
                    choices += 1;
                    found.action?
                };
                joint.push(action);
            }
            game.advance(&mut state, &joint);
        }
        Some(1)
    }
}

/// Formats the result, for example `9.5 of 10 trials`.
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
            // After more than one lost point, nine points are out of reach.
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
            // After six lost matches, 10.5 points are out of reach.
            (IN_TURN, 0, 5, true, false),
            (IN_TURN, 0, 6, false, false),
        ] {
            let trial = Trial { series, points, matches };
            assert_eq!((trial.is_open(), trial.is_won()), (is_open, is_won), "{trial}");
        }
    }

    #[test]
    fn a_trial_that_is_cut_off_needs_the_same_share() {
        for (series, points, matches, is_better) in [
            (IN_TURN, 0, 0, false),
            (IN_TURN, 2, 1, false),
            (IN_TURN, 3, 2, false),
            (IN_TURN, 4, 2, true),
            (IN_TURN, 10, 5, true),
            (IN_TURN, 13, 10, false),
            (IN_TURN, 14, 10, true),
            (IN_TURN, 20, 16, false),
            (IN_TURN, 21, 16, true),
            (LEARNED, 0, 0, false),
            (LEARNED, 2, 2, false),
            (LEARNED, 3, 2, true),
            (LEARNED, 16, 16, false),
            (LEARNED, 17, 16, true),
            (AT_ONCE, 17, 10, false),
            (AT_ONCE, 18, 10, true),
        ] {
            let trial = Trial { series, points, matches };
            assert_eq!(trial.is_better(), is_better, "{trial}");
        }
    }

    #[cfg(feature = "load")]
    #[test]
    fn nodes_depend_on_the_clock_only_where_there_is_one() {
        let text = include_str!("../../../../games/board/connect_four.kif");
        let game = gdl_runtime::load(text).expect("a sound rulesheet");
        let mut rival = AlphaBeta::new().memory(1 << 16);
        let mut pace = |budget: &Budget| Arena::new(&game, 1, &mut rival, 1 << 20, budget).pace(16);
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
