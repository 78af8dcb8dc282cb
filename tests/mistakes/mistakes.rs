//! Mistakes as users see them: each file in `ui` is named for one, with the very text rustc prints
//! for it. Most of them use the game as if nothing were wrong, and no second error comes of that.
//!
//! `TRYBUILD=overwrite cargo test -p gdl-mistakes` writes the texts anew; read them.

#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("ui/*.rs");
}
