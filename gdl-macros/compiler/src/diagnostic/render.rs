//! Diagnostics for people: plain text with the source line and a caret.
