//! A match manager for general game playing: a schedule is played to its end, by players anywhere,
//! and the results are kept.
//!
//! A [`Schedule`] is read from a file, and with its rulesheets compiled it is a [`Plan`], the list
//! of its matches. A [`Manager`] plays those that are missing in a [`Store`], a file of `SQLite`,
//! as often as it takes: what is there is not played again. [`Standings`] are what is there, with
//! [`ratings`](rating). The referee of the runtime leads the matches, and `gdl-network` asks
//! players elsewhere; neither is here. Programs that watch read the [matches](mod@matches) of a
//! file of results.
//!
//! The keys of a schedule, the tables of the database and the formula of standings are in
//! `docs/how-to/tournaments.md`.

mod fault;
mod manager;
pub mod matches;
mod plan;
pub mod rating;
mod schedule;
#[cfg(feature = "sign")]
mod signature;
mod standings;
mod store;

pub use fault::Fault;
pub use manager::{Done, Faults, Manager, Sign};
pub use plan::{MOST_MATCHES, Plan};
pub use schedule::{Schedule, Seats, VERSION};
#[cfg(feature = "sign")]
pub use signature::Key;
pub use standings::{Row, Standings};
pub use store::Store;
