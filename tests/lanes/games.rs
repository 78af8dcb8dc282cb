//! Games whose states stay in bit planes equal games of single steps, on every instruction set and
//! for each renewal of finished games. The views read from them are equal too. An illegal move is
//! found and changes nothing. From equal streams, chance draws the same moves as in single steps.

use gdl_games::{Entry, Visitor, compiled, visit};
use gdl_runtime::{
    Dynamic, Game, GameExt,
    bits::{self, BitBox},
    chance::Stream,
    dynamic::{MoveId, RoleId},
    engine::{CLEAR, Games, ONLY, Part, Renewal, Stepper, Table, To},
    game::Id,
    lanes::Isa,
    load,
};
use std::ptr;

/// The table of a compiled game, with straight-line code if it has any.
struct Compiled;

impl Visitor for Compiled {
    type Output = Option<Table>;

    fn visit<G: Game<State: Copy, View: Copy> + Copy + 'static>(
        self,
        game: G,
        _: &'static Entry,
    ) -> Option<Table> {
        game.table().cloned()
    }
}

/// A single game that is stepped alongside the planes.
struct Twin {
    state: BitBox,
    is_over: bool,
    stream: Stream,
}

impl Twin {
    fn legal(&self, game: &Dynamic, role: usize) -> Vec<usize> {
        let moves = game.legal_moves(&self.state, RoleId::from_index(role)).map(Id::index);
        if self.is_over { Vec::new() } else { moves.collect() }
    }

    fn renew(&mut self, game: &Dynamic) {
        (self.state, self.is_over) = (game.initial(), false);
    }
}

/// One row of bits for each game, after checking that the bytes agree.
fn rows(stepper: &mut Stepper, games: &Games, part: Part<'_>, times: usize, bits: usize) -> Vec<Vec<u64>> {
    let words = bits.div_ceil(64);
    let mut all = vec![0; games.len() * times * words];
    stepper.read(games, part, To::Words(&mut all));
    let mut bytes = vec![7; games.len() * times * bits];
    stepper.read(games, part, To::Bytes(&mut bytes));
    for (words, bytes) in all.chunks(words).zip(bytes.chunks(bits)) {
        assert!((0..bits).all(|bit| u8::from(bits::test(words, bit)) == bytes[bit]), "{part:?}");
    }
    all.chunks(times * words).map(<[u64]>::to_vec).collect()
}

/// Tests the views of games against their twins.
fn check(game: &Dynamic, stepper: &mut Stepper, games: &Games, twins: &[Twin], name: &str) {
    let shape = game.shape();
    let chance = game.chance_role().map(Id::index);
    let states = rows(stepper, games, Part::State, 1, shape.fluents);
    // Every second fluent in descending order, alternating with clear bits.
    let order: Vec<u32> =
        (0..shape.fluents as u32).rev().step_by(2).flat_map(|fluent| [fluent, CLEAR]).collect();
    let some = rows(stepper, games, Part::Fluents(&order), 1, order.len());
    let seats = if stepper.asks_all() { shape.roles } else { 1 };
    let legal = rows(stepper, games, Part::Legal, seats, shape.moves);
    let mut asked = vec![0; twins.len()];
    stepper.asked(games, &mut asked);
    let mut state = game.new_state();
    for (lane, twin) in twins.iter().enumerate() {
        assert_eq!(states[lane], twin.state.as_ref(), "{name}, lane {lane}");
        games.state(lane, state.as_mut());
        assert_eq!(state, twin.state, "{name}, lane {lane}");
        for (place, &fluent) in order.iter().enumerate() {
            let holds = fluent != CLEAR && bits::test(twin.state.as_ref(), fluent as usize);
            assert_eq!(bits::test(&some[lane], place), holds, "{name}, lane {lane}");
        }
        assert_eq!(games.is_over(lane), twin.is_over, "{name}, lane {lane}");
        let all: Vec<Vec<usize>> = (0..shape.roles).map(|role| twin.legal(game, role)).collect();
        let speaker = stepper.speaker(twin.state.as_ref()).expect("play came to the state");
        for (seat, found) in legal[lane].chunks(shape.legal_words()).enumerate() {
            let role = if stepper.asks_all() { seat } else { speaker };
            let found: Vec<usize> = bits::ones(found).collect();
            assert_eq!(found, if chance == Some(role) { &[][..] } else { &all[role] }, "{name}, lane {lane}");
            assert_eq!(stepper.legal(games, lane, role), all[role], "{name}, lane {lane}");
        }
        let mut several = (0..shape.roles).filter(|&role| all[role].len() > 1 && chance != Some(role));
        let mut only = several.next().filter(|_| several.next().is_none());
        if !stepper.asks_all() {
            only = (!twin.is_over).then_some(speaker);
            assert_eq!(stepper.speaker_of(games, lane), only.unwrap_or(0), "{name}, lane {lane}");
        }
        assert_eq!(asked[lane], only.map_or(-1, |role| role as i8), "{name}, lane {lane}");
    }
}

/// Makes a random move in all games and their twins. Chance draws its move from the stream of the
/// game.
fn step(
    game: &Dynamic,
    stepper: &mut Stepper,
    games: &mut Games,
    twins: &mut [Twin],
    renewal: Renewal,
    stream: &mut Stream,
    name: &str,
) {
    let roles = game.shape().roles;
    let chance = game.chance_role();
    let (mut actions, mut joints) = (Vec::new(), Vec::new());
    for twin in &mut *twins {
        let mut joint = Vec::new();
        let speaker = stepper.speaker(twin.state.as_ref());
        for role in 0..roles {
            let legal = twin.legal(game, role);
            if chance.is_some_and(|chance| chance.index() == role) {
                let drawn =
                    game.random_move_in(&game.view(&twin.state), RoleId::from_index(role), &mut twin.stream);
                joint.extend(drawn.filter(|_| !twin.is_over));
                actions.push(-7);
                continue;
            }
            let drawn = legal.get(stream.below(legal.len() as u64) as usize).copied();
            let is_left = legal.len() < 2 && stream.below(2) == 0;
            if stepper.asks_all() || speaker == Some(role) {
                actions.push(drawn.filter(|_| !is_left).map_or(ONLY, |action| action as i32));
            }
            joint.extend(drawn.map(MoveId::from_index));
        }
        joints.push(joint);
    }
    let seats = actions.len() / twins.len();
    // Illegal moves are found and change nothing.
    let place = stream.below(twins.len() as u64) as usize;
    if !twins[place].is_over {
        for bad in [game.shape().moves as i32, i32::MAX, i32::MIN, -2] {
            let mut wrong = actions.clone();
            wrong[place * seats] = bad;
            assert_eq!(stepper.choose(games, &wrong), Err(place), "{name}");
        }
    }
    assert_eq!(stepper.choose(games, &actions), Ok(()), "{name}");
    stepper.step(games, renewal);
    let mut worth = vec![7.0; twins.len() * roles];
    stepper.worth(games, |goal| f32::from(goal) + 0.5, &mut worth);
    let mut ended = vec![false; twins.len()];
    stepper.ended(games, &mut ended);
    for (lane, (twin, joint)) in twins.iter_mut().zip(&joints).enumerate() {
        let worth = &worth[lane * roles..][..roles];
        if twin.is_over {
            assert!(!ended[lane] && worth.iter().all(|&worth| worth == 0.0), "{name}");
            if renewal == Renewal::NextStep {
                twin.renew(game);
            }
            continue;
        }
        game.advance(&mut twin.state, joint);
        let view = game.view(&twin.state);
        twin.is_over = game.is_terminal_in(&view);
        assert_eq!(ended[lane], twin.is_over, "{name}");
        assert_eq!(games.has_ended(lane), twin.is_over, "{name}");
        for (role, &worth) in worth.iter().enumerate() {
            let role = RoleId::from_index(role);
            let goal = game.goal_in(&view, role).filter(|_| twin.is_over && chance != Some(role));
            assert!((worth - goal.map_or(0.0, |goal| f32::from(goal) + 0.5)).abs() < 1e-6, "{name}");
        }
        if twin.is_over && renewal == Renewal::SameStep {
            twin.renew(game);
        }
    }
}

#[test]
fn games_are_those_of_single_steps() {
    for entry in compiled() {
        let game = load(entry.text).expect("built-in rulesheets load");
        let table = game.table().expect("they have a table");
        let compiled = visit(entry.name, Compiled).flatten().expect("so have compiled games");
        let shape = game.shape();
        let ways = Isa::ALL.iter().zip([false, true, true, false]).filter(|(isa, _)| isa.is_available());
        let ways = ways.flat_map(|(&isa, all)| [(isa, all, table), (isa, all, &compiled)]);
        for (isa, all, table) in ways.filter(|way| ptr::eq(way.2, table) || way.2.has_straight_lanes(way.0)) {
            let mut stepper = Stepper::new(table, isa, all).expect("they are played in lanes");
            assert_eq!(stepper.shape(), shape);
            // All lanes for games that are fast to check.
            let most = if shape.moves < 20 { 512 } else { 70 };
            for (renewal, count) in [(Renewal::SameStep, most), (Renewal::NextStep, 65), (Renewal::Never, 7)]
            {
                let name = format!("{}, {isa:?}, {renewal:?}", entry.name);
                let mut stream = Stream::new(3, count as u64);
                let mut games = stepper.start(count, |lane| Stream::new(9, lane as u64));
                let new = |lane| Twin {
                    state: game.initial(),
                    is_over: false,
                    stream: Stream::new(9, lane as u64),
                };
                let mut twins: Vec<Twin> = (0..count).map(new).collect();
                check(&game, &mut stepper, &games, &twins, &name);
                for _ in 0..25 {
                    step(&game, &mut stepper, &mut games, &mut twins, renewal, &mut stream, &name);
                    check(&game, &mut stepper, &games, &twins, &name);
                }
                stepper.reset(&mut games, |lane| lane % 2 == 0);
                for (lane, twin) in twins.iter_mut().enumerate().step_by(2) {
                    *twin = new(lane + 1000);
                    games.seed(lane, twin.stream.clone());
                }
                check(&game, &mut stepper, &games, &twins, &name);
                step(&game, &mut stepper, &mut games, &mut twins, renewal, &mut stream, &name);
                check(&game, &mut stepper, &games, &twins, &name);
            }
        }
    }
}

/// More moves than a byte distinguishes, more goal values than a register has room for, and three
/// roles with adjacent rewards.
#[test]
fn many_moves_and_many_goals() {
    let numbers = (1..600).map(|n| format!("(n {n}) ")).collect::<Vec<_>>().concat();
    let goals = (0..=100).map(|n| format!("(g {n} {}) ", 100 - n)).collect::<Vec<_>>().concat();
    let game = load(&format!(
        "(role a) (role b) (role c) {numbers} {goals} (init start) (<= (legal a (pick ?n)) (n ?n)) (legal b wait)
        (<= (legal c (take ?n)) (n ?n)) (<= (next (picked ?n)) (does a (pick ?n))) (<= (next (taken ?n)) (does c (take ?n)))
        (<= terminal (not (true start))) (<= (goal a ?g) (g ?g ?h) (true (picked ?g)))
        (<= (goal b ?h) (g ?g ?h) (true (picked ?g)))
        (goal c 3)"
    ))
    .expect("the rules are sound");
    let table = game.table().expect("a table");
    for &isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
        let mut stepper = Stepper::new(table, isa, false).expect("lanes");
        assert!(stepper.asks_all());
        let mut games = stepper.start(300, |_| Stream::new(0, 0));
        let number = |text: String| game.parse_move(&text).expect("a move").index() as i32;
        let actions: Vec<i32> = (1..301)
            .flat_map(|n| [number(format!("(pick {n})")), ONLY, number(format!("(take {})", 600 - n))])
            .collect();
        stepper.choose(&mut games, &actions).expect("legal");
        stepper.step(&mut games, Renewal::SameStep);
        let mut worth = vec![0.0; 900];
        stepper.worth(&games, f32::from, &mut worth);
        for (n, worth) in (1..301_u16).zip(worth.chunks(3)) {
            let goal = f32::from(n);
            assert_eq!(worth, if n <= 100 { [goal, 100.0 - goal, 3.0] } else { [0.0; 3] });
        }
    }
}

#[test]
fn a_role_without_a_move_ends_a_game_without_scores() {
    let game = load(
        "(role a) (role b) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3)
        (<= (legal a go) (true (at ?x))) (<= (legal a stay) (true (at ?x)))
        (<= (legal b wait) (true (at ?x)) (succ ?x 1)) (<= (legal b wait) (true (at ?x)) (succ ?x 2))
        (<= (next (at ?y)) (does a go) (true (at ?x)) (succ ?x ?y))
        (<= (next (at ?x)) (does a stay) (true (at ?x)))
        (<= terminal (true (at 3))) (goal a 100) (goal b 0)",
    )
    .expect("the rules are sound");
    let mut stepper = Stepper::new(game.table().expect("a table"), Isa::best(), true).expect("lanes");
    let mut games = stepper.start(2, |_| Stream::new(0, 0));
    let go = game.parse_move("go").expect("a move").index() as i32;
    for _ in 0..2 {
        assert!(!games.is_over(0));
        stepper.choose(&mut games, &[go, ONLY, go, ONLY]).expect("legal");
        stepper.step(&mut games, Renewal::Never);
    }
    assert!(games.is_over(0) && games.has_ended(1));
    let mut worth = [7.0; 4];
    stepper.worth(&games, |_| panic!("the state is not terminal"), &mut worth);
    assert!(worth.iter().all(|worth| worth.to_bits() == 0), "{worth:?}");
}
