//! Matches between players, and the speed of their searches; see `gdl_benches::strength`.
//!
//!     cargo bench -p gdl-benches --bench strength -- [--matches N] [--seconds S [--processor] | --nodes N] [--quick] \
//!         [--seed N] [--contest NAME..] [GAME..]

use clap::Parser;
use gdl_benches::strength::{Args, run};

fn main() {
    run(&Args::parse());
}
