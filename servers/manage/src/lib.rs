//! A match manager for general game playing: it plays a schedule to its end, with local and remote
//! players, and stores the results.
//!
//! A [`Schedule`] is read from a file. A schedule with its compiled rulesheets is a [`Plan`], a
//! list of matches. A [`Manager`] plays the unfinished matches of a [`Store`], a file of `SQLite`;
//! it can be interrupted and run again. [`Standings`] summarise the finished matches, with
//! [`ratings`](rating). The referee of `gdl-players` leads the matches, and `gdl-network` exchanges
//! messages with remote players. Other programs can watch the [matches](mod@matches) of a file of
//! results.
//!
//! `docs/how-to/tournaments.md` describes the keys of a schedule, the tables of the database and
//! the formula of standings.

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

pub use fault::ScheduleFault;
pub use manager::{Done, Faults, Manager, Sign};
pub use plan::{MOST_MATCHES, Plan};
pub use schedule::{Schedule, Seats, VERSION};
#[cfg(feature = "sign")]
pub use signature::Key;
pub use standings::{Row, Standings};
pub use store::Store;
