//! A crate without a prelude, in which `core` is another crate and the runtime has another name.
#![no_implicit_prelude]
#![deny(warnings, missing_docs, unsafe_code)]

::renamed::gdl!("../mistakes/ui/nim.kif", crate = renamed);

/// A wrapper macro, as another crate might export.
macro_rules! game {
    ($name:ident, $path:literal) => {
        ::renamed::gdl!($path, name = $name, crate = $crate::inner::runtime, vis = pub(crate));
    };
}

/// A path to the runtime.
pub mod inner {
    pub use ::renamed as runtime;

    /// Names that the expansion must not confuse with its own.
    pub mod gdl_runtime {}

    ::renamed::gdl!(
        name = option,
        rules = r"
            ; An | awkward `game.
            (role self) (role ALL) (role option)
            (init (type 1)) (init some) (init None)
            (legal self (move 1 a)) (legal ALL move) (legal ALL (ALL 1 2)) (legal option (type))
            (<= (next (type 1)) (true (type 1)))
            (<= terminal (true fn))
            (<= terminal (true some))
            (goal self 100) (goal ALL 0) (goal option 50)
        ",
        crate = super::inner::runtime,
        allow(
            function_arity_clash,
            undefined_relation,
            fluent_never_true,
            redundant_parens,
            goal_100_missing,
            initial_state_terminal,
        ),
    );
}

game!(wrapped, "../mistakes/ui/nim.kif");

/// Uses the modules that the macros made.
#[test]
fn games_work_in_any_surroundings() {
    use ::renamed::{Game as _, GameExt as _};
    use ::std::{assert, assert_eq, option::Option::Some, string::ToString};
    let game = nim::game();
    let view = game.view(&game.initial());
    assert!(!game.is_terminal_in(&view));
    assert_eq!(nim::Move::take(1).unwrap().to_string(), "(take 1)");
    assert_eq!(wrapped::Role::ALL.len(), 2);
    assert_eq!(wrapped::Move::take(1).map(|action| action.to_string()), Some("(take 1)".to_string()));
}
