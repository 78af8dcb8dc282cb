//! The modes of playouts and perft: one state at a time, or lanes.

/// The mode of playouts and perft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum PlayoutMode {
    /// One game after the other, by the game's engine for single states.
    Single,
    /// 512 games at once, by straight-line code if the game has it for the instruction set,
    /// otherwise from the game's table. Release builds have that code for games that
    /// [`gdl!`](crate::gdl) compiled within its budget.
    Lanes,
    /// 512 games at once, from the game's table.
    TableLanes,
}
