//! An empty crate: code that says `::core` here has lost.
