//! Evaluations of non-terminal states: the expected goals of the roles.

use gdl_runtime::Game;

/// An evaluation of the states at which a search stops before the end of the game.
///
/// Closures implement it too:
///
/// ```
/// use gdl_players::{Budget, search::AlphaBeta};
/// use gdl_runtime::{Game, GameExt, gdl};
///
/// gdl!(name = race, rules = r"
///     ; The first to come to 9 wins; both walk one or two steps in turn.
///     (role a) (role b) (init (at a 0)) (init (at b 0)) (init (control a)) (other a b) (other b a)
///     (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
///     (<= (legal ?r walk) (true (control ?r))) (<= (legal ?r run) (true (control ?r)))
///     (<= (legal ?r wait) (true (control ?s)) (other ?r ?s))
///     (<= (next (at ?r ?y)) (does ?r walk) (true (at ?r ?x)) (succ ?x ?y))
///     (<= (next (at ?r ?z)) (does ?r run) (true (at ?r ?x)) (succ ?x ?y) (succ ?y ?z))
///     (<= (next (at ?r 9)) (does ?r run) (true (at ?r 8)))
///     (<= (next (at ?r ?x)) (does ?r wait) (true (at ?r ?x)))
///     (<= (next (control ?s)) (true (control ?r)) (other ?r ?s))
///     (<= (home ?r) (true (at ?r 9))) (<= terminal (home ?r))
///     (<= (goal ?r 100) (home ?r)) (<= (goal ?r 0) (role ?r) (not (home ?r)))
/// ");
///
/// use race::{Fluent, Role};
/// let game = race::game();
/// let places: Vec<[Fluent; 2]> =
///     (0..10).map(|x| ["a", "b"].map(|role| Fluent::at(role, x).unwrap())).collect();
/// let ahead = move |game: &race::Race, state: &race::State, _: &race::View, goals: &mut [f32]| {
///     let at = |role: usize| places.iter().position(|place| game.holds(state, place[role])).unwrap_or(0);
///     goals[0] = 50.0 + 5.0 * (at(0) as f32 - at(1) as f32);
///     goals[1] = 100.0 - goals[0];
/// };
/// let mut search = AlphaBeta::new().depth(3).evaluation(ahead);
/// let found = search.search(&game, &game.initial(), Role::A, &Budget::unlimited());
/// assert_eq!(game.move_text(found.action.unwrap()), "run");
/// assert_eq!(found.report.value, Some(60.0));
/// ```
pub trait Evaluation<G: Game>: Send + Sync {
    /// Writes the expected goal of each role, 0 to 100, in role order. The state is not terminal.
    /// The view comes from [`Game::observe_without_goals`], so goals may be missing in it.
    fn evaluate(&self, game: &G, state: &G::State, view: &G::View, goals: &mut [f32]);
}

impl<G: Game, F: Fn(&G, &G::State, &G::View, &mut [f32]) + Send + Sync> Evaluation<G> for F {
    fn evaluate(&self, game: &G, state: &G::State, view: &G::View, goals: &mut [f32]) {
        self(game, state, view, goals);
    }
}
