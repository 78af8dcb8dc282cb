//! Nothing at all: code that says `::core` here has lost.
