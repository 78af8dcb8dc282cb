//! Many games at once: a [`Batch`] takes arrays of moves and writes arrays of observations, legal
//! moves and rewards.
//!
//! Games form units of 512. A unit is in planes if [`Stepper`] can play the game, otherwise it has
//! single games; the results are equal. Threads share the units. A step checks the moves of all
//! games before it makes any, so an illegal move changes nothing.
//!
//! Threads are started for each pass over the units, one for each [`WORTH`] operations. Starting
//! and joining one takes about twenty microseconds. A pool would save most of that, but its threads
//! would be missing in forked processes, such as those of `multiprocessing`.

use crate::{
    load::{Game, Inner},
    planes::Planes,
    python_class,
    single::Single,
    spec::Spec,
    state::State,
};
use gdl_runtime::{
    Dynamic, Game as _,
    bits::{self, BitBox},
    chance::Stream,
    engine::{Games, Part, Renewal, Stepper, To},
    lanes::Isa,
};
use numpy::{
    PyArray1, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArrayMethods,
};
use pyo3::{
    exceptions::{PyIndexError, PyMemoryError, PyRuntimeError, PyTypeError, PyValueError},
    prelude::*,
    types::PyTuple,
};
use std::{
    sync::{Arc, Mutex, MutexGuard, TryLockError},
    thread,
};

/// The number of games in a unit.
const UNIT: usize = Games::MOST;

/// The number of operations on 512 games that justify a thread. An operation takes about two
/// nanoseconds.
const WORTH: usize = 50_000;

/// The assumed number of operations of a unit of single games, a lower bound.
const ONE_BY_ONE: usize = 100_000;

/// The most roles, since their numbers are signed bytes.
const MOST_ROLES: usize = 127;

/// The approximate memory limit of the games of a batch, in bytes.
const MOST_BYTES: usize = 4 << 30;

/// Up to 512 games.
#[allow(clippy::large_enum_variant, reason = "nearly all units are the large one")]
enum Unit {
    Planes(Games),
    Rows(Vec<Single>),
}

/// The output arrays of a step.
struct Sink<'a> {
    observation: To<'a>,
    mask: To<'a>,
    asked: &'a mut [i8],
    rewards: &'a mut [f32],
    ended: &'a mut [bool],
}

fn split(to: To<'_>, at: usize) -> (To<'_>, To<'_>) {
    match to {
        To::Bytes(all) => {
            let (a, b) = all.split_at_mut(at);
            (To::Bytes(a), To::Bytes(b))
        }
        To::Words(all) => {
            let (a, b) = all.split_at_mut(at);
            (To::Words(a), To::Words(b))
        }
    }
}

/// Writes a game's `times` rows of bits. `place` is the index of the game in the array.
fn set(to: &mut To<'_>, place: usize, (words, times, bits): (&[u64], usize, usize)) {
    match to {
        To::Words(all) => {
            let width = times * bits.div_ceil(64);
            all[place * width..(place + 1) * width].copy_from_slice(&words[..width]);
        }
        To::Bytes(all) => {
            for (time, words) in words.chunks(bits.div_ceil(64).max(1)).take(times).enumerate() {
                let start = (place * times + time) * bits;
                let to = &mut all[start..start + bits];
                to.iter_mut().enumerate().for_each(|(bit, to)| *to = bits::test(words, bit).into());
            }
        }
    }
}

impl Sink<'_> {
    fn split(self, games: usize, spec: &Spec) -> (Self, Self) {
        let (observation, more_observation) = split(self.observation, games * spec.observation());
        let (mask, more_mask) = split(self.mask, games * spec.mask());
        let (asked, more_asked) = self.asked.split_at_mut(games);
        let (rewards, more_rewards) = self.rewards.split_at_mut(games * spec.roles);
        let (ended, more_ended) = self.ended.split_at_mut(games);
        (
            Self { observation, mask, asked, rewards, ended },
            Self {
                observation: more_observation,
                mask: more_mask,
                asked: more_asked,
                rewards: more_rewards,
                ended: more_ended,
            },
        )
    }
}

impl Unit {
    fn len(&self) -> usize {
        match self {
            Self::Planes(games) => games.len(),
            Self::Rows(games) => games.len(),
        }
    }

    /// Stores the chosen moves. Returns the first game with an illegal move, if there is one.
    fn choose(
        &mut self,
        stepper: Option<&mut Stepper>,
        game: &Dynamic,
        spec: &Spec,
        actions: &[i32],
    ) -> Option<usize> {
        match (self, stepper) {
            (Self::Planes(games), Some(stepper)) => stepper.choose(games, actions).err(),
            (Self::Rows(games), _) => {
                let mut pairs = games.iter_mut().zip(actions.chunks_exact(spec.seats()));
                pairs.position(|(single, actions)| !single.choose(game, spec, actions))
            }
            (Self::Planes(_), None) => None,
        }
    }

    /// Makes the chosen moves if `makes` is true, and writes the observations.
    fn step(
        &mut self,
        stepper: Option<&mut Stepper>,
        game: &Dynamic,
        spec: &Spec,
        makes: bool,
        sink: Sink<'_>,
    ) {
        let Sink { mut observation, mut mask, asked, rewards, ended } = sink;
        match (self, stepper) {
            (Self::Planes(games), Some(stepper)) => {
                if makes {
                    stepper.step(games, spec.renewal);
                    stepper.worth(games, reward, rewards);
                    stepper.ended(games, ended);
                } else {
                    rewards.fill(0.0);
                    ended.fill(false);
                }
                let shown = spec.planes.as_ref().map_or(Part::State, |planes| Part::Fluents(&planes.fluents));
                stepper.read(games, shown, observation);
                stepper.read(games, Part::Legal, mask);
                stepper.asked(games, asked);
            }
            (Self::Rows(games), _) => {
                rewards.fill(0.0);
                for (place, single) in games.iter_mut().enumerate() {
                    ended[place] = false;
                    if makes {
                        single.step(game, spec, spec.renewal);
                        ended[place] = single.has_ended();
                        if let Some(goals) = single.scores(game, spec) {
                            let rewards = rewards[place * spec.roles..].iter_mut().zip(goals);
                            rewards.for_each(|(to, goal)| *to = reward(goal));
                        }
                        if spec.renewal == Renewal::SameStep {
                            single.renew(game);
                        }
                    }
                    if let (Some(planes), To::Bytes(to)) = (&spec.planes, &mut observation) {
                        let to = &mut to[place * planes.fluents.len()..][..planes.fluents.len()];
                        planes.show(single.state.as_ref(), to);
                    } else {
                        set(&mut observation, place, single.observation(spec));
                    }
                    let (words, times, bits) = single.mask(game, spec);
                    set(&mut mask, place, (&words, times, bits));
                    asked[place] = single.asked(game, spec);
                }
            }
            (Self::Planes(_), None) => {}
        }
    }

    /// The role to move in a game, if only that role gives moves.
    fn speaker(&self, stepper: Option<&Stepper>, spec: &Spec, place: usize) -> usize {
        match (self, stepper) {
            (Self::Planes(games), Some(stepper)) => stepper.speaker_of(games, place),
            (Self::Rows(games), _) => games[place].speaker(spec),
            (Self::Planes(_), None) => 0,
        }
    }

    /// The legal moves of a role in a game, if it gives a move.
    fn legal(&self, stepper: Option<&Stepper>, game: &Dynamic, place: usize, role: usize) -> Vec<usize> {
        match (self, stepper) {
            (Self::Rows(games), _) => games[place].legal(game, role),
            (Self::Planes(games), Some(stepper)) => stepper.legal(games, place, role),
            (Self::Planes(_), None) => Vec::new(),
        }
    }

    fn state(&self, game: &Dynamic, place: usize) -> BitBox {
        match self {
            Self::Rows(games) => games[place].state.clone(),
            Self::Planes(games) => {
                let mut state = game.new_state();
                games.state(place, state.as_mut());
                state
            }
        }
    }
}

/// The reward for a goal value: 1 for 100, -1 for 0.
fn reward(goal: u8) -> f32 {
    f32::from(goal) / 50.0 - 1.0
}

/// The mutable part of a batch.
struct Core {
    units: Vec<Unit>,
    /// The stepper of each thread; empty if games are not in planes.
    steppers: Vec<Stepper>,
    actions: Vec<i32>,
}

/// Processes jobs in at most `threads` threads, which get a helper each as long as there are any.
fn share<J: Send, T: Send>(
    helpers: &mut [T],
    threads: usize,
    mut jobs: Vec<J>,
    work: impl Fn(Option<&mut T>, J) + Sync,
) {
    let threads = threads.min(jobs.len()).max(1);
    if threads == 1 {
        let mut helper = helpers.first_mut();
        jobs.into_iter().for_each(|job| work(helper.as_deref_mut(), job));
        return;
    }
    let each = jobs.len().div_ceil(threads);
    let mut helpers = helpers.iter_mut();
    thread::scope(|scope| {
        while !jobs.is_empty() {
            let rest = jobs.split_off(each.min(jobs.len()));
            let (mine, mut helper, work) = (std::mem::replace(&mut jobs, rest), helpers.next(), &work);
            let run = move || mine.into_iter().for_each(|job| work(helper.as_deref_mut(), job));
            if jobs.is_empty() {
                run();
            } else {
                scope.spawn(run);
            }
        }
    });
}

/// The borrowed output arrays.
struct Arrays<'py> {
    observation: Borrowed<'py>,
    mask: Borrowed<'py>,
    asked: PyReadwriteArrayDyn<'py, i8>,
    rewards: PyReadwriteArrayDyn<'py, f32>,
    ended: PyReadwriteArrayDyn<'py, bool>,
}

enum Borrowed<'py> {
    Bytes(PyReadwriteArrayDyn<'py, u8>),
    Words(PyReadwriteArrayDyn<'py, u64>),
}

impl Borrowed<'_> {
    fn to(&mut self) -> PyResult<To<'_>> {
        let error = |_| PyValueError::new_err("an array of `out` is not contiguous");
        match self {
            Self::Bytes(array) => Ok(To::Bytes(array.as_slice_mut().map_err(error)?)),
            Self::Words(array) => Ok(To::Words(array.as_slice_mut().map_err(error)?)),
        }
    }
}

fn borrow<'py, T: numpy::Element>(
    array: &Bound<'py, PyAny>,
    name: &str,
    kind: &str,
    shape: &[usize],
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    let wrong = || PyTypeError::new_err(format!("expected a NumPy array of {kind} for `{name}`"));
    let array = array.cast::<PyArrayDyn<T>>().map_err(|_| wrong())?;
    if array.shape() != shape {
        let found = PyTuple::new(array.py(), array.shape())?;
        let shape = PyTuple::new(array.py(), shape)?;
        return Err(PyValueError::new_err(format!("expected shape {shape} for `{name}`, got {found}")));
    }
    if !array.is_c_contiguous() {
        return Err(PyValueError::new_err(format!("expected a contiguous array in C order for `{name}`")));
    }
    array
        .try_readwrite()
        .map_err(|error| PyValueError::new_err(format!("`{name}` cannot be written to: {error}")))
}

/// Many games of the same rules, the Rust half of `gdl.Batch`.
#[pyclass(frozen, module = "gdl._gdl")]
pub(crate) struct Batch {
    game: Arc<Inner>,
    spec: Spec,
    observation_shape: Box<[usize]>,
    mask_shape: Box<[usize]>,
    action_shape: Box<[usize]>,
    threads: usize,
    core: Mutex<Core>,
}

impl Batch {
    fn lock(&self) -> PyResult<MutexGuard<'_, Core>> {
        match self.core.try_lock() {
            Ok(core) => Ok(core),
            Err(TryLockError::Poisoned(core)) => Ok(core.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(PyRuntimeError::new_err("another thread is stepping this batch"))
            }
        }
    }

    fn arrays<'py>(&self, out: &Bound<'py, PyTuple>) -> PyResult<Arrays<'py>> {
        let [observation, mask, asked, rewards, ended]: [Bound<'_, PyAny>; 5] = out.extract()?;
        let spec = &self.spec;
        let rows = |array: &Bound<'py, PyAny>, name: &str, shape: &[usize]| {
            Ok::<_, PyErr>(if spec.packed {
                Borrowed::Words(borrow(array, name, "uint64", shape)?)
            } else {
                Borrowed::Bytes(borrow(array, name, "uint8", shape)?)
            })
        };
        Ok(Arrays {
            observation: rows(&observation, "observation", &self.observation_shape)?,
            mask: rows(&mask, "mask", &self.mask_shape)?,
            asked: borrow(&asked, "to_play", "int8", &[spec.n])?,
            rewards: borrow(&rewards, "rewards", "float32", &[spec.n, spec.roles])?,
            ended: borrow(&ended, "terminated", "bool", &[spec.n])?,
        })
    }

    /// Writes the observations, after a step if `makes` is true.
    fn write(&self, py: Python<'_>, core: &mut Core, arrays: &mut Arrays<'_>, makes: bool) -> PyResult<()> {
        let error = |_| PyValueError::new_err("an array of `out` is not contiguous");
        let mut rest = Sink {
            observation: arrays.observation.to()?,
            mask: arrays.mask.to()?,
            asked: arrays.asked.as_slice_mut().map_err(error)?,
            rewards: arrays.rewards.as_slice_mut().map_err(error)?,
            ended: arrays.ended.as_slice_mut().map_err(error)?,
        };
        let Core { units, steppers, .. } = core;
        py.detach(|| {
            let mut jobs = Vec::with_capacity(units.len());
            for unit in units {
                let (sink, more) = rest.split(unit.len(), &self.spec);
                jobs.push((unit, sink));
                rest = more;
            }
            share(steppers, self.threads, jobs, |stepper, (unit, sink)| {
                unit.step(stepper, &self.game.game, &self.spec, makes, sink);
            });
        });
        Ok(())
    }

    /// Returns `gdl.IllegalMoveError` for the illegal move in the game number `index`.
    fn refusal(
        &self,
        py: Python<'_>,
        units: &[Unit],
        stepper: Option<&Stepper>,
        actions: &[i32],
        index: usize,
    ) -> PyErr {
        let spec = &self.spec;
        let (unit, place) = (&units[index / UNIT], index % UNIT);
        let asked: Vec<usize> = if spec.all {
            (0..spec.roles).filter(|&role| Some(role) != spec.chance).collect()
        } else {
            vec![unit.speaker(stepper, spec, place)]
        };
        let made = || -> PyResult<PyErr> {
            for role in asked {
                let action = actions[if spec.all { index * spec.roles + role } else { index }];
                let legal = unit.legal(stepper, &self.game.game, place, role);
                let number = usize::try_from(action).ok();
                if number.is_some_and(|number| legal.contains(&number)) || action == -1 && legal.len() == 1 {
                    continue;
                }
                let name = &self.game.roles[role];
                let text = number.and_then(|number| self.game.moves.get(number));
                let text = text.map_or_else(|| format!("number {action}"), |text| format!("`{text}`"));
                let message = format!("game {index}: {text} is not legal for `{name}`; nothing was stepped");
                let legal = PyTuple::new(py, legal.iter().map(|&action| self.game.moves[action].bind(py)))?;
                let class = python_class(py, "gdl._errors", "IllegalMoveError")?;
                return Ok(PyErr::from_value(class.call1((message, index, name, legal))?));
            }
            Ok(PyRuntimeError::new_err("a move is not legal"))
        };
        made().unwrap_or_else(|error| error)
    }
}

/// The actions, as numbers of moves: borrowed from the array if its layout fits, otherwise copied
/// to `to`.
fn numbers<'py>(
    actions: &Bound<'py, PyAny>,
    shape: &[usize],
    to: &mut Vec<i32>,
) -> PyResult<Option<PyReadonlyArrayDyn<'py, i32>>> {
    fn read<'py, T: numpy::Element + Copy>(
        array: &Bound<'py, PyArrayDyn<T>>,
        shape: &[usize],
    ) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
        if array.shape() != shape {
            let found = PyTuple::new(array.py(), array.shape())?;
            let shape = PyTuple::new(array.py(), shape)?;
            return Err(PyValueError::new_err(format!(
                "expected shape {shape} for the actions, got {found}"
            )));
        }
        array.try_readonly().map_err(|error| PyValueError::new_err(error.to_string()))
    }
    to.clear();
    if let Ok(array) = actions.cast::<PyArrayDyn<i32>>() {
        let array = read(array, shape)?;
        if array.is_c_contiguous() && array.as_slice().is_ok() {
            return Ok(Some(array));
        }
        to.extend(array.as_array());
    } else if let Ok(array) = actions.cast::<PyArrayDyn<i64>>() {
        // A number that exceeds 32 bits is not a move, so it becomes an invalid number.
        let small = |&number: &i64| i32::try_from(number).unwrap_or(i32::MIN);
        to.extend(read(array, shape)?.as_array().iter().map(small));
    } else {
        return Err(PyTypeError::new_err("expected a NumPy array of int32 or int64 for the actions"));
    }
    Ok(None)
}

/// Seeds of games: a common one, or one for each game.
#[derive(FromPyObject)]
enum Seeds {
    One(u64),
    Each(Vec<u64>),
}

#[pymethods]
impl Batch {
    #[new]
    #[allow(clippy::fn_params_excessive_bools, clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        game: &Bound<'_, Game>,
        n: usize,
        seed: u64,
        autoreset: &str,
        packed: bool,
        percepts: bool,
        planes: bool,
        simultaneous: bool,
        single: bool,
        threads: usize,
    ) -> PyResult<Self> {
        let game = game.get().0.clone();
        let renewal = match autoreset {
            "next_step" => Renewal::NextStep,
            "same_step" => Renewal::SameStep,
            "disabled" => Renewal::Never,
            other => {
                let message =
                    format!("expected `next_step`, `same_step` or `disabled` for autoreset, got `{other}`");
                return Err(PyValueError::new_err(message));
            }
        };
        if n == 0 {
            return Err(PyValueError::new_err("a batch needs at least one game"));
        }
        let shape = game.game.shape();
        if percepts && shape.percepts == 0 {
            return Err(PyValueError::new_err(
                "the rules give no percepts: each role perceives the joint move",
            ));
        }
        if shape.roles > MOST_ROLES {
            let roles = shape.roles;
            return Err(PyValueError::new_err(format!(
                "a batch has at most {MOST_ROLES} roles, not {roles}"
            )));
        }
        if planes && (percepts || packed) {
            return Err(PyValueError::new_err(
                "planes are bytes of the state: use neither `percepts` nor `packed` with them",
            ));
        }
        let planes = if planes { Some(Planes::of_game(&game.game)?) } else { None };
        let bytes = 256 + 8 * (shape.view_words() + shape.state_words() + 2 * shape.moves * shape.roles);
        if n.checked_mul(bytes).is_none_or(|all| all > MOST_BYTES) {
            return Err(PyMemoryError::new_err(format!("{n} games take more than {} GiB", MOST_BYTES >> 30)));
        }
        let stepper = || game.game.table().and_then(|table| Stepper::new(table, Isa::best(), simultaneous));
        let proof = stepper();
        let all = proof.as_ref().is_none_or(Stepper::asks_all);
        let in_planes = proof.as_ref().filter(|_| !single && !percepts);
        let units = n.div_ceil(UNIT);
        let work = units.saturating_mul(in_planes.map_or(ONE_BY_ONE, Stepper::operations));
        let threads = match threads {
            0 => thread::available_parallelism().map_or(1, usize::from),
            threads => threads.min(256),
        };
        let threads = threads.min(units).min(work / WORTH).max(1);
        let steppers: Vec<Stepper> = match in_planes {
            Some(_) => (0..threads).filter_map(|_| stepper()).collect(),
            None => Vec::new(),
        };
        let spec = Spec {
            n,
            roles: shape.roles,
            fluents: shape.fluents,
            moves: shape.moves,
            percepts: shape.percepts,
            chance: game.game.vocabulary().chance(),
            all,
            packed,
            hidden: percepts,
            planes,
            renewal,
            proof,
        };
        let stream = |unit: usize, place: usize| Stream::new(seed, (unit * UNIT + place) as u64);
        let units = (0..units)
            .map(|unit| {
                let length = (n - unit * UNIT).min(UNIT);
                match steppers.first() {
                    Some(stepper) => Unit::Planes(stepper.start(length, |place| stream(unit, place))),
                    None => Unit::Rows(
                        (0..length).map(|place| Single::new(&game.game, stream(unit, place))).collect(),
                    ),
                }
            })
            .collect();
        let core = Mutex::new(Core { units, steppers, actions: Vec::new() });
        let [observation_shape, mask_shape, action_shape] =
            [spec.observation_shape(), spec.mask_shape(), spec.action_shape()].map(Vec::into_boxed_slice);
        Ok(Self { game, spec, observation_shape, mask_shape, action_shape, threads, core })
    }

    /// True if `step` takes one move for each game, false if it takes one for each role of each
    /// game.
    #[getter]
    fn sequential(&self) -> bool {
        !self.spec.all
    }

    /// The engine, `lanes` or `single`.
    #[getter]
    fn engine(&self) -> PyResult<&'static str> {
        Ok(if self.lock()?.steppers.is_empty() { "single" } else { "lanes" })
    }

    #[getter]
    fn observation_shape(&self) -> &[usize] {
        &self.observation_shape
    }

    #[getter]
    fn mask_shape(&self) -> &[usize] {
        &self.mask_shape
    }

    #[getter]
    fn action_shape(&self) -> &[usize] {
        &self.action_shape
    }

    /// Checks the moves of all games, makes them and writes the observations.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>, out: &Bound<'_, PyTuple>) -> PyResult<()> {
        let mut core = self.lock()?;
        let mut arrays = self.arrays(out)?;
        let given = numbers(actions, &self.action_shape, &mut core.actions)?;
        let Core { units, steppers, actions } = &mut *core;
        let actions = match &given {
            Some(array) => array.as_slice().map_err(|error| PyValueError::new_err(error.to_string()))?,
            None => actions,
        };
        let wrong = py.detach(|| {
            let wrong = Mutex::new(None::<usize>);
            let chunks = actions.chunks(UNIT * self.spec.seats());
            let jobs: Vec<_> = units.iter_mut().zip(chunks).enumerate().collect();
            share(steppers, self.threads, jobs, |stepper, (number, (unit, actions))| {
                if let Some(place) = unit.choose(stepper, &self.game.game, &self.spec, actions) {
                    let mut wrong = wrong.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                    let index = number * UNIT + place;
                    *wrong = Some(wrong.map_or(index, |other| other.min(index)));
                }
            });
            wrong.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
        });
        if let Some(index) = wrong {
            return Err(self.refusal(py, units, steppers.first(), actions, index));
        }
        self.write(py, &mut core, &mut arrays, true)
    }

    /// Restarts all games or the marked ones, and writes the observations.
    #[pyo3(signature = (out, seed = None, marked = None))]
    fn reset(
        &self,
        py: Python<'_>,
        out: &Bound<'_, PyTuple>,
        seed: Option<Seeds>,
        marked: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let mut core = self.lock()?;
        let mut arrays = self.arrays(out)?;
        let marked: Option<Vec<bool>> = match marked {
            None => None,
            Some(array) => {
                let wrong =
                    || PyTypeError::new_err("expected a NumPy array of bool for `where`, one for each game");
                let array = array.cast::<PyArray1<bool>>().map_err(|_| wrong())?;
                let array = array.try_readonly().map_err(|error| PyValueError::new_err(error.to_string()))?;
                Some(array.as_array().iter().copied().collect())
            }
        };
        let n = self.spec.n;
        if marked.as_ref().is_some_and(|marked| marked.len() != n) {
            return Err(PyValueError::new_err(format!(
                "expected one value in `where` for each of the {n} games"
            )));
        }
        if matches!(&seed, Some(Seeds::Each(seeds)) if seeds.len() != n) {
            return Err(PyValueError::new_err(format!(
                "expected one seed for each of the {n} games, or one for all"
            )));
        }
        let is_marked = |index: usize| marked.as_ref().is_none_or(|marked| marked[index]);
        let stream = |index: usize| match &seed {
            Some(Seeds::One(seed)) => Some(Stream::new(*seed, index as u64)),
            Some(Seeds::Each(seeds)) => Some(Stream::new(seeds[index], 0)),
            None => None,
        };
        let Core { units, steppers, .. } = &mut *core;
        for (unit, games) in units.iter_mut().enumerate() {
            let marked =
                (0..games.len()).map(|place| (place, unit * UNIT + place)).filter(|pair| is_marked(pair.1));
            for (place, index) in marked {
                match (&mut *games, stream(index)) {
                    (Unit::Planes(games), Some(stream)) => games.seed(place, stream),
                    (Unit::Rows(games), stream) => games[place].reset(&self.game.game, stream),
                    (Unit::Planes(_), None) => {}
                }
            }
            if let (Unit::Planes(games), Some(stepper)) = (games, steppers.first()) {
                stepper.reset(games, |place| is_marked(unit * UNIT + place));
            }
        }
        self.write(py, &mut core, &mut arrays, false)
    }

    /// The state of a game.
    fn state(&self, index: usize) -> PyResult<State> {
        let core = self.lock()?;
        if index >= self.spec.n {
            return Err(PyIndexError::new_err(format!("the batch has {} games", self.spec.n)));
        }
        let bits = core.units[index / UNIT].state(&self.game.game, index % UNIT);
        Ok(State::new(Game(self.game.clone()), bits))
    }
}
