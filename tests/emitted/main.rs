//! The output of `gdl!`: modules that compile in any surroundings and under any lints, and tokens
//! that are safe, few enough for editors, and the same each time.

// Public, since some lints look only at what others can reach.
pub mod hygiene;
mod tokens;
