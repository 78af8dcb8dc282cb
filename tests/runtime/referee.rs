//! Matches with players that follow the protocol, and with players that do not.

use gdl_players::{
    Budget, Player, Referee,
    player::{Detached, First, Random},
    record::{Record, RecordError},
    referee::{End, Fault, Match, RefereeError},
};
use gdl_runtime::{Cancel, Game, GameExt, Information, game::Perception, gdl, information::InformationSet};
use std::time::Duration;

gdl!("../games/board/tictactoe.kif");
gdl!("../games/chance/monty_hall.kif");
gdl!("../games/chance/rock_paper_scissors.kif");
gdl!(
    name = walk,
    rules = r"
    (role robot) (init (at 0)) (legal robot on) (legal robot off)
    (<= (next (at 1)) (true (at 0)) (does robot on)) (<= (next (at 0)) (true (at 1)) (does robot on))
    (<= (next (at 2)) (does robot off))
    (<= terminal (true (at 2))) (<= (goal robot 100) (true (at 2)))
"
);

type Players<'p, G> = Vec<Box<dyn Player<G> + 'p>>;

/// A player that calls a function for its moves.
struct Plays<F>(F);

impl<G: Game, F> Player<G> for Plays<F>
where
    F: FnMut(&G, &Information<G>, &Budget) -> Option<G::Move> + Send,
{
    fn name(&self) -> &'static str {
        "odd"
    }

    fn choose(&mut self, game: &G, information: &Information<G>, budget: &Budget) -> Option<G::Move> {
        (self.0)(game, information, budget)
    }
}

fn odd<'p, G: Game, F>(play: F) -> Box<dyn Player<G> + 'p>
where
    F: FnMut(&G, &Information<G>, &Budget) -> Option<G::Move> + Send + 'p,
{
    Box::new(Plays(play))
}

/// Plays tic-tac-toe against the first legal move. Returns the match and the faults reported in it.
fn faults<'p>(
    player: Box<dyn Player<tictactoe::Tictactoe> + 'p>,
    clocks: Option<Duration>,
) -> (Match<tictactoe::Tictactoe>, Vec<String>) {
    let game = tictactoe::game();
    let mut players: Players<'p, _> = vec![player, Box::new(First::new())];
    let mut referee = Referee::new(&game).seed(5).grace(Duration::ZERO);
    if let Some(clock) = clocks {
        referee = referee.clocks(clock, clock);
    }
    let played = referee.run(&mut players).unwrap();
    assert!(played.is_complete());
    assert!(played.faults.iter().all(|faults| faults[1].is_none() || clocks.is_some()));
    let texts = played
        .faults
        .iter()
        .map(|faults| faults[0].as_ref().map_or_else(String::new, Fault::to_string))
        .collect();
    (played, texts)
}

#[test]
fn the_move_that_was_drawn_is_made_for_whoever_fails() {
    let corner = |game: &tictactoe::Tictactoe, _: &_, _: &Budget| game.parse_move("(mark 1 1)").ok();
    let (played, errors) = faults(odd(corner), None);
    // The corner is legal at most once. While waiting, only `noop` is legal.
    assert!(errors[2..].iter().all(|error| error == "IL (mark 1 1)"), "{errors:?}");
    assert_eq!(errors[0], "");
    let again = faults(odd(corner), None).0;
    assert_eq!(played.history.line(), again.history.line());

    let (_, errors) = faults(odd(|_: &_, _: &_, _: &_| None), None);
    assert!(errors[1..].iter().all(|error| error == "IL nil"), "{errors:?}");
}

#[test]
fn whoever_is_late_is_cancelled_and_the_match_goes_on() {
    let sleepy = |_: &tictactoe::Tictactoe, _: &_, budget: &Budget| {
        while !budget.is_cancelled() {
            std::thread::yield_now();
        }
        None
    };
    let (_, errors) = faults(odd(sleepy), Some(Duration::from_millis(5)));
    assert!(errors[1..].iter().all(|error| error == "TO"), "{errors:?}");
}

#[test]
fn whoever_panics_is_asked_no_more() {
    let mut asked = 0;
    let (played, errors) = faults(
        odd(|game: &tictactoe::Tictactoe, _: &_, _: &_| {
            asked += 1;
            assert!(asked < 2, "on purpose");
            game.parse_move("(mark 2 2)").ok()
        }),
        None,
    );
    assert_eq!(errors[..2], ["", ""]);
    assert!(errors.len() > 3 && errors[2..].iter().all(|error| error == "CE"), "{errors:?}");
    assert_eq!(played.players, ["odd", "first"]);
    assert_eq!(asked, 2);
}

#[test]
fn whoever_never_returns_is_left_behind() {
    let game = tictactoe::game();
    let asleep = |_: &_, _: &_, _: &_| {
        loop {
            std::thread::park();
        }
    };
    let player = Detached::new(&game, odd(asleep)).expect("a thread");
    let (_, errors) = faults(Box::new(player), Some(Duration::from_millis(5)));
    assert!(errors[1..].iter().all(|error| error == "TO"), "{errors:?}");
}

#[test]
fn whoever_is_detached_plays_and_panics_as_before() {
    let game = tictactoe::game();
    let line = |mut players: Players<'static, _>| {
        let played = Referee::new(&game).seed(3).run(&mut players).expect("two players");
        played.history.line().iter().map(|joint| joint.to_vec()).collect::<Vec<_>>()
    };
    let detached = Detached::new(&game, Random::new().seed(1)).expect("a thread");
    let detached = line(vec![Box::new(detached), Box::new(First::new())]);
    assert_eq!(detached, line(vec![Box::new(Random::new().seed(1)), Box::new(First::new())]));

    let player = Detached::new(&game, odd(|_: &_, _: &_, _: &_| panic!("on purpose"))).expect("a thread");
    assert_eq!(player.name(), "odd");
    let (_, errors) = faults(Box::new(player), None);
    assert!(errors[1..].iter().all(|error| error == "CE"), "{errors:?}");
}

#[test]
fn players_are_given_what_their_role_perceives() {
    let game = monty_hall::game();
    for seed in 0..20 {
        let mut hosts_car = Vec::new();
        let mut switch =
            |game: &monty_hall::MontyHall, known: &Information<monty_hall::MontyHall>, _: &Budget| {
                assert!(known.steps().iter().all(|(_, seen)| matches!(seen, Perception::Percepts(_))));
                let set = InformationSet::of(game, known).expect("what was told can be");
                hosts_car.push(set.len());
                let (state, _) = set.states().next()?;
                game.legal_moves(state, known.role()).last()
            };
        let mut players: Players<'_, _> = vec![odd(&mut switch)];
        let played = Referee::new(&game).seed(seed).run(&mut players).unwrap();
        drop(players);
        assert!(played.is_complete() && played.faults.iter().flatten().all(Option::is_none));
        assert_eq!(played.players[monty_hall::Role::Random as usize], "random");
        // At the start no car is hidden. After the first step it can be at three doors, and after
        // the host opens a door at two.
        assert_eq!(hosts_car[..3], [1, 3, 2], "{hosts_car:?}");
    }
}

#[test]
fn chance_follows_the_seed() {
    let game = monty_hall::game();
    let play = |seed| {
        let mut players: Players<'_, _> = vec![Box::new(First::new())];
        let played = Referee::new(&game).seed(seed).run(&mut players).unwrap();
        played.history.text(&game)
    };
    let ends: Vec<String> = (0..20).map(play).collect();
    assert_eq!(ends, (0..20).map(play).collect::<Vec<_>>());
    assert!(ends.iter().any(|end| *end != ends[0]));
}

#[test]
fn all_are_asked_at_the_same_time() {
    let game = rock_paper_scissors::game();
    // Each player waits for the other before it answers, so a sequential referee would deadlock.
    let meet = std::sync::Barrier::new(2);
    let wait = |game: &rock_paper_scissors::RockPaperScissors,
                known: &Information<rock_paper_scissors::RockPaperScissors>,
                _: &Budget| {
        meet.wait();
        game.legal_moves(&game.initial(), known.role()).next()
    };
    let mut players: Players<'_, _> = vec![odd(wait), odd(wait)];
    let played = Referee::new(&game).run(&mut players).unwrap();
    assert!(played.is_complete());
}

/// A player that returns no move but a fault, until its list of faults ends.
struct Excused(Vec<Option<Fault>>);

impl Player<walk::Walk> for Excused {
    fn name(&self) -> &'static str {
        "excused"
    }

    fn choose(
        &mut self,
        game: &walk::Walk,
        _: &Information<walk::Walk>,
        _: &Budget,
    ) -> Option<<walk::Walk as Game>::Move> {
        self.0.remove(0);
        if self.0.len() == 1 { game.parse_move("off").ok() } else { None }
    }

    fn fault(&self) -> Option<Fault> {
        self.0[0].clone()
    }
}

#[test]
fn players_that_have_no_move_may_say_why() {
    let game = walk::game();
    let said =
        [Some(Fault::Late), Some(Fault::Gone), Some(Fault::Illegal("jump".into())), None, Some(Fault::Gone)];
    let mut watched = Vec::new();
    // A seed whose first moves do not end the walk.
    let played = (0..).find_map(|seed| {
        watched.clear();
        let referee = Referee::new(&game).seed(seed);
        let referee = referee.watch(|played, _| watched.push((played.history.depth(), played.faults.len())));
        let played = referee.run(&mut [Box::new(Excused(said.to_vec()))]).unwrap();
        (played.history.depth() == 4).then_some(played)
    });
    let faults: Vec<String> = (played.unwrap().faults.iter())
        .map(|faults| faults[0].as_ref().map_or_else(String::new, ToString::to_string))
        .collect();
    // The referee queries the player again after each fault, including at the start. A move that
    // arrives has no fault.
    assert_eq!(faults, ["TO", "CE", "IL jump", "IL nil", ""]);
    assert_eq!(watched, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)]);
}

#[test]
fn endless_matches_are_given_up_and_any_can_be_called_off() {
    let game = walk::game();
    let on = |game: &walk::Walk, _: &_, _: &Budget| game.parse_move("on").ok();
    let played = Referee::new(&game).max_steps(50).run(&mut [odd(on)]).unwrap();
    assert_eq!((played.end, played.history.depth(), &played.goals[..]), (End::TooLong, 50, &[None][..]));
    let record = played.record(&game);
    assert!(record.is_aborted && !record.is_completed && record.goal_values.is_empty());
    assert_eq!(record.replay(&game).unwrap().depth(), 50);

    let cancel = Cancel::default();
    let pull = cancel.clone();
    let watched = Referee::new(&game).cancelled_by(&cancel).watch(|played: &Match<_>, _| {
        if played.history.depth() == 7 {
            pull.cancel();
        }
    });
    let played = watched.run(&mut [odd(on)]).unwrap();
    assert_eq!((played.end, played.history.depth()), (End::Cancelled, 7));
    // A match without clocks can be cancelled even while a player never answers.
    let (cancel, pull) = (Cancel::default(), Cancel::default());
    let pulled = pull.clone();
    let stubborn = odd(|_: &_, _: &_, budget: &Budget| {
        pulled.cancel();
        while !budget.is_cancelled() {
            std::thread::yield_now();
        }
        None
    });
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !pull.is_cancelled() {
                std::thread::yield_now();
            }
            cancel.cancel();
        });
        let played = Referee::new(&game).cancelled_by(&cancel).run(&mut [stubborn]).unwrap();
        assert_eq!((played.end, played.history.depth()), (End::Cancelled, 0));
    });
}

#[test]
fn there_is_a_player_for_each_role() {
    let game = tictactoe::game();
    let error = Referee::new(&game).run(&mut [Box::new(First::new())]).unwrap_err();
    assert_eq!(error, RefereeError::Players { expected: 2, found: 1 });
    assert_eq!(error.to_string(), "the game takes 2 players, found 1");
}

/// A match with a deterministic record.
fn recorded() -> (tictactoe::Tictactoe, Record) {
    let game = tictactoe::game();
    let mut time = 1_000_000;
    let mut players: Players<'_, _> = vec![Box::new(First::new()), Box::new(Random::new().seed(3))];
    let referee = Referee::new(&game).id("test.1").seed(9).now(|| {
        time += 1_500;
        time
    });
    let played = referee.run(&mut players).unwrap();
    let record = played.record(&game);
    assert_eq!(record.replay(&game).unwrap().line(), played.history.line());
    (game, record)
}

#[test]
fn records_can_be_repeated_and_replayed() {
    let (_, record) = recorded();
    assert_eq!(record, recorded().1);
    assert_eq!(record.states[0].matches("( cell ").count(), 9);
    assert!(record.states[0].starts_with("( ( cell 1 1 b ) ( cell 1 2 b ) "), "{}", record.states[0]);
    assert_eq!(record.moves[0], ["( mark 1 1 )", "noop"]);
    assert_eq!((record.states.len(), record.errors.len()), (record.moves.len() + 1, record.moves.len() + 1));
    assert_eq!(record.state_times.len(), record.states.len());
    assert_eq!((record.start_time, record.state_times[0]), (1_001_500, 1_003_000));
    assert_eq!((record.random_token.len(), record.start_clock, record.play_clock), (32, -1, -1));
    assert_eq!(record.goal_values.iter().map(|&goal| u32::from(goal)).sum::<u32>(), 100);
}

#[test]
fn records_that_do_not_fit_say_where() {
    let (game, good) = recorded();
    let broken = |change: &dyn Fn(&mut Record)| {
        let mut record = good.clone();
        change(&mut record);
        record.replay(&game).unwrap_err()
    };
    assert_eq!(broken(&|r| r.states.clear()), RecordError::Count { states: 0, moves: good.moves.len() });
    assert!(matches!(broken(&|r| r.moves[1][0] = "(mark 3 3)".into()), RecordError::Step { step: 2, .. }));
    assert!(matches!(broken(&|r| r.moves[0][0] = "(fly)".into()), RecordError::Text { step: 1, .. }));
    assert!(matches!(broken(&|r| r.states[2] = "nothing".into()), RecordError::Text { step: 2, .. }));
    assert_eq!(broken(&|r| r.states[2] = r.states[1].clone()), RecordError::State { step: 2 });
    assert_eq!(broken(&|r| r.goal_values.reverse()), RecordError::Goals);
    let cut = broken(&|r| {
        r.states.pop();
        r.moves.pop();
        r.goal_values.clear();
    });
    assert_eq!(cut, RecordError::Unfinished);
    let mut asked = Vec::new();
    let stopped = good.replay_while(&game, |history| {
        asked.push(history.len());
        history.len() < 3
    });
    assert_eq!((stopped.unwrap_err(), asked), (RecordError::Stopped { step: 3 }, vec![1, 2, 3]));
}

#[test]
fn records_have_the_fields_of_ggp_base() {
    let (game, record) = recorded();
    let json = serde_json::to_value(&record).unwrap();
    let keys: Vec<&str> = json.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "matchId",
            "randomToken",
            "startTime",
            "isCompleted",
            "isAborted",
            "states",
            "moves",
            "stateTimes",
            "errors",
            "goalValues",
            "previewClock",
            "startClock",
            "playClock",
            "playerNamesFromHost",
            "isPlayerHuman",
            "scrambled"
        ]
    );
    assert_eq!(serde_json::from_value::<Record>(json).unwrap(), record);
    // A record with the fewest fields that ggp-base reads, and with `matchHostPK`, which `Record`
    // lacks.
    let foreign = serde_json::json!({
        "matchId": "base.1", "randomToken": "x", "startTime": 1, "isCompleted": false,
        "gameMetaURL": "http://games.ggp.org/base/games/ticTacToe/", "matchHostPK": "0abc",
        "states": [record.states[0], record.states[1]], "moves": [record.moves[0]], "stateTimes": [1, 2],
        "startClock": 30, "playClock": 15
    });
    let foreign: Record = serde_json::from_value(foreign).unwrap();
    assert_eq!(foreign.replay(&game).unwrap().depth(), 1);
}
