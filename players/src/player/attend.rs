//! The thread of a player: answers questions until the channel closes or the player panics.

use super::{Budget, Information, Player, Report};
use crate::fault::Fault;
use gdl_runtime::Game;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Receiver, Sender},
    thread,
};

/// A notification or question for a player.
pub(crate) enum Question<G: Game> {
    Start(G::Role),
    Move(Information<G>),
    Stop(Information<G>),
    Abort,
}

/// A question with its number and the budget of its answer.
pub(crate) type Asked<G> = (u64, Budget, Question<G>);

/// The answer of a player.
pub(crate) struct Answer<G: Game> {
    /// The chosen move, if there is one.
    pub(crate) action: Option<G::Move>,
    /// The reason why the move is missing, if the player reports one.
    pub(crate) fault: Option<Fault>,
    /// The report of the search.
    pub(crate) report: Option<Report>,
}

impl<G: Game> Default for Answer<G> {
    fn default() -> Self {
        Self { action: None, fault: None, report: None }
    }
}

/// The number of a question, the seat that answers, and the answer or the payload of its panic.
pub(crate) type Reply<G> = (u64, usize, thread::Result<Answer<G>>);

/// Answers questions for the player in a seat, until the channel closes or the player panics.
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
                Answer { action: None, fault: player.fault(), report: player.report() }
            }
            // The question expired while the player was still busy with an earlier one.
            Question::Move(_) if budget.is_cancelled() => Answer::default(),
            Question::Move(information) => {
                let action = player.choose(game, &information, &budget);
                Answer { action, fault: player.fault(), report: player.report() }
            }
            Question::Stop(information) => {
                player.stop(game, &information);
                Answer::default()
            }
            Question::Abort => {
                player.abort();
                Answer::default()
            }
        }));
        let panicked = answer.is_err();
        if answers.send((number, seat, answer)).is_err() || panicked {
            return;
        }
    }
}
