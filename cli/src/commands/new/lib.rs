//! The game of `dominoes.kif`, with its moves, roles and fluents as types: `cargo doc --open` lists
//! them.

gdl_runtime::gdl!("dominoes.kif");
