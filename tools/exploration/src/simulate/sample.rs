//! Random games, for rulesheets whose states are too many to be visited.
//!
//! The costs of observing and advancing states are subtracted from `work`, unless the settings fix
//! the number of games. A game ends after the number of steps in the settings, or once the moves of
//! all roles exceed [`MAX_GOALS`]. The states stored to find loops take at most
//! [`MAX_STATE_BYTES`].

use super::{
    Progress, SimulationSettings, Subject,
    explore::{MAX_GOALS, MAX_STATE_BYTES, cost},
    falls,
    findings::{Findings, GameFault, Line},
    look,
};
use gdl_runtime::{Dynamic, Game, chance::Stream, dynamic::MoveId, game::Id};
use rustc_hash::FxHashMap;

/// Plays random games. Returns their number and the number of moves in all of them.
pub(super) fn play(
    subject: Subject<'_>,
    settings: &SimulationSettings,
    findings: &mut Findings,
    tell: &mut dyn FnMut(Progress),
) -> (u64, u64) {
    let count = settings.playouts.unwrap_or(SimulationSettings::PLAYOUTS);
    // A requested number of games is played without a limit on work.
    let mut work = if settings.playouts.is_some() { u64::MAX } else { settings.work };
    let (mut playouts, mut steps) = (0, 0);
    while playouts < count && work > 0 {
        tell(Progress::Playouts(playouts));
        steps += game(
            subject,
            settings.steps.min(MAX_GOALS / subject.game.shape().roles.max(1)) as u64,
            &mut Stream::new(settings.seed, playouts),
            &mut work,
            findings,
        );
        playouts += 1;
    }
    (playouts, steps)
}

/// Returns the number of states that are stored to find loops in a game. Later states are not
/// compared.
pub(super) fn most_met(game: &Dynamic) -> usize {
    MAX_STATE_BYTES / (game.shape().state_words() * 8 + 48)
}

/// Plays one game of at most `limit` moves, or fewer if the work runs out. Returns the number of
/// moves.
fn game(
    subject: Subject<'_>,
    limit: u64,
    stream: &mut Stream,
    work: &mut u64,
    findings: &mut Findings,
) -> u64 {
    let game = subject.game;
    let price = cost(subject).iter().sum();
    let roles = game.shape().roles;
    let mut state = game.initial();
    let mut view = game.new_view();
    let mut moves: Vec<MoveId> = Vec::new();
    let mut before: Vec<Option<u8>> = vec![None; roles];
    // The number of moves after which each state was reached; `None` once a state recurs, or if
    // too many states are stored.
    let mut met = Some(FxHashMap::default());
    let most_met = most_met(game);
    let mut step = 0;
    loop {
        game.observe(&state, &mut view);
        let line = |repeats| Line { moves: moves.clone(), repeats };
        let sight = look(game, &view, |fault| findings.offer(fault, moves.len(), || line(None)));
        for role in falls(&before, &sight.goals) {
            findings.offer(GameFault::Falling { role }, moves.len(), || line(None));
        }
        if sight.terminal || sight.choices.count() == 0 {
            return step;
        }
        if let Some(known) = &mut met
            && let Some(first) = known.insert(state.clone(), step as usize)
        {
            findings.offer(GameFault::Loop, moves.len(), || line(Some(first)));
            met = None;
        }
        met = met.filter(|known| known.len() < most_met);
        if step == limit {
            findings.offer(GameFault::TooLong, moves.len(), || line(None));
            return step;
        }
        let Some(left) = work.checked_sub(price) else {
            *work = 0;
            return step;
        };
        *work = left;
        let end = moves.len();
        moves.resize(end + roles, MoveId::from_index(0));
        sight.choices.draw(stream, &mut moves[end..]);
        game.advance(&mut state, &moves[end..]);
        before = sight.goals;
        step += 1;
    }
}
