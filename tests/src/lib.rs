//! Tools that several tests share: ways to make rulesheets, to find those of other authors, and to
//! compare engines on them.
//!
//! Tests of the command and the fuzz targets take some of these files too, by their paths. So a
//! file here needs the compiler, the runtime and the oracle at most, and no other file; only
//! `reasoner` needs the tools.

pub mod comparison;
pub mod corpus;
pub mod generator;
pub mod mutant;
pub mod reasoner;
pub mod sentences;
pub mod successors;
pub mod threads;
pub mod watch;
