//! Measures a player on a quiet machine: the time to `ready` for each rulesheet of a folder, and
//! the delay of its answers.
//!
//!     cargo run --release -p gdl-network --example measure -- FOLDER [START_CLOCK]

use gdl_compiler::{Limits, Options, Source};
use gdl_network::{
    Host,
    client::{Address, ask},
    message::{Dialect, Reply, Request},
    serve,
};
use gdl_players::{Budget, Player, player::Random};
use gdl_runtime::{Dynamic, Game, Information};
use std::{
    error::Error,
    fs,
    net::TcpListener,
    path::Path,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

/// The number of answers that are timed.
const ANSWERS: usize = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("usage: measure FOLDER [START_CLOCK]")?;
    let clock = arguments.next().map_or(Ok(30), |clock| clock.parse())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        starts(Path::new(&folder), clock).await?;
        answers().await
    })
}

/// A rulesheet, and the first role that the player can have.
struct MeasuredSheet {
    name: String,
    rules: String,
    role: String,
}

/// Reads the rulesheets of a folder, sorted by name; invalid ones are printed and skipped.
fn sheets(folder: &Path) -> Result<Vec<MeasuredSheet>, Box<dyn Error>> {
    let mut sheets = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "kif") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let rules = fs::read_to_string(&path)?;
        let options = Options { limits: Limits::network(), ..Options::default() };
        match gdl_compiler::read(&Source::new(name.as_str(), rules.as_str()), &options) {
            Ok((read, _)) => {
                let role = (0..read.roles.len()).find_map(|role| {
                    let text = read.display_term(read.declaration(role)?, &read.roles[role]);
                    (!text.eq_ignore_ascii_case("random")).then_some(text)
                });
                sheets.extend(role.map(|role| MeasuredSheet { name, rules, role }));
            }
            Err(_) => println!("{name}: at fault"),
        }
    }
    sheets.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(sheets)
}

/// Measures the time from `START` to `ready`, and the first move.
async fn starts(folder: &Path, clock: u64) -> Result<(), Box<dyn Error>> {
    let remarks = Arc::new(Mutex::new(String::new()));
    let told = Arc::clone(&remarks);
    let host = Host::new("measured", |seed| Some(Box::new(Random::new().seed(seed))))
        .without_pondering()
        .log(move |note| {
            if let (Some(remark), Ok(mut told)) = (&note.remark, told.lock()) {
                told.clone_from(remark);
            }
        });
    let mut seconds = Vec::new();
    for MeasuredSheet { name, rules, role } in sheets(folder)? {
        let id = "measured".to_owned();
        let start = Request::Start { id: id.clone(), role, rules, start: clock, play: 10 };
        let began = Instant::now();
        let ready = host.answer(&start.write(Dialect::Base), None).await;
        let taken = began.elapsed().as_secs_f64();
        let began = Instant::now();
        let play = Request::Play { id: id.clone(), news: None };
        let action = host.answer(&play.write(Dialect::Base), None).await;
        let first = began.elapsed().as_secs_f64();
        host.answer(&Request::Abort { id }.write(Dialect::Base), None).await;
        let remark = remarks.lock().map(|mut remark| std::mem::take(&mut *remark)).unwrap_or_default();
        println!("{taken:8.3} s {ready:6} {first:8.3} s {action:24} {name}: {remark}");
        seconds.push(taken);
    }
    println!("START to ready: {}", spread(&mut seconds));
    Ok(())
}

/// A player that records the time of its last choice.
struct Timed(Random<Dynamic>, Arc<Mutex<Instant>>);

impl Player<Dynamic> for Timed {
    fn name(&self) -> &'static str {
        "timed"
    }

    fn choose(
        &mut self,
        game: &Dynamic,
        information: &Information<Dynamic>,
        budget: &Budget,
    ) -> Option<<Dynamic as Game>::Move> {
        let action = self.0.choose(game, information, budget);
        thread::sleep(Duration::from_millis(2));
        if let Ok(mut done) = self.1.lock() {
            *done = Instant::now();
        }
        action
    }
}

/// Measures the delay of an answer after its thinking, over a connection.
async fn answers() -> Result<(), Box<dyn Error>> {
    let done = Arc::new(Mutex::new(Instant::now()));
    let shared = Arc::clone(&done);
    let host =
        Host::new("timed", move |seed| Some(Box::new(Timed(Random::new().seed(seed), Arc::clone(&shared)))));
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address: Address = listener.local_addr()?.to_string().parse()?;
    thread::spawn(move || serve(listener, host.without_pondering()));
    let limit = Duration::from_secs(10);
    let rules = "(role r) (init a) (legal r x) (legal r y) (<= (next a) (true a)) (<= terminal (not (true a))) (goal r 0)";
    let (id, role) = ("timed".to_owned(), "r".to_owned());
    let start = Request::Start { id: id.clone(), role, rules: rules.to_owned(), start: 10, play: 10 };
    ask(&address, &start, Dialect::Base, limit).await?;
    let mut news = None;
    let mut seconds = Vec::new();
    for _ in 0..ANSWERS {
        let play = Request::Play { id: id.clone(), news: news.take() };
        let reply = ask(&address, &play, Dialect::Base, limit).await?;
        let end = Instant::now();
        let done = done.lock().map_err(|error| error.to_string())?;
        seconds.push(end.saturating_duration_since(*done).as_secs_f64());
        if let Reply::Move(action) = reply {
            news = Some(vec![action]);
        }
    }
    println!("an answer beyond its thinking: {}", spread(&mut seconds));
    Ok(())
}

fn spread(seconds: &mut [f64]) -> String {
    seconds.sort_by(f64::total_cmp);
    let at =
        |share: usize| seconds.get((seconds.len().saturating_sub(1)) * share / 100).copied().unwrap_or(0.0);
    let [half, most, worst] = [50, 99, 100].map(|share| 1e3 * at(share));
    format!("{} times, p50 {half:.3} ms, p99 {most:.3} ms, worst {worst:.3} ms", seconds.len())
}
