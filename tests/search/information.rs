//! Chance and hidden information in the built-in games of GDL-II. Exact probabilities and players'
//! knowledge are compared with numbers worked out by hand.

use gdl_games::{liars_dice, monty_hall, rock_paper_scissors};
use gdl_runtime::{
    Dynamic, Game, GameExt, Information, Playouts,
    chance::{Probability, Stream},
    game::{Id, Perception},
    information::{InformationError, InformationSet},
    load,
};

/// A built-in game, loaded from its rulesheet.
fn table(name: &str) -> Dynamic {
    load(gdl_games::find(name).expect("built in").text).expect("built-in rulesheets load")
}

fn fraction(numerator: u128, denominator: u128) -> Probability {
    Probability::new(numerator, denominator).expect("a probability")
}

/// The exact probability that the first role gets 100. Each role makes the first legal move of
/// `plan`; chance draws uniformly.
fn win<G: Game>(game: &G, state: &G::State, plan: &[&str]) -> Probability {
    let view = game.view(state);
    let first = game.roles().next().expect("a role");
    if game.is_terminal_in(&view) {
        return if game.goal_in(&view, first) == Some(100) { Probability::ONE } else { Probability::ZERO };
    }
    let mut sum = Probability::ZERO;
    for (drawn, probability) in game.chance(state) {
        let planned = |role| {
            let moves = plan.iter().map(|text| game.parse_move(text).expect("a move"));
            moves.into_iter().find(|&action| game.is_legal_in(&view, role, action)).expect("a planned move")
        };
        let joint: Vec<G::Move> = game
            .roles()
            .map(|role| if Some(role) == game.chance_role() { drawn } else { planned(role) })
            .collect();
        let then = win(game, &game.apply(state, &joint).expect("legal moves"), plan);
        let both = probability.checked_mul(then).expect("a short game");
        sum = sum.checked_add(both).expect("at most one");
    }
    sum
}

fn wins_of_switching<G: Game>(game: &G) {
    let start = game.initial();
    assert_eq!(win(game, &start, &["(choose 2)", "noop", "switch"]), fraction(2, 3));
    assert_eq!(win(game, &start, &["(choose 2)", "noop", "stay"]), fraction(1, 3));
}

#[test]
fn switching_wins_two_times_in_three() {
    wins_of_switching(&monty_hall::game());
    wins_of_switching(&table("monty_hall"));
}

/// Estimates the probability of a win by play: the candidate always switches.
#[test]
fn switching_wins_as_often_as_it_should() {
    use monty_hall::{Move, Role};

    let game = monty_hall::game();
    let mut stream = Stream::new(5, 0);
    let plays = 20_000;
    let mut won = 0;
    for _ in 0..plays {
        let mut state = game.initial();
        loop {
            let view = game.view(&state);
            if game.is_terminal_in(&view) {
                won += u32::from(game.goal_in(&view, Role::Candidate) == Some(100));
                break;
            }
            let joint = Role::ALL.map(|role| {
                if game.is_legal_in(&view, role, Move::SWITCH) {
                    Move::SWITCH
                } else {
                    game.random_move_in(&view, role, &mut stream).expect("a legal move")
                }
            });
            state = game.apply(&state, &joint).expect("legal moves");
        }
    }
    // The standard error is sqrt(2 / 9 / 20,000) = 0.0033.
    assert!((f64::from(won) / f64::from(plays) - 2.0 / 3.0).abs() < 0.013, "{won}");
}

/// The exact probability that the first role gets 100 in random play.
fn uniform<G: Game>(game: &G, state: &G::State, roles: &[G::Role]) -> Probability {
    let view = game.view(state);
    if game.is_terminal_in(&view) {
        return if game.goal_in(&view, roles[0]) == Some(100) { Probability::ONE } else { Probability::ZERO };
    }
    let mut joints: Vec<Vec<G::Move>> = vec![Vec::new()];
    for &role in roles {
        let longer = |joint: Vec<G::Move>| -> Vec<Vec<G::Move>> {
            game.legal_moves_in(&view, role).map(|action| [&joint[..], &[action]].concat()).collect()
        };
        joints = joints.into_iter().flat_map(longer).collect();
    }
    joints.iter().fold(Probability::ZERO, |sum, joint| {
        let then = uniform(game, &game.apply_unchecked(state, joint), roles);
        let both = game.probability_in(&view, joint).and_then(|p| p.checked_mul(then));
        sum.checked_add(both.expect("a short game")).expect("at most one")
    })
}

#[test]
fn random_play_has_its_exact_mean() {
    let game = monty_hall::game();
    assert_eq!(uniform(&game, &game.initial(), &monty_hall::Role::ALL), fraction(1, 2));
    // Both players have a six, and alice bids two fours.
    let game = liars_dice::game();
    let roll =
        [liars_dice::Move::NOOP, liars_dice::Move::NOOP, liars_dice::Move::roll(6, 6).expect("two faces")];
    let rolled = game.apply(&game.initial(), &roll).expect("legal moves");
    let bid = [liars_dice::Move::bid(2, 4).expect("a bid"), liars_dice::Move::NOOP, liars_dice::Move::NOOP];
    let bid = game.apply(&rolled, &bid).expect("legal moves");
    // If bob doubts, alice loses. If he bids two sixes, she must doubt and loses. If he bids two
    // fives, she wins: she doubts, or bids two sixes, which he must doubt.
    assert_eq!(uniform(&game, &bid, &liars_dice::Role::ALL), fraction(1, 3));
}

#[test]
fn playouts_know_who_plays() {
    let stats = Playouts::new(&monty_hall::game()).seed(3).count(20_000).run();
    assert_eq!(stats.chance, Some(1));
    assert_eq!((stats.tally.unscored, stats.tally.unfinished()), (0, 0));
    // A candidate that stays or switches at random wins half of the games.
    assert!((stats.mean_goal(0) - 50.0).abs() < 4.0 * stats.goal_error(0), "{stats}");
    let [candidate, chance] = stats.tally.roles[..] else { panic!("two roles") };
    assert_eq!(candidate.wins + candidate.losses, 20_000);
    assert_eq!(chance, gdl_runtime::playouts::RoleTally::default());
    assert!(stats.to_string().lines().any(|line| line.starts_with("random") && line.ends_with('-')));
    // The table engine gives the same tally with any number of threads.
    let again = Playouts::new(&table("monty_hall")).seed(3).count(20_000).threads(3).run();
    assert_eq!(again.tally, stats.tally);

    let stats = Playouts::new(&liars_dice::game()).count(5_000).run();
    let [alice, bob, chance] = stats.tally.roles[..] else { panic!("three roles") };
    assert_eq!((alice.wins, alice.losses), (bob.losses, bob.wins));
    assert_eq!((alice.wins + bob.wins, chance.wins, chance.losses), (5_000, 0, 0));
}

#[test]
fn the_candidate_learns_from_the_open_door() {
    use monty_hall::{Fluent, Move, Percept, Role};

    let game = monty_hall::game();
    let car = |door: u8| Fluent::car(door).expect("a door");
    let behind = |set: &InformationSet<'_, monty_hall::MontyHall>| {
        [1, 2, 3].map(|door| set.probability_that(|state| game.holds(state, car(door))))
    };
    let start = game.initial();
    let hides = [Move::choose(1), Move::hide(2)].map(|action| action.expect("a door"));
    let opens = [Move::NOOP, Move::open(3).expect("a door")];
    let mut information = Information::new(Role::Candidate);
    information.step(&game, &start, &hides);
    let closed = game.apply(&start, &hides).expect("legal moves");
    let mut set = InformationSet::of(&game, &information).expect("few states");
    assert_eq!((set.len(), behind(&set)), (3, [fraction(1, 3); 3]));

    information.step(&game, &closed, &opens);
    assert_eq!(information.text(&game), "(candidate ((choose 1) ()) (noop ((open 3))))");
    let [_, (action, perception)] = information.steps() else { panic!("two steps") };
    assert_eq!(*perception, Perception::Percepts([Percept::open(3).expect("a door")].into()));
    set.step(*action, perception).expect("few states");
    assert_eq!(behind(&set), [fraction(1, 3), fraction(2, 3), Probability::ZERO]);
    let opened = game.apply(&closed, &opens).expect("legal moves");
    assert_eq!((set.len(), set.probability(&opened)), (2, fraction(2, 3)));
    assert_eq!(set.probability(&start), Probability::ZERO);
    // 6,000 of 9,000 draws are right, with a standard deviation of 45.
    let mut stream = Stream::new(1, 0);
    let right = (0..9_000).filter(|_| *set.draw(&mut stream) == opened).count();
    assert!((5_820..6_180).contains(&right), "{right}");

    // The host cannot open a second door, and the candidate cannot choose again. A failed step does
    // not change the set.
    for (action, percept) in [(Move::SWITCH, Percept::open(1)), (hides[0], Percept::car(1))] {
        let perception = Perception::Percepts([percept.expect("a door")].into());
        assert_eq!(set.step(action, &perception), Err(InformationError::Impossible));
        assert_eq!(set.len(), 2);
    }
    let shown = Perception::Percepts([Percept::car(2).expect("a door")].into());
    set.step(Move::SWITCH, &shown).expect("it may be there");
    let states: Vec<_> = set.states().map(|(state, p)| (game.state_text(state), p)).collect();
    assert_eq!(states, [("((car 2) (chosen 2) (opened 3) (step 4))".to_owned(), Probability::ONE)]);
}

#[test]
fn a_bid_says_as_much_as_the_bidder_is_thought_to_mean() {
    use liars_dice::{Fluent, Move, Percept, Role};

    let game = liars_dice::game();
    let bid = |n: u8, face: u8| Move::bid(n, face).expect("a bid");
    let heard = |n: u8, face: u8| Perception::Percepts([Percept::bid(n, face).expect("a bid")].into());
    let die = |face: u8| Fluent::die("bob", face).expect("a face");
    let mut set = InformationSet::new(&game, Role::Alice);
    set.step(Move::NOOP, &Perception::Percepts([Percept::rolled(5).expect("a face")].into())).expect("few");
    set.step(bid(1, 1), &Perception::Percepts([].into())).expect("few");
    let known = set.clone();
    let face = |set: &InformationSet<'_, _>, face| {
        set.probability_that(|state: &liars_dice::State| game.holds(state, die(face)))
    };

    // If bob bids any face at random, his bid carries no information.
    set.step(Move::NOOP, &heard(1, 6)).expect("few");
    assert_eq!((set.len(), face(&set, 6)), (6, fraction(1, 6)));

    // If bob bids only his own face, he has a six.
    let mut honest = known.clone();
    let holds = |state: &liars_dice::State, action: Move| {
        (1..=6).any(|face| action == bid(1, face) && game.holds(state, die(face)))
    };
    honest.step_with(Move::NOOP, &heard(1, 6), |state, _, action| holds(state, action).into()).expect("few");
    assert_eq!((honest.len(), face(&honest, 6)), (1, Probability::ONE));

    // A set is its states and their weights.
    let restored = InformationSet::resume(&game, Role::Alice, honest.clone().into_states());
    assert_eq!((restored.len(), face(&restored, 6)), (1, Probability::ONE));

    // Bob's own face is three times as likely as any other bid. He has 12 bids with a total weight
    // of 14, or of 12 if his own face can no longer be bid. The ratio is 3/14 to 1/12 to four times
    // 1/14.
    let mut likely = known.clone();
    let weight = |state: &_, _, action| if holds(state, action) { 3 } else { 1 };
    likely.step_with(Move::NOOP, &heard(1, 6), weight).expect("few");
    let expected = [fraction(18, 49), fraction(7, 49), fraction(6, 49)];
    assert_eq!([6, 1, 2].map(|number| face(&likely, number)), expected);

    // Plays that differ only in bob's die are equal for alice and different for bob.
    let rolls = [1, 2].map(|face| [Move::NOOP, Move::NOOP, Move::roll(5, face).expect("two faces")]);
    let of = |role| {
        rolls.each_ref().map(|roll| {
            let mut information = Information::new(role);
            information.step(&game, &game.initial(), roll);
            information
        })
    };
    let ([a, b], [c, d]) = (of(Role::Alice), of(Role::Bob));
    assert_eq!(a, b);
    assert_ne!(c, d);
    assert_eq!(of(Role::Random)[0].text(&game), "(random ((roll 5 1) ()))");
}

#[test]
fn a_six_is_there_eleven_times_in_thirty_six() {
    let plan = ["(bid 1 6)", "doubt", "noop"];
    assert_eq!(win(&liars_dice::game(), &liars_dice::game().initial(), &plan), fraction(11, 36));
    let plan = ["(bid 2 6)", "doubt", "noop"];
    assert_eq!(win(&liars_dice::game(), &liars_dice::game().initial(), &plan), fraction(1, 36));
}

#[test]
fn information_sets_keep_to_their_limits() {
    use liars_dice::{Move, Percept, Role};

    let game = liars_dice::game();
    let rolled = Perception::Percepts([Percept::rolled(1).expect("a face")].into());
    let mut small = InformationSet::new(&game, Role::Bob).max_states(5);
    assert_eq!(small.step(Move::NOOP, &rolled), Err(InformationError::States { limit: 5 }));
    assert_eq!((small.len(), small.probability(&game.initial())), (1, Probability::ONE));
    let mut small = small.max_states(6).max_joints(35);
    assert_eq!(small.step(Move::NOOP, &rolled), Err(InformationError::Joints { limit: 35 }));
    let mut small = small.max_joints(36);
    small.step(Move::NOOP, &rolled).expect("just enough");
    // Weights beyond 128 bits are rejected, not rounded.
    let mut fine = InformationSet::new(&game, Role::Random);
    let nothing = Perception::Percepts([].into());
    let answer = fine.step_with(Move::roll(1, 1).expect("two faces"), &nothing, |_, _, _| u64::MAX);
    assert_eq!(answer, Ok(()), "equal weights are equal shares");
    for _ in 0..9 {
        let weight = |state: &liars_dice::State, _, action: Move| {
            // Weights that differ between states and have no common divisor.
            u64::MAX - 2 * (state.words()[0] % 1009) - u64::from(action == Move::NOOP)
        };
        match fine.step_with(Move::NOOP, &nothing, weight) {
            Ok(()) => {}
            Err(error) => return assert_eq!(error, InformationError::TooFine),
        }
    }
    panic!("nine steps of 64 bits each fit into 128");
}

/// Each player perceives the joint move if the rules have no percepts.
#[test]
fn nothing_is_hidden_without_percepts() {
    use rock_paper_scissors::{Move, Role};

    let game = rock_paper_scissors::game();
    let joint = [Move::ROCK, Move::PAPER];
    let mut information = Information::new(Role::Alice);
    let mut state = game.initial();
    for _ in 0..2 {
        information.step(&game, &state, &joint);
        state = game.apply(&state, &joint).expect("legal moves");
    }
    assert_eq!(information.text(&game), "(alice (rock (rock paper)) (rock (rock paper)))");
    let mut set = InformationSet::of(&game, &information).expect("one state");
    assert_eq!((set.len(), set.probability(&state)), (1, Probability::ONE));
    assert!(game.chance(&state).is_empty());
    // A player of this game never receives percepts.
    let percepts = Perception::Percepts([].into());
    assert_eq!(set.step(Move::ROCK, &percepts), Err(InformationError::Impossible));
}

/// Asserts that the real state of random play is in the information set of every role.
fn follow<G: Game>(game: &G, seed: u64) {
    let mut stream = Stream::new(seed, 0);
    let mut state = game.initial();
    let mut sets: Vec<_> = game.roles().map(|role| InformationSet::new(game, role)).collect();
    let mut told: Vec<_> = game.roles().map(Information::new).collect();
    while !game.is_terminal(&state) {
        let view = game.view(&state);
        let joint: Vec<G::Move> = game
            .roles()
            .map(|role| game.random_move_in(&view, role, &mut stream).expect("a legal move"))
            .collect();
        for ((set, told), &action) in sets.iter_mut().zip(&mut told).zip(&joint) {
            told.step(game, &state, &joint);
            let (_, perception) = told.steps().last().expect("a step");
            set.step(action, perception).expect("few states");
        }
        state = game.apply(&state, &joint).expect("legal moves");
        for (set, told) in sets.iter().zip(&told) {
            assert!(!set.probability(&state).is_zero(), "{}", told.text(game));
            let sum = set.states().try_fold(Probability::ZERO, |sum, (_, p)| sum.checked_add(p));
            assert_eq!(sum, Some(Probability::ONE));
        }
    }
}

#[test]
fn the_real_state_is_always_possible() {
    for seed in 0..10 {
        follow(&monty_hall::game(), seed);
        follow(&liars_dice::game(), seed);
        follow(&table("liars_dice"), seed);
        follow(&rock_paper_scissors::game(), seed);
    }
}

/// Roles know their legal moves: these are equal in all states of an information set. The checks of
/// rulesheets do not verify this.
#[test]
fn roles_know_their_legal_moves() {
    let hidden = gdl_games::LIST.iter().filter(|entry| entry.tags.contains(&gdl_games::Tag::Hidden));
    let mut compared = 0;
    for entry in hidden {
        let game = table(entry.name);
        for seed in 0..10 {
            compared += know(&game, entry.name, seed);
        }
    }
    assert!(compared > 500, "{compared} sets of several states");
}

/// Compares the states of a random play that a role cannot distinguish, until they exceed a limit.
/// Returns the number of information sets with several states.
fn know(game: &Dynamic, name: &str, seed: u64) -> usize {
    let mut stream = Stream::new(seed, 1);
    let mut state = game.initial();
    let set = |role| InformationSet::new(game, role).max_states(1 << 9).max_joints(1 << 12);
    // Chance receives no percepts and knows the state.
    let mut sets: Vec<_> = game.roles().filter(|&role| Some(role) != game.chance_role()).map(set).collect();
    let mut told: Vec<_> = game.roles().map(Information::new).collect();
    let mut compared = 0;
    while !game.is_terminal(&state) && !sets.is_empty() {
        let view = game.view(&state);
        let joint: Vec<_> = game
            .roles()
            .map(|role| game.random_move_in(&view, role, &mut stream).expect("a legal move"))
            .collect();
        told.iter_mut().for_each(|told| told.step(game, &state, &joint));
        state = game.apply(&state, &joint).expect("legal moves");
        sets.retain_mut(|set| {
            let role = set.role();
            let (action, perception) = told[role.index()].steps().last().expect("a step");
            if set.step(*action, perception).is_err() {
                return false;
            }
            let open = set.states().map(|(state, _)| state).filter(|state| !game.is_terminal(state));
            let mut moves: Vec<Vec<_>> = open.map(|state| game.legal_moves(state, role).collect()).collect();
            compared += usize::from(moves.len() > 1);
            moves.dedup();
            assert!(moves.len() < 2, "{name}: {}", told[role.index()].text(game));
            true
        });
    }
    compared
}

#[test]
#[should_panic(expected = "a set of states that are consistent has one")]
fn a_set_without_states_is_not_restored() {
    let game = rock_paper_scissors::game();
    let _ = InformationSet::resume(&game, rock_paper_scissors::Role::Alice, Vec::new());
}
