//! The clocks in a session: the passage of time, and the clocks that run.
//!
//! Unless clocks stand or play halts, the clocks of the roles with a choice run, and no others.
//! Play halts when a clock has run down.

use super::Session;
use crate::{clocks::Clocks, problem::Answer};
use gdl_runtime::{GameExt, dynamic::RoleId, game::Id};
use std::{collections::BTreeMap, time::Instant};

impl Session {
    /// Sets the clocks of roles, which start at the current place. Other roles have none.
    ///
    /// # Errors
    /// Returns an error if a role does not exist or is chance, a time is invalid, or there are too
    /// many clocks.
    pub(crate) fn time(&mut self, texts: &BTreeMap<String, String>) -> Answer<()> {
        self.clocks = Clocks::parse(&self.opened.game, texts, self.history.place().index())?;
        self.arrive();
        Ok(())
    }

    /// Subtracts the elapsed time from the running clocks. Halts play if one has run down.
    pub(crate) fn tick(&mut self, now: Instant) {
        if let Some(role) = self.clocks.tick(now) {
            self.arrive();
            let name = self.game().role_text(role);
            self.trouble = Some(format!(
                "{name} has run out of time: restart, take a move back, or play on without clocks"
            ));
            self.wind(now);
        }
    }

    /// Starts the clocks of the roles that have a choice, and stops all others.
    pub(crate) fn wind(&mut self, now: Instant) {
        if self.clocks.are_none() {
            return;
        }
        let halts = self.is_paused || self.trouble.is_some();
        let game = &self.opened.game;
        let view = game.view(self.history.state());
        let due: Vec<bool> = if halts {
            vec![false; self.seats.len()]
        } else {
            let waits = |role: RoleId| !self.has_chosen(role) && game.legal_moves_in(&view, role).len() > 1;
            game.roles().map(|role| !game.is_terminal_in(&view) && waits(role)).collect()
        };
        self.clocks.wind(now, |role| due[role.index()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        games::Games,
        session::{Viewer, tests::session},
    };
    use gdl_players::Budget;
    use std::time::Duration;

    /// A simulated time, which passes only in [`Time::pass`].
    struct Time {
        start: Instant,
        seconds: u64,
    }

    impl Time {
        fn pass(&mut self, session: &mut Session, seconds: u64) {
            self.seconds += seconds;
            session.tick(self.start + Duration::from_secs(self.seconds));
        }

        /// Chooses a move for a role, as a request does.
        fn choose(&self, session: &mut Session, role: &str, action: &str) -> Answer<()> {
            session.choose(Viewer::Here(None), role, action, None)?;
            session.settle(&Budget::unlimited(), 0);
            session.wind(self.start + Duration::from_secs(self.seconds));
            Ok(())
        }
    }

    /// Returns the remaining times of a session, in seconds.
    fn left(session: &Session) -> Vec<Option<u64>> {
        session
            .game()
            .roles()
            .map(|role| session.clocks.of(role).map(|clock| clock.left().as_secs()))
            .collect()
    }

    /// Starts a match of two people with a minute each and ten seconds for each move.
    fn timed() -> (Session, Time) {
        let opened = Games::default().find("tictactoe_led").expect("it is built in");
        let mut session = session(opened, &["person", "person"]);
        let clocks = BTreeMap::from(["x", "o"].map(|role| (role.to_owned(), "1+10".to_owned())));
        assert!(session.time(&clocks).is_ok());
        let mut time = Time { start: Instant::now(), seconds: 0 };
        session.wind(time.start);
        // Before the first move no clock runs, and that move adds no increment.
        time.pass(&mut session, 30);
        assert_eq!(left(&session), [Some(60), Some(60)]);
        assert!(time.choose(&mut session, "x", "(take 1)").is_ok());
        (session, time)
    }

    #[test]
    fn the_clock_of_who_is_to_move_runs_and_a_move_adds_to_it() {
        let (mut session, mut time) = timed();
        assert_eq!(left(&session), [Some(60), Some(60)]);
        time.pass(&mut session, 20);
        assert_eq!(left(&session), [Some(60), Some(40)]);
        assert!(time.choose(&mut session, "o", "(take 2)").is_ok());
        assert_eq!(left(&session), [Some(60), Some(50)]);
        time.pass(&mut session, 5);
        assert_eq!(left(&session), [Some(55), Some(50)]);
        // Clocks stand while play is halted.
        session.pause(true);
        session.wind(time.start + Duration::from_secs(time.seconds));
        time.pass(&mut session, 500);
        assert_eq!((left(&session), session.clocks.soonest()), (vec![Some(55), Some(50)], None));
    }

    #[test]
    fn a_place_that_one_goes_back_to_has_its_time_and_the_clocks_stand_there() {
        let (mut session, mut time) = timed();
        time.pass(&mut session, 20);
        assert!(time.choose(&mut session, "o", "(take 2)").is_ok());
        time.pass(&mut session, 7);
        assert!(session.undo(&Budget::unlimited()).is_ok());
        session.wind(time.start + Duration::from_secs(time.seconds));
        time.pass(&mut session, 500);
        assert_eq!(left(&session), [Some(60), Some(60)]);
        assert!(session.redo(&Budget::unlimited()).is_ok());
        assert_eq!(left(&session), [Some(60), Some(50)]);
        assert!(time.choose(&mut session, "x", "(take 3)").is_ok());
        time.pass(&mut session, 1);
        assert_eq!(left(&session), [Some(60), Some(49)]);
        session.restart(None);
        assert_eq!(left(&session), [Some(60), Some(60)]);
    }

    #[test]
    fn play_halts_when_a_clock_has_run_down_until_a_move_is_taken_back_or_clocks_are_put_away() {
        let (mut session, mut time) = timed();
        let version = session.version;
        time.pass(&mut session, 61);
        assert_eq!(left(&session), [Some(60), Some(0)]);
        assert!(session.version > version, "those who wait are told");
        let told = session.trouble.clone().unwrap_or_default();
        assert!(told.starts_with("o has run out of time"), "{told}");
        let refused = time.choose(&mut session, "o", "(take 2)");
        assert!(matches!(refused, Err(problem) if problem.code == "halted"));
        assert_eq!(session.history.depth(), 1);
        // Play continues from a place where time was left.
        assert!(session.undo(&Budget::unlimited()).is_ok());
        assert!(time.choose(&mut session, "x", "(take 2)").is_ok());
        time.pass(&mut session, 61);
        assert!(session.trouble.is_some());
        assert!(session.time(&BTreeMap::new()).is_ok());
        assert!(time.choose(&mut session, "o", "(take 3)").is_ok());
        assert_eq!((session.history.depth(), left(&session)), (2, vec![None, None]));
    }

    #[test]
    fn a_clock_stands_at_the_end_and_a_machine_thinks_within_its_own() {
        let (mut session, mut time) = timed();
        for (role, action) in [("o", 4), ("x", 2), ("o", 5), ("x", 3)] {
            assert!(time.choose(&mut session, role, &format!("(take {action})")).is_ok());
        }
        assert!(session.is_over());
        time.pass(&mut session, 500);
        assert_eq!((&session.trouble, session.clocks.soonest()), (&None, None));
        // A minute plus ten seconds a move allow nine and a half seconds. An allowance is at most
        // half of the remaining time.
        let role = session.game().roles().next().expect("a role");
        session.restart(None);
        assert_eq!(session.clocks.allowance(role), Duration::from_millis(9_500));
        assert!(session.time(&BTreeMap::from([("x".to_owned(), "0.1+30".to_owned())])).is_ok());
        assert_eq!(session.clocks.allowance(role), Duration::from_secs(3));
        assert!(session.seat("x", "best:seconds=20").is_ok());
        let thoughts = session.settle(&Budget::unlimited(), 1);
        assert_eq!(thoughts[0].time, Duration::from_secs(3));
        for (clocks, code) in [(("z", "1"), "no_role"), (("x", "soon"), "no_clock")] {
            let clocks = BTreeMap::from([(clocks.0.to_owned(), clocks.1.to_owned())]);
            assert!(matches!(session.time(&clocks), Err(problem) if problem.code == code));
        }
    }
}
