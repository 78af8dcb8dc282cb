//! The opening of a match: received rules become engines, each given to the seat as soon as it is
//! ready.
//!
//! A rulesheet of the [`library`] is played by the game that is compiled into the program, if there
//! is one. Any other is parsed within limits, then three threads start at once. The first compiles
//! the rules, the second makes the lifted engine, which interprets them in each state, and the
//! third is the [`oracle`]. The oracle is ready at once, the lifted engine soon, and the compiled
//! one last. If compiling takes long, the net is used before it is optimised. If an engine is
//! requested, only that engine and the oracle are started.
//!
//! A thread is cancelled when the match ends or after a deadline. It notices that within some
//! milliseconds and frees its memory. A built-in game that is not compiled in is not cancelled,
//! since all matches share it.

use crate::{
    library,
    names::Names,
    oracle,
    seat::{ReadyGame, RolePlace, RulesStage, Seat},
    threads::Threads,
};
use gdl_compiler::{Levels, Limits, Observer, Options, Severity, Source, diagnostic::codes, propnet::Net};
use gdl_runtime::{
    Dynamic, Game, GameExt,
    engine::{EngineKind, early, lift, playable},
    game::Id,
};
use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant},
};

/// The time after the start clock at which compiling and lifting are cancelled.
const LATER: Duration = Duration::from_secs(60);

/// Starts the threads that make the engines for the rules of a seat, within these limits. If `way`
/// is given, starts only that engine and the oracle.
pub(crate) fn open(seat: &Arc<Seat>, threads: &Threads, limits: Limits, way: Option<EngineKind>) {
    let known = match way {
        Some(_) => None,
        None => library::find(&seat.rules).map(|(entry, names)| (entry, Arc::new(names))),
    };
    if let Some((entry, names)) = known.clone().filter(|(entry, _)| entry.is_compiled())
        && let Some(game) = gdl_games::dynamic(entry.name)
    {
        let Ok(role) = game.parse_role(&names.to_own(&seat.role)) else {
            return refuse(seat, unknown_role(&seat.role));
        };
        take(seat, ReadyGame { game, names, role, stage: RulesStage::Last, kind: "compiled" });
        let seat = Arc::clone(seat);
        threads.spawn("oracle", move || oracle::draw(&seat, None));
        return;
    }
    let options = options(seat, limits);
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
    let (is_lifted, is_compiled) =
        (way.is_none_or(|way| way == EngineKind::Lifted), way != Some(EngineKind::Lifted));
    seat.change(|state| {
        state.place = Some(RolePlace { role, has_percepts: rules.has_percepts() });
        state.openers = usize::from(is_lifted) + usize::from(is_compiled);
    });
    threads.spawn("oracle", {
        let (seat, rules) = (Arc::clone(seat), Arc::clone(&rules));
        move || oracle::draw(&seat, Some((&rules, role)))
    });
    let lifting = opening(seat, {
        let options = options.clone();
        move |seat| bring(seat, RulesStage::Lifted, lift(&rules, &options).ok(), Arc::default())
    });
    let compiling = opening(seat, move |seat| match known {
        Some((entry, names)) => bring(seat, RulesStage::Last, gdl_games::dynamic(entry.name), names),
        None => compile(seat, &source, &options, way),
    });
    // A thread that the system could not start makes no engine.
    let is_missing = [
        is_lifted && !threads.spawn("lifting", lifting),
        is_compiled && !threads.spawn("compiling", compiling),
    ];
    seat.change(|state| state.openers -= is_missing.iter().filter(|&&is_missing| is_missing).count());
}

/// Wraps work that may produce an engine: `openers` is decremented when it ends or panics.
fn opening<W: FnOnce(&Seat) + Send>(seat: &Arc<Seat>, work: W) -> impl FnOnce() + Send + use<W> {
    struct Opener(Arc<Seat>);
    impl Drop for Opener {
        fn drop(&mut self) {
            self.0.change(|state| state.openers = state.openers.saturating_sub(1));
        }
    }
    let seat = Arc::clone(seat);
    move || {
        let opener = Opener(seat);
        work(&opener.0);
    }
}

fn compile(seat: &Seat, source: &Source, options: &Options, way: Option<EngineKind>) {
    let show = |net: &Net| {
        if way.is_none_or(|way| way == EngineKind::Events) {
            bring(seat, RulesStage::Net, early(net), Arc::default());
        }
    };
    match gdl_compiler::compile_in_stages(source, options, show) {
        Ok(compilation) => bring(seat, RulesStage::Last, playable(&compilation, way).ok(), Arc::default()),
        // Rules that exceed the limits are lifted; a cancelled compilation needs no report.
        Err(failure) if failure.diagnostics.are_excesses() => {}
        Err(failure) if failure.diagnostics.iter().any(|fault| fault.code == &codes::CANCELLED) => {}
        Err(failure) => refuse(seat, first_fault(&failure.diagnostics, source)),
    }
}

fn bring(seat: &Seat, stage: RulesStage, game: Option<Dynamic>, names: Arc<Names>) {
    let role = game.as_ref().and_then(|game| game.parse_role(&names.to_own(&seat.role)).ok());
    if let (Some(game), Some(role)) = (game, role) {
        let kind = game.engine();
        take(seat, ReadyGame { game, names, role, stage, kind });
    }
}

fn take(seat: &Seat, engine: ReadyGame) {
    let has_percepts = engine.game.vocabulary().has_percepts();
    seat.change(|state| state.place = Some(RolePlace { role: engine.role.index(), has_percepts }));
    seat.bring(engine);
}

fn refuse(seat: &Seat, reason: String) {
    seat.change(|state| {
        state.refusal.get_or_insert(reason);
    });
}

fn unknown_role(role: &str) -> String {
    format!("the rules have no role `{role}`")
}

/// Returns the options of a compilation. All warnings are allowed, and `lenient` accepts errors
/// that other players ignore, since a refusal loses the match. The end of the match cancels the
/// compilation.
fn options(seat: &Arc<Seat>, limits: Limits) -> Options {
    let allow = codes::ALL.iter().map(|code| code.id.to_owned()).collect();
    let deadline = Instant::now() + seat.start + LATER;
    let seat = Arc::downgrade(seat);
    let observer = Observer::new(move |_| match seat.upgrade() {
        Some(seat) if Instant::now() < deadline && seat.lock().end.is_none() => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    let levels = Levels { allow, ..Levels::default() };
    Options { lenient: true, limits, levels, observer, ..Options::default() }
}

/// Returns the first error with its place, on one line.
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

#[cfg(test)]
mod tests {
    use super::*;
    use gdl_compiler::Phase;
    use std::fmt::Write;

    /// Creates a game in which a token moves to any cell that it has not visited.
    fn walk(cells: usize) -> String {
        let mut text = String::from(
            "(role r) (init (at 0)) (<= terminal (true (at 7))) (goal r 50)
             (<= (legal r (go ?a ?b)) (true (at ?a)) (cell ?b) (not (true (seen ?b))))
             (<= (next (at ?b)) (does r (go ?a ?b)))
             (<= (next (seen ?a)) (true (at ?a))) (<= (next (seen ?a)) (true (seen ?a)))",
        );
        for cell in 0..cells {
            write!(text, "(cell {cell})").expect("a string takes all");
        }
        text
    }

    /// Returns the stage of the engine that is ready just before the net is optimised.
    fn stage_before_optimising(rules: &str) -> Option<RulesStage> {
        let seat = Seat::new("m", "r", rules, [10, 10], Duration::ZERO, 0);
        let observer = Observer::new(|progress| match progress.phase {
            Phase::Optimize => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        compile(&seat, &Source::new("rules", rules), &Options { observer, ..Options::default() }, None);
        let state = seat.lock();
        assert_eq!(state.refusal, None);
        state.engine.as_ref().map(|engine| engine.stage)
    }

    #[test]
    fn the_engine_that_is_asked_for_is_the_only_one() {
        for (way, kind, stage) in [
            (EngineKind::Table, "table", RulesStage::Last),
            (EngineKind::Events, "events", RulesStage::Last),
            (EngineKind::Lifted, "lifted", RulesStage::Lifted),
        ] {
            let seat = Arc::new(Seat::new("m", "r", &walk(10), [10, 10], Duration::ZERO, 0));
            open(&seat, &Threads::default(), Limits::default(), Some(way));
            while seat.lock().openers > 0 {
                std::thread::yield_now();
            }
            let state = seat.lock();
            let engine = state.engine.as_ref().expect("there is an engine");
            assert_eq!((engine.kind, engine.stage), (kind, stage));
        }
    }

    #[test]
    fn nothing_else_plays_where_the_rules_take_too_much_for_the_engine_that_is_asked_for() {
        for (way, kind) in
            [(Some(EngineKind::Table), None), (Some(EngineKind::Events), None), (None, Some("lifted"))]
        {
            let seat = Arc::new(Seat::new("m", "r", &walk(10), [10, 10], Duration::ZERO, 0));
            open(&seat, &Threads::default(), Limits { max_ground_rules: 5, ..Limits::default() }, way);
            while seat.lock().openers > 0 {
                std::thread::yield_now();
            }
            assert_eq!(seat.lock().engine.as_ref().map(|engine| engine.kind), kind);
        }
    }

    #[test]
    fn large_nets_are_played_before_they_are_optimised() {
        assert_eq!(stage_before_optimising(&walk(300)), Some(RulesStage::Net));
        assert_eq!(stage_before_optimising(&walk(10)), None);
    }
}
