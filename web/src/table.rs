//! Answers requests about loaded games.

mod card;

use crate::{
    request::{Before, Choose, Failure, Load, Why},
    rules,
};
use gdl_compiler::{Options, Source, eval::Evaluator};
use gdl_games::PlayoutSettings;
use gdl_gpu::Run;
use gdl_players::Budget;
use gdl_runtime::{
    Dynamic, Game, GameExt, History, Playouts, Stats,
    chance::Stream,
    dynamic::MoveId,
    engine::compile,
    game::Id,
    playouts::{PlayoutMode, Tally},
};
use gdl_tools::{game, players::Spec, scene::Stage, why};
use serde_json::{Value, json};
use std::{cell::OnceCell, ops::Range, time::Duration};

type State = <Dynamic as Game>::State;

/// The memory limit of a player, in bytes; an instance has at most 4 GiB.
const PLAYER_BYTES: usize = 256 << 20;

/// The maximum number of illegal moves that are listed.
const MOST_ILLEGAL: usize = 200;

/// The loaded games, by number; `None` for dropped ones.
#[derive(Debug, Default)]
pub(crate) struct Table {
    games: Vec<Option<Loaded>>,
}

/// A loaded game, with its source.
#[derive(Debug)]
pub(crate) struct Loaded {
    game: Dynamic,
    source: Source,
    options: Options,
    stage: OnceCell<Stage>,
    /// The current random games on a graphics card.
    run: Option<Run>,
}

impl Table {
    pub(crate) fn load(&mut self, load: Load) -> Result<Value, Failure> {
        let (source, options) = match load {
            Load { name, text: Some(text), patient } => {
                let name = name.unwrap_or_else(|| "rulesheet".to_owned());
                (Source::new(name, text), rules::options(patient))
            }
            Load { name: Some(name), .. } => {
                (gdl_tools::load::text_of(rules::built_in(&name)?), gdl_tools::load::quiet())
            }
            Load { .. } => return Err(Failure::new("neither a name nor a rulesheet was given")),
        };
        let game = compile(&source, &options).map_err(|faults| Failure::of(&faults, &source))?;
        let vocabulary = game.vocabulary();
        let roles: Vec<&str> = vocabulary.roles().iter().collect();
        let answer = json!({
            "game": self.games.len(),
            "engine": game.engine(),
            "roles": roles,
            "chance": game.chance_role().map(Id::index),
            "hidden": vocabulary.has_percepts(),
            "fluents": vocabulary.fluents().len(),
            "moves": vocabulary.moves().len(),
        });
        self.games.push(Some(Loaded { game, source, options, stage: OnceCell::new(), run: None }));
        Ok(answer)
    }

    pub(crate) fn unload(&mut self, game: usize) -> bool {
        self.games.get_mut(game).is_some_and(|game| game.take().is_some())
    }

    pub(crate) fn game(&self, game: usize) -> Result<&Loaded, Failure> {
        let loaded = self.games.get(game).and_then(Option::as_ref);
        loaded.ok_or_else(|| unknown(game))
    }

    pub(crate) fn game_mut(&mut self, game: usize) -> Result<&mut Loaded, Failure> {
        let loaded = self.games.get_mut(game).and_then(Option::as_mut);
        loaded.ok_or_else(|| unknown(game))
    }
}

impl Loaded {
    fn state(&self, text: Option<&str>) -> Result<State, Failure> {
        let read = |text| self.game.parse_state(text).map_err(|error| Failure::new(error.to_string()));
        text.map_or_else(|| Ok(self.game.initial()), read)
    }

    fn joint(&self, moves: &[String]) -> Result<Vec<MoveId>, Failure> {
        let read =
            |text: &String| self.game.parse_move(text).map_err(|error| Failure::new(error.to_string()));
        moves.iter().map(read).collect()
    }

    /// Returns `answer`. Fails if an evaluation of the rules exceeded its limits, since the answer
    /// is then incomplete.
    fn settled(&self, answer: Value) -> Result<Value, Failure> {
        match self.game.failed_evaluations() {
            None => Ok(answer),
            Some((count, excess)) => {
                Err(Failure::new(format!("{count} evaluations abandoned: the first {excess}")))
            }
        }
    }

    fn seen(&self, state: &State) -> Value {
        let game = &self.game;
        let view = game.view(state);
        let terminal = game.is_terminal_in(&view);
        let legal = game.roles().map(|role| -> Vec<&str> {
            let moves = game.legal_moves_in(&view, role).filter(|_| !terminal);
            moves.map(|action| game.move_text(action)).collect()
        });
        let goals = game.roles().map(|role| game.goal_in(&view, role));
        json!({
            "state": game.state_text(state),
            "terminal": terminal,
            "goals": goals.collect::<Vec<_>>(),
            "legal": legal.collect::<Vec<_>>(),
        })
    }

    pub(crate) fn position(&self, state: Option<&str>) -> Result<Value, Failure> {
        self.settled(self.seen(&self.state(state)?))
    }

    pub(crate) fn apply(&self, state: &str, moves: &[String]) -> Result<Value, Failure> {
        let next = self.game.apply(&self.state(Some(state))?, &self.joint(moves)?);
        let next = next.map_err(|error| Failure::new(error.to_string()))?;
        self.settled(self.seen(&next))
    }

    pub(crate) fn walk(&self, state: Option<&str>, seed: u64, steps: usize) -> Result<Value, Failure> {
        let game = &self.game;
        let (mut state, mut stream) = (self.state(state)?, Stream::new(seed, 0));
        let mut line = Vec::new();
        while line.len() < steps {
            let view = game.view(&state);
            let mut draw = |role| game.random_move_in(&view, role, &mut stream);
            let joint: Option<Vec<MoveId>> = game.roles().map(&mut draw).collect();
            let Some(joint) = joint.filter(|_| !game.is_terminal_in(&view)) else { break };
            game.advance(&mut state, &joint);
            let moves: Vec<&str> = joint.iter().map(|&action| game.move_text(action)).collect();
            line.push(json!({ "moves": moves, "state": game.state_text(&state) }));
        }
        self.settled(json!({ "steps": line, "end": self.seen(&state) }))
    }

    fn stage(&self) -> &Stage {
        self.stage.get_or_init(|| Stage::of(&self.game, self.source.text()))
    }

    pub(crate) fn illegal(
        &self,
        state: &str,
        role: &str,
        find: &str,
        cell: Option<usize>,
    ) -> Result<Value, Failure> {
        let game = &self.game;
        let role = game.parse_role(role).map_err(|error| Failure::new(error.to_string()))?;
        let (state, board) = (self.state(Some(state))?, self.stage().board.as_ref());
        let (view, find) = (game.view(&state), find.to_lowercase());
        let is_at = |text: &str, cell: usize| {
            let spot = board.map(|board| board.spot(text)).unwrap_or_default();
            spot.cells.contains(&cell) || spot.area.contains(&cell)
        };
        let moves = game.vocabulary().moves_of(role.index()).iter();
        let illegal = moves.map(|&action| MoveId::from_index(action as usize));
        let illegal = illegal.filter(|&action| !game.is_legal_in(&view, role, action));
        let mut found: Vec<&str> = illegal
            .map(|action| game.move_text(action))
            .filter(|text| text.to_lowercase().contains(&find))
            .filter(|text| cell.is_none_or(|cell| is_at(text, cell)))
            .collect();
        let more = found.len().saturating_sub(MOST_ILLEGAL);
        found.truncate(MOST_ILLEGAL);
        let place = |fluent: usize| board.and_then(|board| board.place(fluent)).map(|(cell, _)| cell);
        let here = game.fluents(&state).filter(|fluent| cell.is_some() && place(fluent.index()) == cell);
        let fluents: Vec<&str> = here.map(|fluent| game.fluent_text(fluent)).collect();
        let role = game.role_text(role);
        self.settled(json!({ "role": role, "moves": found, "left_out": more, "fluents": fluents }))
    }

    pub(crate) fn scene(&self, state: &str, before: Option<&Before>) -> Result<Value, Failure> {
        let game = &self.game;
        let state = self.state(Some(state))?;
        let stage = self.stage();
        let scene = stage.scene(game, &state);
        let view = game.view(&state);
        let spot = |action: MoveId| {
            let text = game.move_text(action);
            let spot = stage.board.as_ref().map(|board| board.spot(text)).unwrap_or_default();
            json!({ "move": text, "cells": spot.cells, "area": spot.area })
        };
        let moves = game.roles().map(|role| -> Vec<Value> {
            let moves = game.legal_moves_in(&view, role).filter(|_| !game.is_terminal_in(&view));
            moves.map(spot).collect()
        });
        let moves: Vec<Vec<Value>> = moves.collect();
        let cells = match before {
            None => Vec::new(),
            Some(Before { state: text, moves }) => {
                let old = self.state(Some(text))?;
                let changed = || {
                    let board = stage.board.as_ref()?;
                    Some((board.cells_of(game, &old), board.cells_of(game, &state)))
                };
                stage.touched(moves.iter().map(String::as_str), changed)
            }
        };
        self.settled(json!({
            "board": scene.board,
            "fluents": scene.fluents,
            "left_out": scene.left_out,
            "moves": moves,
            "cells": cells,
        }))
    }

    pub(crate) fn why(&self, question: &Why) -> Result<Value, Failure> {
        let options = Options { limits: self.options.limits.clone(), ..gdl_tools::load::quiet() };
        let (rules, _) = gdl_compiler::read(&self.source, &options)
            .map_err(|failure| Failure::of(&failure.diagnostics, &self.source))?;
        let oracle = Evaluator::with_limits(&rules, &options.limits);
        let oracle = oracle.map_err(|error| Failure::new(error.to_string()))?;
        let mut position = why::Position::of(&oracle, &question.state)?;
        if let Some(Before { state, moves }) = &question.before {
            position = position.reached(state, moves, 1, &oracle)?;
        } else if self.state(Some(&question.state))? == self.game.initial() {
            position = position.at_start();
        }
        if let Some(moves) = &question.making {
            position = position.making_all(&oracle, moves)?;
        }
        let found = position.ask(&rules, &oracle, &question.atom, question.depth)?;
        Ok(why::to_json(&found, &rules, &self.source))
    }

    pub(crate) fn playouts(
        &self,
        count: Option<u64>,
        seconds: Option<f64>,
        seed: u64,
        engine: Option<PlayoutMode>,
        part: Option<[u64; 2]>,
    ) -> Result<Value, Failure> {
        let time = seconds.map(time).transpose()?;
        // A part of games without a number is one of more games than are ever played.
        let most = if time.is_none() { Some(1_000) } else { part.map(|_| 1 << 53) };
        let count = count.or(most);
        let blocks = part.zip(count).map(|(part, count)| self.blocks(part, count, engine)).transpose()?;
        let settings =
            PlayoutSettings { seed, count, blocks, time, threads: 1, engine, ..Default::default() };
        self.counted(&game::playouts(&self.game, settings))
    }

    /// Returns the blocks of a part of random games.
    fn blocks(
        &self,
        [part, parts]: [u64; 2],
        count: u64,
        engine: Option<PlayoutMode>,
    ) -> Result<Range<u64>, Failure> {
        if part == 0 || part > parts {
            return Err(Failure::new(format!("there is no part {part} of {parts}")));
        }
        let run = engine.into_iter().fold(Playouts::new(&self.game), Playouts::engine);
        let all = u128::from(count.div_ceil(run.block_games()));
        // A share of the blocks is at most their number, which fits into 64 bits.
        let end = |part: u64| (all * u128::from(part) / u128::from(parts)) as u64;
        Ok(end(part - 1)..end(part))
    }

    pub(crate) fn merge(
        &self,
        seed: u64,
        engine: Option<PlayoutMode>,
        seconds: f64,
        tallies: &[Tally],
    ) -> Result<Value, Failure> {
        let none = PlayoutSettings { seed, count: Some(0), threads: 1, engine, ..Default::default() };
        let mut stats = game::playouts(&self.game, none);
        tallies.iter().for_each(|tally| stats.tally.merge(tally));
        stats.threads = tallies.len();
        // Each instance has a processor of its own, as far as is known.
        (stats.seconds, stats.cpu_seconds) = (seconds, seconds * tallies.len() as f64);
        self.counted(&stats)
    }

    fn counted(&self, stats: &Stats) -> Result<Value, Failure> {
        let mut answer = json!(stats);
        answer["report"] = json!(stats.to_string());
        answer["goals"] = json!(self.goals(&stats.tally));
        answer["playouts_per_second"] = json!(stats.playouts_per_second());
        self.settled(answer)
    }

    /// Returns the mean goal of each role; `None` if no game gave one.
    fn goals(&self, tally: &Tally) -> Vec<Option<f64>> {
        let chance = self.game.vocabulary().chance();
        let goal = |role| tally.has_goals(role, chance).then(|| tally.mean_goal(role));
        (0..tally.roles.len()).map(goal).collect()
    }

    pub(crate) fn perft(&self, state: Option<&str>, depth: usize) -> Result<Value, Failure> {
        let counts = game::perft(&self.game, self.state(state)?, depth);
        // Counts are text, since numbers of JavaScript are exact only up to 2^53.
        let counts: Vec<String> = counts.iter().map(u128::to_string).collect();
        self.settled(json!(counts))
    }

    pub(crate) fn choose(&self, turn: &Choose) -> Result<Value, Failure> {
        let game = &self.game;
        let failed = |error: &dyn std::fmt::Display| Failure::new(error.to_string());
        let mut history = History::from_state(game, self.state(turn.start.as_deref())?);
        for moves in &turn.moves {
            history.play(game, &self.joint(moves)?).map_err(|error| failed(&error))?;
        }
        let role = game.parse_role(&turn.role).map_err(|error| failed(&error))?;
        let spec: Spec = turn.player.parse().map_err(Failure::new)?;
        if spec.has_file() {
            return Err(Failure::new("a page has no files of `gdl train`"));
        }
        let player = spec.at_most(PLAYER_BYTES, 1).build(turn.seed);
        let mut player = player.ok_or_else(|| Failure::new("a person makes no moves here"))?;
        let mut budget = match turn.seconds {
            Some(seconds) => Budget::within(time(seconds)?),
            None => Budget::unlimited(),
        };
        budget = turn.nodes.into_iter().fold(budget, Budget::and_nodes);
        let action = player.choose(game, &history.information(game, role), &budget);
        let action = action.ok_or_else(|| Failure::new(format!("{} has no legal move", turn.role)))?;
        self.settled(json!({ "move": game.move_text(action), "report": player.report() }))
    }
}

fn unknown(game: usize) -> Failure {
    Failure::new(format!("no game has the number {game}"))
}

/// Converts a caller's time in seconds.
fn time(seconds: f64) -> Result<Duration, Failure> {
    Duration::try_from_secs_f64(seconds).map_err(|error| Failure::new(format!("{seconds} seconds: {error}")))
}
