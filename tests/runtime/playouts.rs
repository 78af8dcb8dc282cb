//! Playouts are reproducible for any number of threads, and always terminate.

use crate::common::{self, TicTacToe};
use gdl_runtime::{
    Cancel, Dynamic, Game, Playouts, Stats,
    bits::Bits,
    dynamic::{FluentId, MoveId, RoleId},
    game::NoPercept,
    lanes::Isa,
    playouts::PlayoutMode,
    vocabulary::{Texts, Vocabulary},
};
use std::time::Duration;

#[test]
fn threads_do_not_change_the_tally() {
    let run = |threads| Playouts::new(&TicTacToe).seed(7).count(5_003).threads(threads).run().tally;
    let one = run(1);
    for threads in [2, 3, 7, 0] {
        assert_eq!(run(threads), one);
    }
    assert_eq!(one.playouts, 5_003);
    assert_ne!(Playouts::new(&TicTacToe).seed(8).count(5_003).run().tally, one);
    let table = Dynamic::decode(&common::table()).unwrap();
    let single = Playouts::new(&table).engine(PlayoutMode::Single).seed(7).count(5_003).run();
    assert_eq!((single.tally, single.engine), (one, PlayoutMode::Single));
}

#[test]
fn a_game_without_lanes_plays_single_games_whatever_is_asked_for() {
    let table = Dynamic::decode(&common::table()).unwrap();
    for stats in [
        Playouts::new(&TicTacToe).engine(PlayoutMode::Lanes).count(3).run(),
        Playouts::new(&table).engine(PlayoutMode::TableLanes).count(3).run(),
    ] {
        assert_eq!((stats.engine, stats.isa), (PlayoutMode::Single, Isa::Portable));
    }
}

#[test]
fn a_thread_takes_some_processor_time_and_no_more_than_goes_by() {
    for _ in 0..20 {
        let stats = Playouts::new(&TicTacToe).count(1).threads(1).run();
        assert!(0.0 < stats.cpu_seconds && stats.cpu_seconds <= stats.seconds, "{stats:?}");
    }
}

/// Random play: x wins 58.49%, o wins 28.81% and 12.70% are drawn, exact to four digits.
#[test]
fn random_play_has_its_known_mean() {
    has_known_mean(&Playouts::new(&TicTacToe).seed(1).count(200_000).run());
    let table = Dynamic::decode(&common::table()).unwrap();
    has_known_mean(&Playouts::new(&table).seed(1).count(200_000).run());
}

fn has_known_mean(stats: &Stats) {
    let shares = |games: u64| games as f64 / stats.tally.playouts as f64;
    let [x, o] = [stats.tally.roles[0], stats.tally.roles[1]];
    assert!((shares(x.wins) - 0.5849).abs() < 0.005, "{stats}");
    assert!((shares(o.wins) - 0.2881).abs() < 0.005, "{stats}");
    assert_eq!((x.draws, x.losses), (o.draws, o.wins));
    assert!((stats.mean_goal(0) - (58.49 + 12.70 / 2.0)).abs() < 5.0 * stats.goal_error(0));
    assert!((stats.mean_length() - 7.626).abs() < 0.02);
    assert_eq!(stats.tally.unfinished() + stats.tally.unscored, 0);
}

#[test]
fn a_run_limited_by_time_can_be_repeated_by_count() {
    // The number of playouts and of reports depends on the machine.
    let mut last = 0;
    let stats = Playouts::new(&TicTacToe)
        .threads(2)
        .within(Duration::from_millis(100))
        .progress(|done| last = done)
        .run();
    assert!(last <= stats.tally.playouts && stats.tally.playouts > 0);
    assert_eq!(stats.threads, 2);
    let again = Playouts::new(&TicTacToe).count(stats.tally.playouts).run();
    assert_eq!(again.tally, stats.tally);
    assert!(Playouts::new(&TicTacToe).within(Duration::ZERO).run().tally.playouts > 0);
    assert_eq!(Playouts::new(&TicTacToe).count(0).run().tally.playouts, 0);
    let bounded = Playouts::new(&TicTacToe).count(10).within(Duration::MAX).run();
    assert_eq!(bounded.tally.playouts, 10);
}

/// Cancels at the first report of progress, or before the start.
#[test]
fn a_run_that_is_called_off_can_be_repeated_by_count() {
    let cancel = Cancel::default();
    let stats =
        Playouts::new(&TicTacToe).count(u64::MAX).cancelled_by(&cancel).progress(|_| cancel.cancel()).run();
    let playouts = stats.tally.playouts;
    assert_eq!(Playouts::new(&TicTacToe).count(playouts).run().tally, stats.tally);
    // A run that is cancelled before its start plays one block.
    let block =
        Playouts::new(&TicTacToe).count(u64::MAX).threads(1).cancelled_by(&cancel).run().tally.playouts;
    assert!(0 < block && block < playouts, "{block} of {playouts}");
}

/// A game that never ends, ends without goals, or has no legal move.
struct Odd {
    vocabulary: Vocabulary,
    view: u64,
}

impl Odd {
    fn new(legal: bool, terminal: bool) -> Self {
        let vocabulary = Vocabulary::new(
            Texts::new(["a"]),
            Texts::new(["f"]),
            Texts::new(["m"]),
            vec![vec![0]],
            vec![vec![7, 9]],
        );
        // Both goal values hold.
        Self { vocabulary, view: u64::from(legal) | (3 | u64::from(terminal) << 2) << 32 }
    }
}

impl Game for Odd {
    type State = Bits<1>;
    type View = Bits<2>;
    type Role = RoleId;
    type Move = MoveId;
    type Fluent = FluentId;
    type Percept = NoPercept;

    fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    fn new_state(&self) -> Bits<1> {
        Bits::EMPTY
    }

    fn new_view(&self) -> Bits<2> {
        Bits::EMPTY
    }

    fn initial(&self) -> Bits<1> {
        Bits::EMPTY
    }

    fn observe(&self, _: &Bits<1>, view: &mut Bits<2>) {
        *view = Bits::new([self.view & 0xffff_ffff, self.view >> 32]);
    }

    fn advance(&self, _: &mut Bits<1>, _: &[MoveId]) {}
}

#[test]
fn playouts_that_cannot_end_are_given_up() {
    let tally = |game: &Odd| Playouts::new(game).count(10).max_length(50).run().tally;
    let endless = tally(&Odd::new(true, false));
    assert_eq!((endless.too_long, endless.states, endless.unfinished()), (10, 500, 10));
    let stuck = tally(&Odd::new(false, false));
    assert_eq!((stuck.stuck, stuck.states, stuck.scored()), (10, 0, 0));
    let two_goals = tally(&Odd::new(true, true));
    assert_eq!((two_goals.unscored, two_goals.unfinished(), two_goals.roles[0].losses), (10, 0, 0));
}
