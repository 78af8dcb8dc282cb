//! `gdl serve`: a board to click, in a browser.

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
Ctrl-C. Without a game the page begins with the built-in ones as cards, and a
box for a rulesheet of your own, whose faults are shown in place as you type.

On the board a click makes a move, a click on each cell or a drag one from
cell to cell; arrow keys and Enter do as well, and all legal moves are listed.
Each role but that of chance is played by a person or by any player; a card
begins a game against one at once. Roles may have clocks, such as 3 minutes
and 2 seconds a move; play halts when one has run down. Moves can be taken back, gone to, made anew
and replayed (left and right keys), and lines that were left stay. Hints shade
moves by what they are worth, and a graph shows what positions are. A position
can be kept as a link and a match as a file. Where the rules hide something, a
person who looks sees what their role may know, and hints are means over that.
Chance follows from a seed, drawn for each play and told once nothing is
hidden.

A rulesheet in the box that takes long shows how far it is; it can be called
off, and played state by state meanwhile.

\"See inside\" shows what holds, the net with the gates that are true now (all
of a small net, else what a move, a goal or a fluent depends on), the charts
of `gdl analyze`, and the rules, to be changed and played.

The look of a board is read off the names of the fluents. A comment of the
rulesheet can say more:
  ; board: hex         hexagons, each row half a cell further to the right
  ; board: hex left    the same, further to the left
  ; board: ring        cells with one number, in a circle
  ; board: square      squares, also where the rules for neighbours show hexagons
  ; board: rows first  the first coordinate is the row, from the top
  ; board: columns first  the first is the column, whatever variables say
  ; board: top down    rows run that way; or `bottom up`
  ; board: parts of 3  a gap after each third column and row
  ; board: 3 columns   cells with one number, in rows of three

With --lan others on the network take seats. The page makes a link for a seat
(\"a guest, by a link\" in the list of players) that opens this seat and nothing
else: its view, its moves, the rules. A person who has the link plays the seat,
so give it to one person; nothing is encrypted (there is no TLS), so use it on a
network that you trust. Where the rules hide something a guest sees what the
seat may know, as do you; but all of it is on your machine. A link ends with
the session, when another is made for the seat, and when the seat is given to
others; with the same --port it opens the seat again after a new start. The page itself is still for this machine alone.

Without it nothing leaves the machine. For programs, /api/openapi.json
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
    /// Port to listen on at 127.0.0.1 [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// Let others on the network take seats by a link, at this address of the machine [default: the
    /// one it has]
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
/// If the game or the results cannot be opened, or the port is taken.
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
