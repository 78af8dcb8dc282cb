//! Tools that several tests share. They generate and mutate rulesheets, find those of other
//! authors, and compare engines on them.
//!
//! Tests of the command and the fuzz targets include some of these files by path. So a file here
//! may depend on the compiler, the runtime and the oracle, but on no other file. Only `reasoner`
//! depends on the tools.

pub mod comparison;
pub mod corpus;
pub mod generator;
pub mod mutant;
pub mod reasoner;
pub mod sentences;
pub mod successors;
pub mod threads;
pub mod watch;
