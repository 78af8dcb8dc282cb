//! An empty crate. Code that uses `::core` here does not compile.
