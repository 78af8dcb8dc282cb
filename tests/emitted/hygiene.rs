//! Hygiene of the expansion: it compiles under the strictest lints of this edition, without a
//! prelude, inside functions and inside wrapper macros. Its names follow the documented rules. The
//! `surroundings` package tests a renamed runtime, a shadowed `core` and the previous edition.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, unused_qualifications)]
#![deny(missing_debug_implementations, missing_copy_implementations, elided_lifetimes_in_paths)]

use gdl_runtime::{
    Game, GameExt,
    game::{Id, Perception},
    gdl,
};

gdl!("../mistakes/ui/nim.kif", vis = pub(crate));

/// A module without a prelude that gives other meanings to common names.
#[no_implicit_prelude]
mod bare {
    #![allow(dead_code, non_camel_case_types)]

    struct Option;
    struct Some;
    struct u32;
    struct str;
    mod core {}
    mod gdl_runtime {}

    ::gdl_runtime::gdl!("../mistakes/ui/nim.kif", name = heap, code = "straight");
    ::gdl_runtime::gdl!("../../games/chance/liars_dice.kif", name = dice, code = "straight");
    ::gdl_runtime::gdl!("../mistakes/ui/nim.kif", name = table, code = "table", vis = pub(super),);
}

/// A user's macro that calls `gdl!`: the path arrives in a group without delimiters.
macro_rules! wrapped {
    ($name:ident, $path:literal, $limit:literal) => {
        gdl!($path, name = $name, max_ground_rules = $limit, case = "sensitive");
    };
}

wrapped!(wrapper, "../mistakes/ui/nim.kif", 10_000);

gdl!(
    name = awkward,
    rules = r"
        ; Names | that `are [no] identifiers.
        (role self) (role ALL) (role white_king) (role whiteKing)
        (init (type 1 a)) (init (type -2 b)) (init some) (init None) (init (deep (er 1) 01))
        (<= (legal self (move ?n ?type ?type2))
            (true (type ?n ?type)) (true (type ?n2 ?type2)))
        (legal ALL all) (legal ALL (all 1 2)) (legal ALL (all 3))
        (legal white_king a-b) (legal white_king a_b) (legal white_king +) (legal whiteKing 7)
        (<= (next (type ?n ?type)) (true (type ?n ?type)))
        (<= terminal (true fn))
        (<= terminal (true some))
        (goal self 100) (goal ALL 0) (goal white_king 50) (goal whiteKing 50)
    ",
    case = "sensitive",
    allow(
        function_arity_clash,
        case_mismatch_relation,
        undefined_relation,
        fluent_never_true,
        goal_100_missing,
        initial_state_terminal,
    ),
);

gdl!(
    name = percept,
    rules = r"
        ; A player who is told nothing, by rules that speak of nobody in the game, and one who hears all.
        (role RANDOM) (role listener) (init (n 1)) (legal RANDOM all) (legal listener (hear 1))
        (<= (next (n 2)) (does RANDOM all)) (<= terminal (true (n 2))) (goal listener 0)
        (<= (sees listener (All ?x)) (true (n ?x))) (sees listener self) (sees listener all)
    ",
    allow(case_mismatch_relation, relation_function_clash, goal_100_missing),
);

gdl!(
    name = deaf,
    rules = r"
        (role a) (init x) (legal a b) (<= (next y) (does a b)) (<= terminal (true y)) (goal a 1)
        (sees nobody nothing)
    ",
    code = "straight",
    allow(unknown_role_legal, goal_100_missing),
);

#[test]
fn percepts_have_names() {
    use percept::{Move, Percept, Role};
    let game: percept::PerceptGame = percept::game();
    assert_eq!(game.chance_role(), Some(Role::Random));
    assert_eq!([Percept::ALL_, Percept::SELF].map(|p| p.to_string()), ["all", "self"]);
    assert_eq!(Percept::all().count(), 4);
    let joint = [Move::ALL_, Move::hear(1).unwrap()];
    let seen = game.perception(&game.initial(), &joint, Role::Listener);
    assert_eq!(game.perception_text(&seen), "((all 1) all self)");
    let nothing = deaf::game().perception(&deaf::game().initial(), &[deaf::Move::B], deaf::Role::A);
    assert_eq!(nothing, Perception::percepts([]));
    assert_eq!((deaf::Percept::all().len(), bare::dice::Percept::all().len()), (0, 25));
}

#[test]
fn games_play() {
    let game = nim::game();
    let joint = [nim::Move::take(1).unwrap(), nim::Move::NOOP];
    let next = game.apply(&game.initial(), &joint).unwrap();
    assert!(game.holds(&next, nim::Fluent::pile(1_u8).unwrap()));
    assert_eq!(game.goal(&next, nim::Role::White), Some(100));
    assert_eq!(bare::table::game().shape(), wrapper::game().shape());
}

#[test]
fn names_are_spelled_as_documented() {
    use awkward::{Fluent, Move, Role};
    assert_eq!(Role::ALL, [Role::Self_, Role::All, Role::WhiteKing, Role::WhiteKing_2]);
    assert_eq!(Move::move_(-2, "b", " a ").unwrap().to_string(), "(move -2 b a)");
    assert_eq!(Move::all_(3).map(|action| action.to_string()), Some("(all 3)".to_owned()));
    assert_eq!(Move::all_2(1, 2).map(|action| action.to_string()), Some("(all 1 2)".to_owned()));
    for (action, text) in
        [(Move::ALL_, "all"), (Move::A_B, "a-b"), (Move::A_B_2, "a_b"), (Move::PLUS, "+"), (Move::_7, "7")]
    {
        assert_eq!(action.to_string(), text);
        assert_eq!(text.parse(), Ok(action));
    }
    assert_eq!(Fluent::type_(1, "c"), None);
    assert_eq!(Fluent::deep("( er  1)", "01"), "(deep (er 1) 01)".parse().ok());
    assert_eq!(format!("{:?} {:>6}", Fluent::SOME, Role::All), "some    ALL");
}

#[test]
fn ids_are_numbered_in_the_order_of_their_texts() {
    let texts: Vec<String> = awkward::Move::all().map(|action| action.to_string()).collect();
    assert!(texts.is_sorted());
    for (i, action) in awkward::Move::all().enumerate() {
        assert_eq!(action.index(), i);
        assert_eq!(awkward::Move::from_index(i), action);
    }
}
