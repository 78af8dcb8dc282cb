//! Nothing: whoever says `::core` here has lost.
