//! The table engine against a handwritten game, and decoding of hostile bytes.

use crate::common::{self, Number, TicTacToe};
use gdl_runtime::{
    Dynamic, Game, GameExt,
    chance::{Probability, Stream},
    dynamic::{MoveId, TableError},
    engine::Table,
    game::{Id, StepError},
};

#[test]
fn the_engines_agree_in_every_state_of_random_games() {
    let (hand, table) = (TicTacToe, Dynamic::decode(&common::table()).unwrap());
    assert_eq!(table.vocabulary(), hand.vocabulary());
    assert_eq!(table.shape(), hand.shape());
    let mut stream = Stream::new(5, 0);
    for _ in 0..500 {
        let (mut a, mut b) = (hand.initial(), table.initial());
        loop {
            assert_eq!(a.as_ref(), b.as_ref());
            let seen = hand.view(&a);
            assert_eq!(seen.as_ref(), table.view(&b).as_ref());
            if hand.is_terminal_in(&seen) {
                break;
            }
            let joint: Vec<Number> = hand
                .roles()
                .map(|role| {
                    let mut legal = hand.legal_moves_in(&seen, role);
                    let pick = stream.below(legal.len() as u64);
                    legal.nth(pick as usize).unwrap()
                })
                .collect();
            a = hand.apply(&a, &joint).unwrap();
            let joint: Vec<MoveId> = joint.iter().map(|m| MoveId::from_index(m.index())).collect();
            b = table.apply(&b, &joint).unwrap();
        }
    }
}

/// Decodes a table and exercises its game.
fn play(bytes: &[u8]) -> Result<(), TableError> {
    let game = Dynamic::decode(bytes)?;
    let mut state = game.initial();
    let mut view = game.new_view();
    for turn in 0..3 {
        game.observe(&state, &mut view);
        let joint: Vec<MoveId> = game
            .roles()
            .map(|role| game.legal_moves_in(&view, role).next().unwrap_or(MoveId::from_index(turn)))
            .collect();
        for role in game.roles() {
            let _ = game.goals_in(&view, role).count();
        }
        game.advance(&mut state, &joint);
    }
    game.advance(&mut state, &[]);
    let _ = game.state_text(&state);
    for role in game.roles() {
        let _ = game.perception_text(&game.perception(&state, &[], role));
    }
    let _ = game.chance(&state);
    Ok(())
}

#[test]
fn hostile_bytes_do_no_harm() {
    for good in [common::table(), common::blind_table()] {
        spoil(&good);
    }
}

/// Truncates, changes and extends a table in many ways.
fn spoil(good: &[u8]) {
    play(good).unwrap();
    for length in 0..good.len() {
        assert!(play(&good[..length]).is_err(), "cut at {length}");
    }
    let mut accepted = 0;
    for place in 0..good.len() {
        for change in [1, 2, 4, 0x10, 0x40, 0x7f, 0x80, 0xff] {
            let mut bad = good.to_vec();
            bad[place] ^= change;
            accepted += usize::from(play(&bad).is_ok());
        }
        // Inserts huge numbers where lengths may stand.
        let mut bad = good.to_vec();
        bad.splice(place..place, [0xff, 0xff, 0xff, 0xff, 0x0f]);
        accepted += usize::from(play(&bad).is_ok());
        let mut bad = good.to_vec();
        bad.remove(place);
        accepted += usize::from(play(&bad).is_ok());
    }
    // Some changes give another valid table, for example with another letter in a name.
    assert!(accepted > 0 && accepted < good.len() * 10);
    let mut stream = Stream::new(11, 0);
    for _ in 0..20_000 {
        let mut bad = good.to_vec();
        for _ in 0..=stream.below(4) {
            let place = stream.below(bad.len() as u64) as usize;
            bad[place] = stream.bits() as u8;
        }
        let _ = play(&bad);
    }
}

#[test]
fn faults_are_named() {
    let good = common::table();
    assert_eq!(Table::decode(b"GIF89a").unwrap_err(), TableError::Magic);
    let mut old = good.clone();
    old[4] = 0;
    assert_eq!(Table::decode(&old).unwrap_err(), TableError::Version { found: 0 });
    let mut long = good.clone();
    long.push(0);
    assert_eq!(
        Table::decode(&long).unwrap_err().to_string(),
        format!("the game table is damaged at byte {}: something after the end", good.len())
    );
    assert_eq!(
        Table::decode(&good[..9]).unwrap_err().to_string(),
        "the game table is damaged at byte 7: it ends too soon"
    );
}

#[test]
fn percepts_are_read_from_the_table() {
    let game = Dynamic::decode(&common::blind_table()).unwrap();
    assert_eq!(game.chance_role(), Some(game.parse_role("xplayer").unwrap()));
    let start = game.initial();
    let joint = ["(mark 2 2)", "noop"].map(|text| game.parse_move(text).unwrap());
    let seen = |joint: &[MoveId]| -> Vec<String> {
        game.roles().map(|role| game.perception_text(&game.perception(&start, joint, role))).collect()
    };
    assert_eq!(seen(&joint), ["()", "((row 2) centre)"]);
    assert_eq!(seen(&[joint[1], joint[0]]), ["((row 2))", "()"]);
    // A missing move gives no percept.
    assert_eq!(seen(&[]), ["()", "()"]);
    let chances = game.chance(&start);
    assert_eq!(chances.len(), 9);
    assert!(chances.iter().all(|&(_, p)| p == Probability::one_in(9)));
    let view = game.view(&start);
    assert_eq!(game.probability_in(&view, &joint), Some(Probability::one_in(9)));
    assert_eq!(game.probability_in(&view, &[joint[1], joint[0]]), Some(Probability::ZERO));
    assert_eq!(game.probability_in(&view, &[]), Some(Probability::ZERO));
}

#[test]
fn perceptions_are_texts() {
    let blind = Dynamic::decode(&common::blind_table()).unwrap();
    let seen = blind.parse_perception("(CENTRE ( row  2 ))").unwrap();
    assert_eq!(blind.perception_text(&seen), "((row 2) centre)");
    assert_eq!(blind.parse_perception(" NIL "), blind.parse_perception("()"));
    assert_eq!(blind.parse_perception("(noop)").unwrap_err().to_string(), "this game has no percept `noop`");
    assert_eq!(
        blind.parse_perception("centre").unwrap_err().to_string(),
        "a perception is a list in parentheses such as `((f 1) g)`, not `centre`"
    );
    let open = Dynamic::decode(&common::table()).unwrap();
    let seen = open.parse_perception("(noop (mark 1 1))").unwrap();
    assert_eq!(open.perception_text(&seen), "(noop (mark 1 1))");
}

/// The view of 20,000 roles and 20,000 moves would exceed the memory of any machine.
#[test]
fn a_view_may_not_be_larger_than_its_limit() {
    use gdl_runtime::vocabulary::{Texts, Vocabulary};
    let names = |n: usize| Texts::new((0..n).map(|i| format!("{i:05}")));
    let vocabulary =
        Vocabulary::new(names(20_000), names(0), names(20_000), vec![vec![]; 20_000], vec![vec![]; 20_000]);
    let empty = common::encode::Circuit::new(1);
    let bytes = common::encode::table(&vocabulary, &[], &empty, &empty, None);
    let error = Table::decode(&bytes).unwrap_err();
    assert_eq!(error, TableError::TooLarge { words: 20_000 * 313 + 1 });
}

#[test]
fn a_refused_step_says_what_is_legal() {
    let game = TicTacToe;
    let start = game.initial();
    let [center, noop] = ["(MARK 2 2)", "noop"].map(|text| game.parse_move(text).unwrap());
    let error = game.apply(&start, &[noop, noop]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`noop` is not legal for `xplayer`; legal: (mark 1 1), (mark 1 2), (mark 1 3), (mark 2 1), \
         (mark 2 2), (mark 2 3), (mark 3 1), (mark 3 2), (mark 3 3)"
    );
    assert_eq!(
        game.apply(&start, &[center, center]).unwrap_err(),
        StepError::Illegal {
            role: "oplayer".into(),
            action: "(mark 2 2)".into(),
            legal: vec!["noop".into()],
            more: 0,
        }
    );
    assert_eq!(game.apply(&start, &[center]).unwrap_err(), StepError::Count { expected: 2, found: 1 });
    let next = game.apply(&start, &[center, noop]).unwrap();
    assert_eq!(
        game.apply(&next, &[noop, center]).unwrap_err().to_string(),
        "`(mark 2 2)` is not legal for `oplayer`; legal: (mark 1 1), (mark 1 2), (mark 1 3), \
         (mark 2 1), (mark 2 3), (mark 3 1), (mark 3 2), (mark 3 3)"
    );
    assert!(game.apply(&start, &[Number(9_999), noop]).is_err());
}

#[test]
fn states_are_texts() {
    let game = TicTacToe;
    let over = "((cell 1 1 x) (cell 1 2 x) (cell 1 3 x) (cell 2 1 o) (cell 2 2 o) (control oplayer))";
    let state = game.parse_state(&over.replace(' ', "\n ").to_uppercase()).unwrap();
    assert_eq!(game.state_text(&state), over);
    assert_eq!(game.state_from(game.fluents(&state)), state);
    assert!(game.is_terminal(&state));
    let [x, o] = ["xplayer", "OPLAYER"].map(|text| game.parse_role(text).unwrap());
    assert_eq!((game.goal(&state, x), game.goal(&state, o)), (Some(100), Some(0)));
    assert_eq!(game.goals(&state, x), [100]);
    assert_eq!(game.apply(&state, &[Number(9), Number(9)]), Err(StepError::Terminal));
    assert_eq!(game.legal_moves(&state, o).len(), 0);
    assert_eq!(game.legal_moves(&state, Number(7)).len(), 0);
    assert_eq!(game.parse_state("()").unwrap(), game.new_state());
    assert_eq!(
        game.parse_state("((cell 9 9 x))").unwrap_err().to_string(),
        "this game has no fluent `(cell 9 9 x)`"
    );
    assert_eq!(
        game.parse_state("(cell 1 1 x").unwrap_err().to_string(),
        "a state is a list in parentheses such as `((f 1) g)`, not `(cell 1 1 x`"
    );
    assert_eq!(game.parse_move("jump").unwrap_err().to_string(), "this game has no move `jump`");
}
