//! `gdl player`: a player that answers match managers over HTTP.

use crate::args::{rules::Bounds, way::WayArgs};
use clap::Args;
use gdl_network::{Host, Note, client, serve};
use gdl_players::player::Report;
use gdl_tools::{
    error::{Error, Result},
    output::remark,
    parse::seconds,
    players::{self, Spec},
};
use serde_json::{Value, json};
use std::{
    io::{self, Write},
    net::TcpListener,
    path::PathBuf,
    time::Duration,
};

/// Arguments of `gdl player`.
#[derive(Debug, Args)]
#[command(after_help = players::help("\
The command prints its address and answers managers in the protocol of general game playing until
Ctrl-C: INFO, PREVIEW, START, PLAY, STOP and ABORT, for one match at a time. Each message is printed
on stderr with its answer, or with its error and the place.

A built-in rulesheet is played by the compiled game, even under other symbols. Any other rulesheet is
compiled while the start clock runs. Until that is done, or if it is too large, the unoptimised net
is used or the rules are evaluated directly, so there is always a legal move in time. With --engine
only that engine is used, and moves are random until it is ready.

Only this machine can connect, unless --host names another address; 0.0.0.0 admits all machines.

Examples:
  gdl player
  gdl player --port 4001 --player alphabeta:memory=512
  gdl player --player best:threads=2 --keep learnt
  gdl match connect_four mcts remote:127.0.0.1:9147 -n 2 --clock 2"))]
pub(crate) struct PlayerArgs {
    /// Port to listen on; 0 is any free port
    #[arg(long, value_name = "N", default_value_t = client::PORT)]
    pub port: u16,
    /// Address of this machine to listen on, which decides who can connect
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    pub host: String,
    /// The player
    #[arg(long, value_name = "PLAYER", default_value = players::DEFAULT)]
    pub player: Spec,
    /// Folder where `best` keeps what it learns before matches, for later matches of the same games
    #[arg(long, value_name = "FOLDER")]
    pub keep: Option<PathBuf>,
    /// The name that managers see [default: gdl and the player]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Seconds before the end of a clock at which thinking ends
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "0.5", allow_negative_numbers = true)]
    pub allowance: f64,
    /// Seed of the player
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    #[command(flatten)]
    pub engine: WayArgs,
    /// Limits of a rulesheet that a manager sends
    #[arg(long, value_enum, default_value_t)]
    pub limits: Bounds,
    /// Print a JSON object for each message on stdout, a line each
    #[arg(long)]
    pub json: bool,
}

/// Plays until the process ends.
///
/// # Errors
/// Returns an error if the player is `human` or remote, or if the address and port cannot be used.
pub(crate) fn run(args: &PlayerArgs) -> Result {
    let spec = args.player.clone().with_net()?;
    let spec = args.keep.iter().cloned().try_fold(spec, Spec::with_keep)?;
    if spec.is_human() || spec.is_remote() {
        return Err(Error::Usage(format!("`{}` cannot play for managers", spec.kind())));
    }
    let failed = |error: io::Error| {
        Error::Input(format!("cannot listen at {} port {}: {error}", args.host, args.port))
    };
    let listener = TcpListener::bind((args.host.as_str(), args.port)).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let line = format!("http://{address}/");
    tell(&if args.json { json!({ "what": "listening", "address": line }).to_string() } else { line })?;

    let name = args.name.clone().unwrap_or_else(|| format!("gdl-{}", spec.kind()));
    let (remembers, json) = (spec.remembers(), args.json);
    let host = Host::new(&name, move |seed| spec.build(seed))
        .allowance(Duration::from_secs_f64(args.allowance))
        .limits(args.limits.limits())
        .way(args.engine.way.map(Into::into))
        .seed(args.seed)
        .log(move |note| {
            if json {
                // A reader that closed the pipe needs no more output; the matches go on.
                let _ = tell(&fields(note).to_string());
            } else {
                remark(note);
            }
        });
    let host = if remembers { host } else { host.without_pondering() };
    serve(listener, host).map_err(|error| Error::Input(format!("the player ended: {error}")))
}

/// Prints a line on stdout and flushes it.
fn tell(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// Returns the JSON object of a note. `what` is the message, `unreadable`, `refused` or `match`.
/// Missing values are null.
fn fields(note: &Note) -> Value {
    json!({
        "what": note.what,
        "from": note.from.map(|from| from.to_string()),
        "match": note.id,
        "answer": note.answer,
        "seconds": note.seconds,
        "remark": note.remark,
        "search": note.report.as_ref().map(search),
    })
}

/// Returns the JSON object of a search: `note` names the search, `value` is the goal that the role
/// can expect, and `proved` is true if this value is proved. The other fields are counts.
fn search(report: &Report) -> Value {
    json!({
        "note": report.note,
        "value": report.value,
        "proved": report.exact,
        "depth": report.depth,
        "nodes": report.nodes,
        "playouts": report.playouts,
        "bytes": report.bytes,
    })
}
