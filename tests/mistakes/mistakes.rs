//! Mistakes of users: each file in `ui` makes the mistake that it is named for, and has rustc's
//! exact output. Most files use the game as if it were valid, and must cause no second error.
//!
//! `TRYBUILD=overwrite cargo test -p gdl-mistakes` rewrites the outputs; read them.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
