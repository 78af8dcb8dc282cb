//! The opening of a match: rules that were received become engines, each brought to the seat as soon as it is ready.
//!
//! A rulesheet of the [`library`] is played by what is compiled into the program, if that is. Any other is read within
//! [`Limits::network`] and then compiled, lifted (evaluated state by state) and drawn from by the oracle at the same time, each
//! in a thread of its own: the one is ready after a while, the other sooner, and the last at once. A thread is given up when
//! the match ends or after a deadline; it notices within some milliseconds and takes its memory with it. A built-in game that is
//! not compiled in is made once for all matches instead.

use crate::{
    library,
    names::Names,
    oracle,
    seat::{Engine, Place, Seat},
    threads::Threads,
};
use gdl_compiler::{Levels, Limits, Observer, Options, Severity, Source, diagnostic::codes};
use gdl_runtime::{
    __private::{lift, playable},
    Dynamic, Game, GameExt,
    game::Id,
};
use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

/// How long after the start clock a game may still come.
const LATER: Duration = Duration::from_secs(60);

/// Finds what plays the rules of a seat.
pub(crate) fn open(seat: &Arc<Seat>, threads: &Threads) {
    let known = library::find(&seat.rules).map(|(entry, names)| (entry, Arc::new(names)));
    if let Some((entry, names)) = known.clone().filter(|(entry, _)| entry.is_compiled())
        && let Some(game) = gdl_games::dynamic(entry.name)
    {
        match game.parse_role(&names.to_own(&seat.role)) {
            Ok(role) => take(seat, Engine { game, names, role, kind: "compiled" }),
            Err(_) => refuse(seat, unknown_role(&seat.role)),
        }
        return;
    }
    let options = options(seat);
    let source = Source::new("rules", seat.rules.as_str());
    let rules = match gdl_compiler::read(&source, &options) {
        Ok((rules, _)) => Arc::new(rules),
        Err(failure) => return refuse(seat, first_fault(&failure.diagnostics, &source)),
    };
    let is_role = |role: usize| {
        let text = rules.declaration(role).map(|fact| rules.display_term(fact, &rules.roles[role]));
        text.is_some_and(|text| text.eq_ignore_ascii_case(&seat.role))
    };
    let Some(role) = (0..rules.roles.len()).position(is_role) else {
        return refuse(seat, unknown_role(&seat.role));
    };
    seat.change(|desk| {
        desk.place = Some(Place { role, has_percepts: rules.has_percepts() });
        desk.openers = 2;
    });
    let started = [
        threads.spawn("oracle", {
            let (seat, rules) = (Arc::clone(seat), Arc::clone(&rules));
            move || oracle::draw(&seat, &rules, role)
        }),
        threads.spawn(
            "lifting",
            opening(seat, {
                let (rules, options) = (Arc::clone(&rules), options.clone());
                move |seat| bring(seat, "lifted", lift(&rules, &options).ok(), Arc::default())
            }),
        ),
        threads.spawn(
            "compiling",
            opening(seat, move |seat| match known {
                Some((entry, names)) => bring(seat, "table", gdl_games::dynamic(entry.name), names),
                None => compile(seat, &source, &options),
            }),
        ),
    ];
    // The system may be out of threads.
    let missing = started[1..].iter().filter(|started| !**started).count();
    seat.change(|desk| desk.openers -= missing);
}

/// Work that may bring an engine, and says when it is over, however that comes.
fn opening<W: FnOnce(&Seat) + Send>(seat: &Arc<Seat>, work: W) -> impl FnOnce() + Send + use<W> {
    struct Opener(Arc<Seat>);
    impl Drop for Opener {
        fn drop(&mut self) {
            self.0.change(|desk| desk.openers = desk.openers.saturating_sub(1));
        }
    }
    let seat = Arc::clone(seat);
    move || {
        let opener = Opener(seat);
        work(&opener.0);
    }
}

fn compile(seat: &Seat, source: &Source, options: &Options) {
    match gdl_compiler::compile(source, options) {
        Ok(compilation) => bring(seat, "table", playable(&compilation, None).ok(), Arc::default()),
        // What is too large is lifted; what was called off is of no interest.
        Err(failure) if failure.diagnostics.are_excesses() => {}
        Err(failure) if failure.diagnostics.iter().any(|fault| fault.code == &codes::CANCELLED) => {}
        Err(failure) => refuse(seat, first_fault(&failure.diagnostics, source)),
    }
}

fn bring(seat: &Seat, kind: &'static str, game: Option<Dynamic>, names: Arc<Names>) {
    let role = game.as_ref().and_then(|game| game.parse_role(&names.to_own(&seat.role)).ok());
    if let (Some(game), Some(role)) = (game, role) {
        take(seat, Engine { game, names, role, kind });
    }
}

fn take(seat: &Seat, engine: Engine) {
    let has_percepts = engine.game.vocabulary().has_percepts();
    seat.change(|desk| desk.place = Some(Place { role: engine.role.index(), has_percepts }));
    seat.bring(engine);
}

fn refuse(seat: &Seat, reason: String) {
    seat.change(|desk| {
        desk.refusal.get_or_insert(reason);
    });
}

fn unknown_role(role: &str) -> String {
    format!("the rules have no role `{role}`")
}

/// Nothing is said of style, and the match ends the work.
fn options(seat: &Arc<Seat>) -> Options {
    let allow = codes::ALL.iter().map(|code| code.id.to_owned()).collect();
    let deadline = Instant::now() + seat.start + LATER;
    let seat = Arc::downgrade(seat);
    let observer = Observer::new(move |_| match seat.upgrade() {
        Some(seat) if Instant::now() < deadline && seat.lock().end.is_none() => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    let levels = Levels { allow, ..Levels::default() };
    Options { limits: Limits::network(), levels, observer, ..Options::default() }
}

/// The first error with its place, on one line.
fn first_fault(diagnostics: &gdl_compiler::Diagnostics, source: &Source) -> String {
    let errors: Vec<_> = diagnostics.iter().filter(|fault| fault.severity == Severity::Error).collect();
    let [first, more @ ..] = &errors[..] else { return "the rules are of no use".to_owned() };
    let place = first.span.map_or_else(String::new, |span| {
        let place = source.position(span.start);
        format!("{}:{}: ", place.line, place.column)
    });
    let more = if more.is_empty() { String::new() } else { format!(" (and {} more)", more.len()) };
    format!("rules:{place}{} [{}]{more}", first.message, first.code.id)
}
