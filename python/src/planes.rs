//! States as planes: [`Planes`] have the place of each fluent if [`Board`] finds a grid in the
//! names of fluents.
//!
//! A channel is a mark of a board, such as `x`. A cell of it is set if the fluent of that mark and
//! cell holds; each board has its own channels. After these, each fluent outside the boards, such
//! as `(control x)`, has a channel with equal cells. So planes contain the whole row of fluents.

use crate::load::Game;
use gdl_runtime::{Dynamic, Game as _, bits, board::Board, engine::CLEAR};
use pyo3::{exceptions::PyValueError, prelude::*};
use std::collections::{BTreeMap, btree_map::Entry};

/// The most places, one for each cell of each channel.
const MOST_PLACES: usize = 1 << 20;

/// The layout of states as planes: the fluent at each place.
#[derive(Clone)]
pub(crate) struct Planes {
    /// The name of each channel.
    pub(crate) channels: Vec<String>,
    pub(crate) height: usize,
    pub(crate) width: usize,
    /// The number of the fluent at each place, or [`CLEAR`], by channel, row from the top and
    /// column.
    pub(crate) fluents: Vec<u32>,
}

impl Planes {
    /// The planes of a game. `None` if its fluents show no board, or there would be more than 2^20
    /// places.
    fn new(game: &Dynamic) -> Option<Self> {
        let board = Board::of(game)?;
        let names = game.vocabulary().fluents();
        let (height, width) = (board.rows().len(), board.columns().len());
        let cells = height * width;
        // The fluent of each mark and cell, by board, and the fluents outside all boards.
        let mut marks: BTreeMap<(usize, usize), BTreeMap<usize, usize>> = BTreeMap::new();
        let mut others = Vec::new();
        for fluent in 0..names.len() {
            let place = board
                .place(fluent)
                .map(|(cell, mark)| marks.entry((cell / cells, mark)).or_default().entry(cell % cells));
            match place {
                Some(Entry::Vacant(place)) => _ = place.insert(fluent),
                // Two fluents may name the same cell, such as 1 and 01; the second becomes a
                // channel.
                Some(Entry::Occupied(_)) | None => others.push(fluent),
            }
        }
        let count = marks.len() + others.len();
        let places = count.checked_mul(cells).filter(|&places| places <= MOST_PLACES)?;
        let mut channels = Vec::with_capacity(count);
        let mut fluents = vec![CLEAR; marks.len() * cells];
        for ((&(grid, mark), list), to) in marks.iter().zip(fluents.chunks_mut(cells)) {
            let name = [board.grids()[grid].as_str(), &board.marks()[mark].text];
            channels.push(name.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "));
            list.iter().for_each(|(&cell, &fluent)| to[cell] = fluent as u32);
        }
        fluents.reserve(places - fluents.len());
        for fluent in others {
            channels.push(names.get(fluent).unwrap_or_default().to_owned());
            fluents.extend(std::iter::repeat_n(fluent as u32, cells));
        }
        Some(Self { channels, height, width, fluents })
    }

    /// The planes of a game.
    ///
    /// # Errors
    /// Returns a `ValueError` if the fluents show no board, or there would be more than 2^20
    /// places.
    pub(crate) fn of_game(game: &Dynamic) -> PyResult<Self> {
        Self::new(game).ok_or_else(|| {
            PyValueError::new_err("the fluents of the game show no board, so there are no planes")
        })
    }

    /// Writes the planes of a state, one byte for each place.
    pub(crate) fn show(&self, state: &[u64], to: &mut [u8]) {
        let holds = |fluent: u32| fluent != CLEAR && bits::test(state, fluent as usize);
        to.iter_mut().zip(&self.fluents).for_each(|(to, &fluent)| *to = holds(fluent).into());
    }
}

/// The channels, the height, the width and the number of the fluent at each place, -1 for none.
#[pyfunction]
pub(crate) fn planes(game: &Bound<'_, Game>) -> PyResult<(Vec<String>, usize, usize, Vec<i32>)> {
    let Planes { channels, height, width, fluents } = Planes::of_game(&game.get().0.game)?;
    Ok((channels, height, width, fluents.into_iter().map(u32::cast_signed).collect()))
}
