//! Go on nine by nine points with a simple ko and area scoring. Games end after at most 300 steps.

use super::{Position, neighbours};

const SIZE: usize = 9;

type Point = (usize, usize);

/// The stones, the player to move, the ko point and the numbers of passes and steps.
#[derive(Clone)]
pub struct Board {
    /// The player of each stone, by column and row.
    stones: [[Option<usize>; SIZE]; SIZE],
    to_move: usize,
    ko: Option<Point>,
    passes: u32,
    step: u32,
}

impl Default for Board {
    fn default() -> Self {
        Self { stones: Default::default(), to_move: 0, ko: None, passes: 0, step: 1 }
    }
}

impl Board {
    /// The connected points with the content of `start`, and the points next to them.
    fn region(&self, start: Point) -> (Vec<Point>, Vec<Point>) {
        let content = self.stones[start.0][start.1];
        let (mut region, mut around) = (vec![start], Vec::new());
        let mut next = 0;
        while let Some(&point) = region.get(next) {
            next += 1;
            for (x, y) in neighbours(point, SIZE, SIZE) {
                let list = if self.stones[x][y] == content { &mut region } else { &mut around };
                if !list.contains(&(x, y)) {
                    list.push((x, y));
                }
            }
        }
        (region, around)
    }

    fn liberties(&self, point: Point) -> usize {
        self.region(point).1.into_iter().filter(|&(x, y)| self.stones[x][y].is_none()).count()
    }

    /// The position after placing a stone; `None` if the stone would have no liberty.
    fn place(&self, (x, y): Point) -> Option<Self> {
        let mut next = Self { passes: 0, ko: None, ..self.clone() };
        next.stones[x][y] = Some(self.to_move);
        let mut captured = Vec::new();
        for near in neighbours((x, y), SIZE, SIZE) {
            if next.stones[near.0][near.1] == Some(1 - self.to_move) && next.liberties(near) == 0 {
                for stone in next.region(near).0 {
                    next.stones[stone.0][stone.1] = None;
                    captured.push(stone);
                }
            }
        }
        let liberties = next.liberties((x, y));
        if liberties == 1 && captured.len() == 1 && next.region((x, y)).0.len() == 1 {
            next.ko = Some(captured[0]);
        }
        (liberties > 0).then(|| next.turned())
    }

    fn turned(mut self) -> Self {
        self.to_move = 1 - self.to_move;
        self.step += 1;
        self
    }

    fn area(&self, player: usize) -> usize {
        let mut area = 0;
        for x in 0..SIZE {
            for y in 0..SIZE {
                let owner = self.stones[x][y].or_else(|| {
                    let (_, around) = self.region((x, y));
                    let owners: Vec<_> = around.iter().filter_map(|&(x, y)| self.stones[x][y]).collect();
                    owners.first().copied().filter(|first| owners.iter().all(|owner| owner == first))
                });
                area += usize::from(owner == Some(player));
            }
        }
        area
    }
}

impl Position for Board {
    fn moves(&self) -> Vec<(String, Self)> {
        if self.passes == 2 || self.step == 300 {
            return Vec::new();
        }
        let pass = Self { passes: self.passes + 1, ko: None, ..self.clone() }.turned();
        let mut moves = vec![("pass".to_owned(), pass)];
        for x in 0..SIZE {
            for y in 0..SIZE {
                if self.stones[x][y].is_none()
                    && self.ko != Some((x, y))
                    && let Some(next) = self.place((x, y))
                {
                    moves.push((format!("(place {} {})", x + 1, y + 1), next));
                }
            }
        }
        moves
    }

    fn to_move(&self) -> usize {
        self.to_move
    }

    fn goals(&self) -> Vec<u8> {
        super::goals_of(Some(usize::from(self.area(0) < self.area(1) + 8)))
    }
}
