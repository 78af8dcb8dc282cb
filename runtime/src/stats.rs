//! Statistics of playouts: counts of how games ended, with rates and means computed from them.

use crate::{
    bits,
    game::Shape,
    mode::PlayoutMode,
    simd::Isa,
    vocabulary::{Texts, Vocabulary},
};
use gdl_format::lanes::Item;
use std::fmt;

/// The counts of a run of playouts, all whole numbers, so that tallies of parts can be added in any
/// order. Equal games, engines, seeds and counts give equal tallies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Tally {
    /// Games played, unfinished ones included.
    pub playouts: u64,
    /// The number of joint moves made; terminal states are not counted.
    pub states: u64,
    /// Games abandoned because they reached the greatest length.
    pub too_long: u64,
    /// Games abandoned because a role had no legal move in a state that is not terminal.
    pub stuck: u64,
    /// Games that ended in a terminal state where some role other than chance has no goal value or
    /// several. They count for no role.
    pub unscored: u64,
    /// The results of each role.
    pub roles: Vec<RoleTally>,
}

/// The results of one role. Chance has no wins, draws and losses; its goal counts for its mean if
/// it has exactly one value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RoleTally {
    /// The sum of the goal values.
    pub goals: u64,
    /// The sum of the squares of the goal values.
    pub squares: u64,
    /// Games in which the role's goal exceeds the goals of all other roles except chance. For the
    /// only such role, games with goal 100.
    pub wins: u64,
    /// Games in which the role shares the greatest goal with another role.
    pub draws: u64,
    /// All other scored games.
    pub losses: u64,
}

/// The numbers of games by the way they ended, and the number of their moves.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    /// The number of games.
    pub games: u64,
    /// The number of joint moves made in these games.
    pub moves: u64,
    /// The number of games that ended with one goal value for each role other than chance.
    pub scored: u64,
    /// The number of games that were abandoned as too long.
    pub too_long: u64,
    /// The number of games that were abandoned where a role had no legal move.
    pub stuck: u64,
}

impl Tally {
    /// Creates an empty tally for `roles` roles.
    #[must_use]
    pub fn new(roles: usize) -> Self {
        Self { roles: vec![RoleTally::default(); roles], ..Self::default() }
    }

    /// The number of games that ended with one goal value for each role other than chance.
    #[must_use]
    pub fn scored(&self) -> u64 {
        self.playouts - self.unfinished() - self.unscored
    }

    /// The number of games that were abandoned: [`Tally::too_long`] and [`Tally::stuck`].
    #[must_use]
    pub fn unfinished(&self) -> u64 {
        self.too_long + self.stuck
    }

    /// The mean number of joint moves of a playout; 0 without playouts.
    #[must_use]
    pub fn mean_length(&self) -> f64 {
        ratio(self.states as f64, self.playouts as f64)
    }

    /// A role's mean goal over the scored games; 0 without scored games or if there is no such
    /// role.
    #[must_use]
    pub fn mean_goal(&self, role: usize) -> f64 {
        let sum = self.roles.get(role).map_or(0, |role| role.goals);
        ratio(sum as f64, self.scored() as f64)
    }

    /// The standard error of [`Tally::mean_goal`]; 0 for fewer than two scored games.
    #[must_use]
    pub fn goal_error(&self, role: usize) -> f64 {
        let games = self.scored();
        let Some(role) = self.roles.get(role).filter(|_| games > 1) else { return 0.0 };
        // Whole numbers avoid cancellation: `spread` is n^2 times the variance.
        let (n, sum) = (u128::from(games), u128::from(role.goals));
        let spread = (n * u128::from(role.squares)).saturating_sub(sum * sum) as f64;
        let n = games as f64;
        (spread / n / (n - 1.0) / n).sqrt()
    }

    /// Like [`Stats::has_goals`], with the role that stands for chance as an argument.
    #[doc(hidden)]
    #[must_use]
    pub fn has_goals(&self, role: usize, chance: Option<usize>) -> bool {
        let is_aimless = chance == Some(role) && self.roles.get(role).is_none_or(|role| role.goals == 0);
        self.scored() > 0 && !is_aimless
    }

    /// Adds the games of another tally.
    pub fn merge(&mut self, other: &Self) {
        self.playouts += other.playouts;
        self.states += other.states;
        self.too_long += other.too_long;
        self.stuck += other.stuck;
        self.unscored += other.unscored;
        self.roles.iter_mut().zip(&other.roles).for_each(|(role, other)| role.merge(other));
    }

    /// Adds games, given the number of games with each item. Wins, draws and losses leave out
    /// `chance`.
    #[doc(hidden)]
    pub fn count(
        &mut self,
        counts: &Counts,
        items: impl IntoIterator<Item = (Item, u64)>,
        chance: Option<usize>,
    ) {
        let &Counts { games, moves, scored, too_long, stuck } = counts;
        self.playouts += games;
        self.states += moves;
        self.too_long += too_long;
        self.stuck += stuck;
        self.unscored += games - too_long - stuck - scored;
        let players = (0..self.roles.len()).filter(|&role| chance != Some(role));
        players.clone().for_each(|role| self.roles[role].losses += scored);
        for (item, number) in items {
            match item {
                Item::Goal { role, value } => {
                    let value = u64::from(value);
                    self.roles[role].goals += number * value;
                    self.roles[role].squares += number * value * value;
                }
                Item::Win { role } => {
                    self.roles[role].wins += number;
                    self.roles[role].losses -= number;
                }
                Item::Draw { role } => {
                    self.roles[role].draws += number;
                    self.roles[role].losses -= number;
                }
                Item::BothDraw => {
                    for role in players.clone() {
                        self.roles[role].draws += number;
                        self.roles[role].losses -= number;
                    }
                }
            }
        }
    }

    /// Counts the goal values of one game, one for each role.
    #[inline]
    fn score(&mut self, values: &[u8]) {
        RoleTally::count(self.roles.iter_mut(), values);
    }

    /// Counts the goal values of one game, one for each role other than `chance`, in role order.
    fn score_players(&mut self, values: &[u8], chance: usize) {
        let players = self.roles.iter_mut().enumerate().filter(|&(role, _)| role != chance);
        RoleTally::count(players.map(|(_, role)| role), values);
    }
}

impl RoleTally {
    /// Counts the goal values of one game for these roles, which are all roles except chance.
    #[inline]
    pub fn count<'t>(roles: impl Iterator<Item = &'t mut Self>, values: &[u8]) {
        // A single role wins with goal 100.
        let best = if let [_] = values { 100 } else { values.iter().copied().max().unwrap_or(0) };
        let shared = values.iter().map(|&value| u64::from(value == best)).sum::<u64>();
        for (role, &value) in roles.zip(values) {
            let first = value == best;
            role.add(value);
            role.wins += u64::from(first && shared == 1);
            role.draws += u64::from(first && shared > 1);
            role.losses += u64::from(!first);
        }
    }

    /// The number of scored games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Adds the results of another tally.
    pub fn merge(&mut self, other: &Self) {
        self.goals += other.goals;
        self.squares += other.squares;
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
    }

    #[inline]
    fn add(&mut self, goal: u8) {
        let goal = u64::from(goal);
        self.goals += goal;
        self.squares += goal * goal;
    }
}

/// Reads the goals of terminal states into a tally.
#[derive(Clone, Debug)]
pub(crate) struct Scorer {
    shape: Shape,
    /// The role that stands for chance, which needs no goal value.
    chance: Option<usize>,
    /// Role and value of each goal bit.
    goals: Vec<(u32, u8)>,
    /// The goal values of one game; a buffer that is reused.
    values: Vec<u8>,
}

impl Scorer {
    pub(crate) fn new(shape: Shape, vocabulary: &Vocabulary) -> Self {
        let goals = (0..shape.roles)
            .flat_map(|role| vocabulary.goals_of(role).iter().map(move |&value| (role as u32, value)))
            .collect();
        Self { shape, chance: vocabulary.chance(), goals, values: vec![0; shape.roles] }
    }

    /// Counts a game that ended in the observed terminal state.
    #[inline]
    pub(crate) fn score(&mut self, view: &[u64], tally: &mut Tally) {
        if let Some(chance) = self.chance {
            self.score_players(view, chance, tally);
            return;
        }
        let words = view.get(self.shape.goal_bit() / 64..).unwrap_or(&[]);
        let mut found = 0;
        // The terminal bit comes after the goal bits and ends the search.
        for &(role, value) in bits::ones(words).map_while(|bit| self.goals.get(bit)) {
            // Goal bits are sorted by role, so exactly one value for each role gives 0, 1, 2, ..
            // here.
            if role as usize != found {
                tally.unscored += 1;
                return;
            }
            self.values[found] = value;
            found += 1;
        }
        if found == self.shape.roles {
            tally.score(&self.values);
        } else {
            tally.unscored += 1;
        }
    }

    /// Like [`Self::score`], for a game with chance, whose role may have any number of goal values.
    fn score_players(&mut self, view: &[u64], chance: usize, tally: &mut Tally) {
        let words = view.get(self.shape.goal_bit() / 64..).unwrap_or(&[]);
        let mut found = 0;
        let (mut goals, mut goal) = (0, 0);
        for &(role, value) in bits::ones(words).map_while(|bit| self.goals.get(bit)) {
            if role as usize == chance {
                (goals, goal) = (goals + 1, value);
            } else if role as usize != found + usize::from(found >= chance) {
                tally.unscored += 1;
                return;
            } else {
                self.values[found] = value;
                found += 1;
            }
        }
        if found < self.shape.roles - 1 {
            tally.unscored += 1;
            return;
        }
        tally.score_players(&self.values[..found], chance);
        if goals == 1 {
            tally.roles[chance].add(goal);
        }
    }
}

/// The results of a run of playouts. `Display` writes a report of a few lines.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Stats {
    /// The counts, which do not depend on time.
    pub tally: Tally,
    /// The names of the roles.
    pub roles: Texts,
    /// The role that stands for chance.
    pub chance: Option<usize>,
    /// The seed of the run.
    pub seed: u64,
    /// The engine that played.
    pub engine: PlayoutMode,
    /// The instruction set of the lanes; [`Isa::Portable`] if games were not played in lanes.
    pub isa: Isa,
    /// The number of threads that played.
    pub threads: usize,
    /// The elapsed time in seconds.
    pub seconds: f64,
    /// The processor time of all threads in seconds. If the system has no such count, or has not
    /// updated it in a run of milliseconds, each thread's elapsed time counts instead.
    pub cpu_seconds: f64,
}

impl Stats {
    /// Playouts per second of elapsed time.
    #[must_use]
    pub fn playouts_per_second(&self) -> f64 {
        ratio(self.tally.playouts as f64, self.seconds)
    }

    /// States per second of elapsed time; see [`Tally::states`].
    #[must_use]
    pub fn states_per_second(&self) -> f64 {
        ratio(self.tally.states as f64, self.seconds)
    }

    /// The mean number of joint moves of a playout.
    #[must_use]
    pub fn mean_length(&self) -> f64 {
        self.tally.mean_length()
    }

    /// Returns true if [`Stats::mean_goal`] is meaningful for a role: there are scored games, and
    /// the role has a positive sum of goals if it stands for chance.
    #[must_use]
    pub fn has_goals(&self, role: usize) -> bool {
        self.tally.has_goals(role, self.chance)
    }

    /// A role's mean goal over the scored games; 0 without scored games or if there is no such
    /// role. See [`Stats::has_goals`].
    #[must_use]
    pub fn mean_goal(&self, role: usize) -> f64 {
        self.tally.mean_goal(role)
    }

    /// The standard error of [`Stats::mean_goal`]; 0 for fewer than two scored games.
    #[must_use]
    pub fn goal_error(&self, role: usize) -> f64 {
        self.tally.goal_error(role)
    }
}

fn ratio(dividend: f64, divisor: f64) -> f64 {
    if divisor > 0.0 { dividend / divisor } else { 0.0 }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { tally, roles, chance, seed, threads, seconds, cpu_seconds, .. } = self;
        let plural = if *threads == 1 { "thread" } else { "threads" };
        let how = format_args!("{cpu_seconds:.3} s of processor, {threads} {plural}, seed {seed}");
        Report { tally, roles, chance: *chance, seconds: *seconds, how }.fmt(f)
    }
}

/// The report of a tally in a few lines, for [`Stats`] and for runs on other devices.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// The counts.
    pub tally: &'a Tally,
    /// The names of the roles.
    pub roles: &'a Texts,
    /// The role that stands for chance.
    pub chance: Option<usize>,
    /// The elapsed time in seconds.
    pub seconds: f64,
    /// Further remarks on the run, printed after the time.
    pub how: fmt::Arguments<'a>,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self { tally, roles, chance, seconds, how } = self;
        let rates = [tally.playouts, tally.states].map(|number| (number, ratio(number as f64, seconds)));
        let width = thousands(tally.states.max(tally.playouts)).len().max(9);
        for (name, (number, rate)) in ["playouts", "states"].iter().zip(rates) {
            writeln!(f, "{name:<9} {:>width$}   {:>8}/s", thousands(number), scaled(rate))?;
        }
        writeln!(f, "length    {:>width$.2}   moves a playout", tally.mean_length())?;
        writeln!(f, "time      {:>width$}   {how}", format!("{seconds:.3} s"))?;
        let longest = roles.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(4);
        write!(f, "{:<longest$}   mean goal                 wins     draws    losses", "role")?;
        for (i, (name, role)) in roles.iter().zip(&tally.roles).enumerate() {
            // Chance usually has no goals, and one game gives no standard error.
            let unless = |unknown, figure: String| if unknown { "-".to_owned() } else { figure };
            let aimless = !tally.has_goals(i, chance);
            let share = |games: u64| {
                let percent = 100.0 * ratio(games as f64, tally.scored() as f64);
                unless(tally.scored() == 0 || chance == Some(i), format!("{percent:.2} %"))
            };
            write!(
                f,
                "\n{name:<longest$}   {:>9} ± {:<9} {:>9} {:>9} {:>9}",
                unless(aimless, format!("{:.3}", tally.mean_goal(i))),
                unless(aimless || tally.scored() < 2, format!("{:.3}", tally.goal_error(i))),
                share(role.wins),
                share(role.draws),
                share(role.losses)
            )?;
        }
        for (number, what) in [
            (tally.too_long, "were abandoned as too long"),
            (tally.stuck, "were abandoned where a role had no legal move"),
            (tally.unscored, "ended without one goal value for each player"),
        ] {
            if number > 0 {
                write!(f, "\n{} playouts {what}", thousands(number))?;
            }
        }
        Ok(())
    }
}

/// Formats a number with a comma after every three digits: `1,234,567`.
#[must_use]
pub fn thousands(number: impl Into<u128>) -> String {
    let digits = number.into().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with about three digits and a metric prefix: `2.41 M`.
fn scaled(number: f64) -> String {
    let (mut number, mut prefix) = (number, "");
    for next in ["k", "M", "G", "T"] {
        if number < 999.5 {
            break;
        }
        (number, prefix) = (number / 1000.0, next);
    }
    let digits = match number {
        n if n < 9.995 => 2,
        n if n < 99.95 => 1,
        _ => 0,
    };
    format!("{number:.digits$} {prefix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(games: &[&[u8]]) -> Tally {
        let mut tally = Tally::new(games[0].len());
        for values in games {
            tally.playouts += 1;
            tally.states += 3;
            tally.score(values);
        }
        tally
    }

    #[test]
    fn wins_are_goals_above_all_others() {
        let two = tally(&[&[100, 0], &[50, 50], &[0, 100], &[30, 20]]);
        let (a, b) = (two.roles[0], two.roles[1]);
        assert_eq!((a.wins, a.draws, a.losses), (2, 1, 1));
        assert_eq!((b.wins, b.draws, b.losses), (1, 1, 2));
        let three = tally(&[&[40, 40, 20], &[0, 0, 0]]);
        assert_eq!((three.roles[0].draws, three.roles[2].losses, three.roles[2].draws), (2, 1, 1));
        let one = tally(&[&[100], &[99], &[0]]);
        assert_eq!((one.roles[0].wins, one.roles[0].draws, one.roles[0].losses), (1, 0, 2));
    }

    /// The first role is chance, whose goals may be missing. Then the other role has no opponent.
    #[test]
    fn chance_neither_wins_nor_loses() {
        let none = || Texts::new::<&str>([]);
        let vocabulary = Vocabulary::new(
            Texts::new(["random", "p"]),
            none(),
            none(),
            vec![Vec::new(); 2],
            vec![vec![10, 90], vec![0, 100]],
        );
        let shape = Shape { roles: 2, fluents: 0, moves: 0, goals: 4, percepts: 0 };
        let mut scorer = Scorer::new(shape, &vocabulary.with_chance(0));
        let mut tally = Tally::new(2);
        // The views of four games: won, lost with a goal of chance, won with two goals of chance,
        // without a goal.
        for view in [0b1_1000, 0b1_0110, 0b1_1011, 0b1_0001] {
            tally.playouts += 1;
            scorer.score(&[view], &mut tally);
        }
        let [chance, player] = tally.roles[..] else { panic!("two roles") };
        assert_eq!(chance, RoleTally { goals: 90, squares: 8100, ..RoleTally::default() });
        assert_eq!((player.wins, player.draws, player.losses, player.goals), (2, 0, 1, 200));
        assert_eq!((tally.unscored, tally.scored()), (1, 3));
    }

    /// Two seconds of one thread.
    fn stats(tally: Tally, roles: [&str; 2], chance: Option<usize>) -> Stats {
        Stats {
            tally,
            roles: Texts::new(roles),
            chance,
            seed: 1,
            engine: PlayoutMode::Single,
            isa: Isa::Portable,
            threads: 1,
            seconds: 2.0,
            cpu_seconds: 1.5,
        }
    }

    #[test]
    fn means_and_errors() {
        let stats = stats(tally(&[&[100, 0], &[50, 50], &[0, 100], &[50, 50]]), ["x", "o"], None);
        assert!((stats.mean_goal(0) - 50.0).abs() < 1e-12);
        // The deviation is sqrt(5000 / 3).
        assert!((stats.goal_error(0) - (5000.0_f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
        assert!((stats.mean_length() - 3.0).abs() < 1e-12);
        assert!((stats.playouts_per_second() - 2.0).abs() < 1e-12);
        assert_eq!(
            stats.to_string(),
            "\
playouts          4      2.00 /s
states           12      6.00 /s
length         3.00   moves a playout
time        2.000 s   1.500 s of processor, 1 thread, seed 1
role   mean goal                 wins     draws    losses
x         50.000 ± 20.412      25.00 %   50.00 %   25.00 %
o         50.000 ± 20.412      25.00 %   50.00 %   25.00 %"
        );
    }

    #[test]
    fn without_scored_games_nothing_is_said_of_goals() {
        let tally = Tally { playouts: 2, states: 6, too_long: 2, ..Tally::new(2) };
        let mut stats = stats(tally, ["x", "random"], Some(1));
        assert!(!stats.has_goals(0) && !stats.has_goals(1));
        let text = stats.to_string();
        let row: Vec<&str> = text.lines().nth(5).expect("a row for x").split_whitespace().collect();
        assert_eq!(row, ["x", "-", "±", "-", "-", "-", "-"], "{text}");
        // A lost game counts as scored, though the sum of its goals is 0.
        stats.tally.playouts += 1;
        stats.tally.roles[0].losses += 1;
        assert!(stats.has_goals(0) && !stats.has_goals(1));
        stats.tally.roles[1].goals += 50;
        assert!(stats.has_goals(1));
    }

    #[test]
    fn numbers_for_people() {
        let numbers = [0, 12, 999, 1_000, 255_168, 12_345_678, 1_000_000_000_u64].map(thousands);
        assert_eq!(numbers, ["0", "12", "999", "1,000", "255,168", "12,345,678", "1,000,000,000"]);
        assert_eq!(scaled(0.0), "0.00 ");
        assert_eq!(scaled(999.4), "999 ");
        assert_eq!(scaled(2_409_000.0), "2.41 M");
        assert_eq!(scaled(99_960.0), "100 k");
    }
}
