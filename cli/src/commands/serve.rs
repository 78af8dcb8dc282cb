//! `gdl serve`: serves a page that shows games and plays them in the browser.

use clap::Args;
use gdl_tools::{
    error::Result,
    game::{GameArg, ReadingArgs},
};
use std::net::IpAddr;
#[cfg(feature = "manage")]
use std::path::PathBuf;

/// Arguments of `gdl serve`.
#[derive(Debug, Args)]
#[command(after_help = "\
The command prints an address that only this machine can reach, and ends with
Ctrl-C. Without a game the page begins with cards of the built-in games, and a
box for your own rulesheet, which shows errors in place as you type.

Click a cell to make a move, or click or drag from cell to cell; arrow keys
and Enter work too, and all legal moves are listed. Each role except chance is
played by a person or by any player; a card starts a game against a player.
Roles may have clocks, such as 3 minutes and 2 seconds a move; play halts when
a clock has run down. Moves can be undone, revisited, redone and replayed (left
and right keys), and abandoned lines stay. Hints shade moves by their values,
and a graph shows the values of positions. A position can be kept as a link
and a match as a file. If the rules hide something, a person sees only what
their role may know, and hints are means over that. Random choices follow from
a seed, which is drawn for each play and shown once nothing is hidden.

If a rulesheet in the box takes long, its progress is shown; it can be
cancelled, or played state by state in the meantime.

\"See inside\" shows the fluents that hold, the net with the gates that are true
(all of a small net, otherwise those on which a move, a goal or a fluent
depends), the charts of `gdl analyze`, and the rules, to be changed and played.

The look of a board is derived from the names of the fluents. A comment in the
rulesheet can change it:
  ; board: hex         hexagons, each row half a cell further to the right
  ; board: hex left    the same, further to the left
  ; board: ring        cells with one number, in a circle
  ; board: square      squares, although the rules for neighbours show hexagons
  ; board: rows first  the first coordinate is the row, from the top
  ; board: columns first  the first is the column, despite the variables
  ; board: top down    rows run that way; or `bottom up`
  ; board: parts of 3  a gap after each third column and row
  ; board: 3 columns   cells with one number, in rows of three

With --lan others on the network can take seats. The page makes a link for a
seat (\"a guest, by a link\" in the list of players) that opens only this seat:
its view, its moves, the rules. Anyone who has the link can play the seat, so
give it to one person. Nothing is encrypted (there is no TLS), so use it on a
network that you trust. If the rules hide something, a guest sees what the seat
may know, as do you; but all of it is on your machine. A link ends with the
session, when another is made for the seat, and when the seat is given to
others; with the same --port it opens the seat again after a restart. The page
itself is still only for this machine.

Without --lan nothing leaves the machine. For programs, /api/openapi.json
describes the requests.

Examples:
  gdl serve
  gdl serve connect_four
  gdl serve mygame.kif --port 8080
  gdl serve liars_dice --lan
  gdl serve liars_dice --lan=192.168.1.5")]
pub(crate) struct ServeArgs {
    /// The game to open first
    pub game: Option<GameArg>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Port to listen on at 127.0.0.1 [default: any free port]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Let others on the network take seats by a link, at this address of the machine [default: its
    /// only one]
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = "0.0.0.0")]
    pub lan: Option<IpAddr>,
    /// Show the matches and standings of a database of `gdl manage` too, also while they are played
    #[cfg(feature = "manage")]
    #[arg(long, value_name = "FILE")]
    pub results: Option<PathBuf>,
}

/// Serves until the process ends.
///
/// # Errors
/// Returns an error if the game or the results cannot be opened, or the port is taken.
pub(crate) fn run(args: &ServeArgs) -> Result {
    let game = args.game.clone().map(|game| game.read(args.reading));
    let shown = gdl_serve::Shown {
        game: game.as_ref(),
        lenient: args.reading.lenient,
        #[cfg(feature = "manage")]
        results: args.results.as_deref(),
    };
    let lan = args.lan.map(|address| {
        if address.is_unspecified() { gdl_serve::Lan::Found } else { gdl_serve::Lan::At(address) }
    });
    gdl_serve::run(&shown, args.port, lan)
}
