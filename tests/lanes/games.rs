//! Games that stay in planes are those of single steps, whatever becomes of them at their end, on every instruction set, and what is
//! read of them is what is seen of their states; a move that is not legal is found and leaves all as it was.

use gdl_games::LIST;
use gdl_runtime::{
    __private::{Games, ONLY, Part, Renewal, Stepper},
    Dynamic, Game, GameExt, bits,
    bits::BitBox,
    chance::Stream,
    dynamic::{MoveId, RoleId},
    game::Id,
    lanes::Isa,
    load,
};

/// A game beside the planes.
struct Twin {
    state: BitBox,
    is_over: bool,
}

impl Twin {
    fn legal(&self, game: &Dynamic, role: usize) -> Vec<usize> {
        let moves = game.legal_moves(&self.state, RoleId::from_index(role)).map(Id::index);
        if self.is_over { Vec::new() } else { moves.collect() }
    }
}

/// One row of bits for each game.
fn rows(stepper: &mut Stepper, games: &Games, part: Part, words: usize) -> Vec<Vec<u64>> {
    let mut all = vec![0; games.len() * words];
    stepper.words(games, part, &mut all);
    all.chunks(words).map(<[u64]>::to_vec).collect()
}

/// Tests what is read of games against their twins.
fn check(game: &Dynamic, stepper: &mut Stepper, games: &Games, twins: &[Twin], name: &str) {
    let shape = game.shape();
    let states = rows(stepper, games, Part::State, shape.state_words());
    let legal = rows(stepper, games, Part::LegalOfAll, shape.roles * shape.legal_words());
    let mut asked = vec![0; twins.len()];
    stepper.asked(games, true, &mut asked);
    for (lane, twin) in twins.iter().enumerate() {
        assert_eq!(states[lane], twin.state.as_ref(), "{name}, lane {lane}");
        assert_eq!(games.is_over(lane), twin.is_over, "{name}, lane {lane}");
        let all: Vec<Vec<usize>> = (0..shape.roles).map(|role| twin.legal(game, role)).collect();
        for (expected, found) in all.iter().zip(legal[lane].chunks(shape.legal_words())) {
            assert_eq!(bits::ones(found).collect::<Vec<_>>(), *expected, "{name}, lane {lane}");
        }
        let mut several = (0..shape.roles).filter(|&role| all[role].len() > 1);
        let only = several.next().filter(|_| several.next().is_none());
        assert_eq!(asked[lane], only.map_or(-1, |role| role as i8), "{name}, lane {lane}");
    }
    for (part, bits) in [(Part::State, shape.fluents), (Part::LegalOfAll, shape.moves)] {
        let times = if part == Part::State { 1 } else { shape.roles };
        let words = rows(stepper, games, part, times * bits.div_ceil(64));
        let mut bytes = vec![7; twins.len() * times * bits];
        stepper.bytes(games, part, &mut bytes);
        let each = words.iter().flat_map(|row| row.chunks(bits.div_ceil(64)));
        for (words, bytes) in each.zip(bytes.chunks(bits)) {
            assert!((0..bits).all(|bit| u8::from(bits::test(words, bit)) == bytes[bit]), "{name}");
        }
    }
}

#[test]
fn games_are_those_of_single_steps() {
    let mut played = 0;
    for entry in LIST {
        let game = load(entry.text).expect("built-in rulesheets load");
        let table = game.table().expect("they have a table");
        let Some(portable) = Stepper::new(table, Isa::Portable) else {
            assert!(game.chance_role().is_some(), "{}", entry.name);
            continue;
        };
        let shape = portable.shape();
        played += 1;
        for &isa in Isa::ALL.iter().filter(|isa| isa.is_available()) {
            let mut stepper = Stepper::new(table, isa).expect("as before");
            // All lanes where that is soon looked at.
            let most = if shape.moves < 20 { 512 } else { 70 };
            for (renewal, count) in [(Renewal::SameStep, most), (Renewal::NextStep, 65), (Renewal::Never, 7)]
            {
                let name = format!("{}, {isa:?}, {renewal:?}", entry.name);
                let mut stream = Stream::new(3, count as u64);
                let mut games = stepper.start(count);
                let new = || Twin { state: game.initial(), is_over: false };
                let mut twins: Vec<Twin> = (0..count).map(|_| new()).collect();
                check(&game, &mut stepper, &games, &twins, &name);
                for _ in 0..25 {
                    let mut actions = Vec::new();
                    for twin in &twins {
                        for role in 0..shape.roles {
                            let legal = twin.legal(&game, role);
                            let drawn = stream.below(legal.len() as u64) as usize;
                            let is_left = legal.len() < 2 && stream.below(2) == 0;
                            let action = legal.get(drawn).filter(|_| !is_left);
                            actions.push(action.map_or(ONLY, |&action| action as i32));
                        }
                    }
                    // What is not legal is found, and changes nothing.
                    let place = stream.below(count as u64) as usize;
                    if !twins[place].is_over {
                        let mut wrong = actions.clone();
                        wrong[place * shape.roles] = shape.moves as i32;
                        assert_eq!(stepper.choose(&mut games, true, &wrong), Err(place), "{name}");
                    }
                    assert_eq!(stepper.choose(&mut games, true, &actions), Ok(()), "{name}");
                    stepper.step(&mut games, renewal);
                    let mut goals = vec![None; count * shape.roles];
                    stepper.scores(&games, |lane, role, goal| goals[lane * shape.roles + role] = Some(goal));
                    let mut ended = vec![false; count];
                    stepper.ended(&games, &mut ended);
                    for (lane, (twin, actions)) in
                        twins.iter_mut().zip(actions.chunks(shape.roles)).enumerate()
                    {
                        if twin.is_over {
                            assert!(!ended[lane], "{name}");
                            if renewal == Renewal::NextStep {
                                *twin = new();
                            }
                            continue;
                        }
                        let joint = actions.iter().enumerate().map(|(role, &action)| {
                            let only = || twin.legal(&game, role)[0];
                            MoveId::from_index(if action == ONLY {
                                only()
                            } else {
                                action.cast_unsigned() as usize
                            })
                        });
                        let joint: Vec<MoveId> = joint.collect();
                        game.advance(&mut twin.state, &joint);
                        let view = game.view(&twin.state);
                        twin.is_over = game.is_terminal_in(&view);
                        assert_eq!(ended[lane], twin.is_over, "{name}");
                        assert_eq!(games.has_ended(lane), twin.is_over, "{name}");
                        for role in 0..shape.roles {
                            let goal = game.goal_in(&view, RoleId::from_index(role)).filter(|_| twin.is_over);
                            assert_eq!(goals[lane * shape.roles + role], goal, "{name}");
                        }
                        if twin.is_over && renewal == Renewal::SameStep {
                            *twin = new();
                        }
                    }
                    check(&game, &mut stepper, &games, &twins, &name);
                }
                stepper.reset(&mut games, |lane| lane % 2 == 0);
                twins.iter_mut().step_by(2).for_each(|twin| *twin = new());
                check(&game, &mut stepper, &games, &twins, &name);
            }
        }
    }
    assert_eq!(played, 12);
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
    let mut stepper = Stepper::new(game.table().expect("a table"), Isa::best()).expect("lanes");
    let mut games = stepper.start(2);
    let go = game.parse_move("go").expect("a move").index() as i32;
    for _ in 0..2 {
        assert!(!games.is_over(0));
        stepper.choose(&mut games, true, &[go, ONLY, go, ONLY]).expect("legal");
        stepper.step(&mut games, Renewal::Never);
    }
    assert!(games.is_over(0) && games.has_ended(1));
    stepper.scores(&games, |_, _, _| panic!("the state is not terminal"));
}
