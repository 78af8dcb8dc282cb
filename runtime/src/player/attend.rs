//! The thread of a player, which answers questions until there are no more or the player panics.

use super::{Budget, Information, Player, Report};
use crate::game::Game;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Receiver, Sender},
    thread,
};

/// What a player is asked or told.
pub(crate) enum Question<G: Game> {
    Start(G::Role),
    Move(Information<G>),
    Stop(Information<G>),
    Abort,
}

/// A question with its number, and what the answer may cost.
pub(crate) type Asked<G> = (u64, Budget, Question<G>);

/// A move, if there is one, and what the search did.
pub(crate) type Answer<G> = (Option<<G as Game>::Move>, Option<Report>);

/// The number of a question, the seat that was asked, and its answer, or what it panicked with.
pub(crate) type Reply<G> = (u64, usize, thread::Result<Answer<G>>);

/// Answers for the player in a seat.
pub(crate) fn attend<G: Game>(
    game: &G,
    player: &mut dyn Player<G>,
    seat: usize,
    questions: &Receiver<Asked<G>>,
    answers: &Sender<Reply<G>>,
) {
    while let Ok((number, budget, question)) = questions.recv() {
        let answer = catch_unwind(AssertUnwindSafe(|| match question {
            Question::Start(role) => {
                player.start(game, role, &budget);
                (None, None)
            }
            // Asked while it still thought about something else, and too late now.
            Question::Move(_) if budget.is_cancelled() => (None, None),
            Question::Move(information) => {
                let action = player.choose(game, &information, &budget);
                (action, player.report())
            }
            Question::Stop(information) => {
                player.stop(game, &information);
                (None, None)
            }
            Question::Abort => {
                player.abort();
                (None, None)
            }
        }));
        let panicked = answer.is_err();
        if answers.send((number, seat, answer)).is_err() || panicked {
            return;
        }
    }
}
