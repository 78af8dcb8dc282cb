//! A soak test: a schedule of matches between two players over the network. Meanwhile players and
//! the manager are killed and restarted, and other programs send nonsense. At the end every match
//! must exist once, and every record must conform to the rules. No step may have taken longer than
//! its clock and the referee's grace.
//!
//! ```text
//! cargo build --release
//! cargo run --release -p gdl-manage --example soak -- target/release/gdl MATCHES SEED PLAYER PLAYER GAME..
//! ```
//!
//! Players are written as for `gdl player --player`, and games as in a schedule.

use gdl_players::record::Record;
use gdl_runtime::chance::Stream;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    env,
    error::Error,
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The number of times that the manager is killed.
const KILLS: usize = 5;

/// The start clock and the play clock, in seconds.
const CLOCKS: [u64; 2] = [10, 1];

/// The limit on the time of a step beyond its clock, in milliseconds: the second that the referee
/// waits, and the storage time on a busy machine.
const GRACE: u64 = 1_000 + 500;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [gdl, matches, seed, first, second, _, ..] = &arguments[..] else {
        return Err("arguments: GDL MATCHES SEED PLAYER PLAYER GAME..".into());
    };
    let games = &arguments[5..];
    let (gdl, matches) = (fs::canonicalize(gdl)?, matches.parse::<usize>()?);
    let folder = env::temp_dir().join(format!("gdl-soak-{}", std::process::id()));
    fs::create_dir(&folder)?;
    let ports = [free_port()?, free_port()?];
    let rounds = matches.div_ceil(2 * games.len());
    let schedule = schedule(games, rounds, ports)?;
    fs::write(folder.join("soak.toml"), schedule)?;

    let start = Instant::now();
    let is_over = AtomicBool::new(false);
    let [killed, strangers] = [AtomicU64::new(0), AtomicU64::new(0)];
    let mut luck = Stream::new(seed.parse()?, 0);
    let seeds: Vec<u64> = (0..4).map(|_| luck.bits()).collect();
    let managers = thread::scope(|scope| {
        for ((&port, player), &seed) in ports.iter().zip([first, second]).zip(&seeds) {
            let (gdl, is_over, killed) = (&gdl, &is_over, &killed);
            scope.spawn(move || keep(gdl, port, player, seed, is_over, killed));
        }
        scope.spawn(|| disturb(ports, seeds[2], &is_over, &strangers));
        let managers = manage(&gdl, &folder, 2 * (rounds * games.len()) as u64, seeds[3]);
        is_over.store(true, Ordering::Relaxed);
        managers
    })?;
    let report = judge(&gdl, &folder, games, rounds)?;
    println!(
        "{} matches of {} games in {:.0} s: {} manager runs, {} players killed, {} messages of strangers",
        2 * rounds * games.len(),
        games.len(),
        start.elapsed().as_secs_f64(),
        managers,
        killed.into_inner(),
        strangers.into_inner()
    );
    println!("{report}");
    fs::remove_dir_all(folder)?;
    Ok(())
}

/// Returns a port that is free at the moment.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn schedule(games: &[String], rounds: usize, ports: [u16; 2]) -> Result<String, Box<dyn Error>> {
    let mut list = String::new();
    for game in games {
        let path = Path::new(game);
        // Games that are files need absolute paths, since the schedule is in another folder.
        let game = if path.is_file() { fs::canonicalize(path)?.display().to_string() } else { game.clone() };
        write!(list, "{game:?}, ")?;
    }
    let [start, play] = CLOCKS;
    Ok(format!(
        "version = 1\ngames = [{list}]\nstart_clock = {start}\nplay_clock = {play}\nrepetitions = {rounds}\nscramble = true\n\
         [players]\none = \"remote:127.0.0.1:{}\"\ntwo = \"remote:127.0.0.1:{}\"\n",
        ports[0], ports[1]
    ))
}

/// Runs a player at a port, and kills and restarts it every few seconds.
fn keep(gdl: &Path, port: u16, player: &str, seed: u64, is_over: &AtomicBool, killed: &AtomicU64) {
    let mut luck = Stream::new(seed, 1);
    while !is_over.load(Ordering::Relaxed) {
        let mut command = Command::new(gdl);
        command.args(["player", "--port", &port.to_string(), "--player", player]);
        let Ok(mut child) = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else { continue };
        let life = Duration::from_millis(3_000 + luck.below(12_000));
        wait(life, is_over);
        end(&mut child);
        killed.fetch_add(1, Ordering::Relaxed);
    }
}

fn wait(time: Duration, is_over: &AtomicBool) {
    let end = Instant::now() + time;
    while Instant::now() < end && !is_over.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_millis(50));
    }
}

/// Kills a process and waits for its end.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Sends players messages that no manager would send.
fn disturb(ports: [u16; 2], seed: u64, is_over: &AtomicBool, sent: &AtomicU64) {
    let mut luck = Stream::new(seed, 2);
    while !is_over.load(Ordering::Relaxed) {
        wait(Duration::from_millis(luck.below(400)), is_over);
        let Ok(mut stranger) = TcpStream::connect(("127.0.0.1", ports[luck.below(2) as usize])) else {
            continue;
        };
        let body = [
            "((((((",
            "( PLAY another NIL )",
            "( STOP another ( noop ) )",
            "( START other x ((role x)) 1 1 )",
            "\0\u{1}",
        ];
        let body = body[luck.below(body.len() as u64) as usize];
        let length = if luck.below(3) == 0 { 2_000_000_000 } else { body.len() };
        let message = format!("POST / HTTP/1.0\r\nContent-Length: {length}\r\n\r\n{body}");
        let _ = stranger.write_all(&message.as_bytes()[..message.len() - luck.below(4) as usize]);
        sent.fetch_add(1, Ordering::Relaxed);
    }
}

/// Runs the manager until the schedule is finished, and kills all runs except the last one. Returns
/// the number of runs.
fn manage(gdl: &Path, folder: &Path, matches: u64, seed: u64) -> Result<usize, Box<dyn Error>> {
    let mut luck = Stream::new(seed, 3);
    for run in 1.. {
        let mut command = Command::new(gdl);
        command.args(["manage", "run", "soak.toml", "--results", "soak.db", "--json"]).current_dir(folder);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        // The manager prints a line for each finished match, so it is killed during a later one.
        let mut done = child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines);
        if run <= KILLS {
            let before_death = 1 + luck.below((matches / KILLS as u64).max(1)) as usize;
            if done.by_ref().take(before_death).count() == before_death {
                thread::sleep(Duration::from_millis(luck.below(2_000)));
                end(&mut child);
                continue;
            }
        }
        // The manager would block on a full pipe.
        done.for_each(drop);
        let output = child.wait_with_output()?;
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return if output.status.success() { Ok(run) } else { Err(said.into()) };
    }
    unreachable!("the last run is not killed")
}

/// Checks the records.
fn judge(gdl: &Path, folder: &Path, games: &[String], rounds: usize) -> Result<String, Box<dyn Error>> {
    let export =
        Command::new(gdl).args(["manage", "export", "soak.db", "records"]).current_dir(folder).output()?;
    if !export.status.success() {
        return Err(String::from_utf8_lossy(&export.stderr).into());
    }
    let mut records: Vec<PathBuf> = fs::read_dir(folder.join("records"))?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    records.sort();
    let expected = 2 * rounds * games.len();
    if records.len() != expected {
        return Err(format!("{} records of {expected} matches", records.len()).into());
    }
    let mut faults: BTreeMap<String, usize> = BTreeMap::new();
    let (mut steps, mut beyond) = (0, 0);
    // The matches of a game follow each other, one for each seat of the first player.
    let mut of_game: Vec<Vec<&Path>> = vec![Vec::new(); games.len()];
    for (number, path) in records.iter().enumerate() {
        of_game[number / 2 % games.len()].push(path);
        let record: Record = serde_json::from_str(&fs::read_to_string(path)?)?;
        if !record.is_completed {
            return Err(format!("{} was not played to its end", path.display()).into());
        }
        steps += record.moves.len();
        for fault in record.errors.iter().flatten().filter(|fault| !fault.is_empty()) {
            *faults.entry(fault.split(' ').next().unwrap_or_default().to_owned()).or_default() += 1;
        }
        for times in record.state_times.windows(2) {
            beyond = beyond.max(times[1].saturating_sub(times[0]).saturating_sub(CLOCKS[1] * 1_000));
        }
    }
    let mut lifted = 0;
    for (game, records) in games.iter().zip(of_game) {
        let test = Command::new(gdl).args(["test", "--json"]).arg(game).args(records).output()?;
        let said: Value = serde_json::from_slice(&test.stdout)
            .map_err(|_| format!("{game}: {}", String::from_utf8_lossy(&test.stderr)))?;
        for test in said["tests"].as_array().into_iter().flatten() {
            if test["passed"] != true {
                return Err(format!("{}: {}", test["file"], test["message"]).into());
            }
            lifted += usize::from(test["lifted"] == true);
        }
    }
    if beyond > GRACE {
        return Err(format!("a step took {beyond} ms more than its clock").into());
    }
    let faults: Vec<String> = faults.iter().map(|(fault, count)| format!("{count} {fault}")).collect();
    Ok(format!(
        "all are recorded once and conform to the rules, as judged by the slow evaluator; of {lifted} lifted evaluation judged the end and \
         the goals. {steps} steps, faults noted: {}; the longest step took {beyond} ms more than its clock",
        faults.join(", ")
    ))
}
