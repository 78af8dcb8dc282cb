//! The output of `gdl!`. Modules compile in any surroundings and under any lints. Tokens contain no
//! `unsafe`, are few enough for editors, and are deterministic.

// Public, since some lints look only at items that other crates can reach.
pub mod hygiene;
mod tokens;
