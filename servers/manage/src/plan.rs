//! Plans: the matches of a schedule, in the order in which they are played.
//!
//! A [`Plan`] is a [`Schedule`] with its compiled rulesheets, which determine the matches. A
//! repetition plays each game with every choice of players for its seats, and each choice in all
//! seat orders of the schedule. All matches of a choice have the same seed, so no player is luckier
//! than another.

use crate::{
    fault::ScheduleFault,
    schedule::{Entrant, Schedule, Seats},
    store::bounds::MOST_SEATS,
};
use gdl_compiler::Source;
use gdl_network::Sheet;
use gdl_players::Referee;
use gdl_runtime::{Dynamic, Game, GameExt, chance::Stream, game::Id};
use gdl_tools::{
    error::{Error, Result},
    fingerprint::fingerprint,
    output::{counted, thousands},
    report,
};
use serde_json::{Value, json};
use std::time::Duration;

/// The most matches of a plan.
pub const MOST_MATCHES: u64 = 1_000_000;

/// The delay that is allowed for the transmission of an answer.
pub(crate) const GRACE: Duration = Referee::<Dynamic>::DEFAULT_GRACE;

/// A schedule with its compiled games.
#[derive(Debug)]
pub struct Plan {
    pub(crate) schedule: Schedule,
    pub(crate) games: Vec<PlayedGame>,
}

/// A game of a plan.
#[derive(Debug)]
pub(crate) struct PlayedGame {
    pub(crate) name: String,
    pub(crate) fingerprint: String,
    pub(crate) source: Source,
    /// The rulesheet in the form that remote players receive; `None` without remote players.
    pub(crate) sheet: Option<Sheet>,
    pub(crate) game: Dynamic,
    /// The indices of the roles except chance.
    pub(crate) roles: Vec<usize>,
    /// The seatings of one repetition: the number of the choice, and the player of each seat.
    seatings: Vec<(u64, Vec<usize>)>,
}

impl PlayedGame {
    /// Returns the name of a role.
    pub(crate) fn role(&self, role: usize) -> &str {
        self.game.vocabulary().roles().get(role).unwrap_or_default()
    }
}

/// A match of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Planned<'p> {
    /// The index of the game in the plan.
    pub(crate) game: usize,
    /// The number of the repetition, from 0.
    pub(crate) repetition: u64,
    /// The player in each seat, by index in the schedule.
    pub(crate) seated: &'p [usize],
    /// The seed of the match; below 2^63, since `SQLite` integers are signed.
    pub(crate) seed: u64,
}

impl Plan {
    /// Creates the plan of a schedule, and compiles the rulesheets of the schedule.
    ///
    /// # Errors
    /// Returns an error if a rulesheet has errors, its seats cannot be taken, or there would be too
    /// many matches.
    pub fn new(schedule: Schedule) -> Result<Self> {
        let mut games: Vec<PlayedGame> = Vec::new();
        let mut choices = 0;
        let is_sent = schedule.players.iter().any(|player| player.spec.is_remote());
        for argument in &schedule.games {
            let (source, options) = argument.get_ref().source()?;
            let game = argument.get_ref().tabled(None)?;
            let chance = game.chance_role();
            let roles: Vec<usize> =
                game.roles().filter(|&role| Some(role) != chance).map(Id::index).collect();
            let name = argument.get_ref().name();
            let before = games.iter().map(|game| game.seatings.len() as u64).sum();
            let seatings = seatings(&schedule, &name, roles.len(), before, &mut choices);
            let seatings = seatings.map_err(|mut fault| {
                fault.span = Some(argument.span());
                Error::Input(fault.render(&schedule.source))
            })?;
            games.push(PlayedGame {
                fingerprint: fingerprint(source.text(), options.case_sensitive),
                sheet: if is_sent { Some(sheet(&source)?) } else { None },
                source,
                name,
                game,
                roles,
                seatings,
            });
        }
        let plan = Self { schedule, games };
        if plan.matches() > MOST_MATCHES {
            let matches = thousands(plan.matches());
            let fault = ScheduleFault::whole(format!(
                "the schedule comes to {matches} matches, more than {MOST_MATCHES}"
            ));
            let fault = fault.help("lower `repetitions`, or write `seats = \"rotated\"`");
            return Err(Error::Input(fault.render(&plan.schedule.source)));
        }
        Ok(plan)
    }

    /// Returns the number of matches.
    #[must_use]
    pub fn matches(&self) -> u64 {
        self.schedule.terms.repetitions.saturating_mul(self.each())
    }

    /// The number of joint moves after which a match is abandoned.
    pub const MOST_STEPS: usize = Referee::<Dynamic>::DEFAULT_MAX_STEPS;

    /// Returns the start clock and the play clock. `None` without clocks.
    #[must_use]
    pub fn clocks(&self) -> Option<[Duration; 2]> {
        self.schedule.terms.clocks()
    }

    /// Returns the longest time that all matches can take, one after the other. `None` without
    /// clocks.
    #[must_use]
    pub fn longest(&self) -> Option<Duration> {
        let clocks = self.clocks()?;
        let [start, play] = clocks.map(|clock| (clock + GRACE).as_secs_f64());
        let seconds = self.matches() as f64 * (start + Self::MOST_STEPS as f64 * play);
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// Returns the number of matches of one repetition.
    fn each(&self) -> u64 {
        self.games.iter().map(|game| game.seatings.len() as u64).sum()
    }

    /// Returns the match with this number, counted from 1.
    pub(crate) fn get(&self, number: u64) -> Planned<'_> {
        let each = self.each();
        let (repetition, mut place) = ((number - 1) / each, (number - 1) % each);
        let mut game = 0;
        while place >= self.games[game].seatings.len() as u64 {
            place -= self.games[game].seatings.len() as u64;
            game += 1;
        }
        let (choice, seated) = &self.games[game].seatings[place as usize];
        let mut luck = Stream::new(self.schedule.terms.seed, repetition * MOST_MATCHES + choice);
        Planned { game, repetition, seated, seed: luck.bits() >> 1 }
    }

    /// Returns the names of the players, in the order of the schedule.
    #[must_use]
    pub fn players(&self) -> impl ExactSizeIterator<Item = &str> {
        self.entrants().iter().map(|player| player.name.as_str())
    }

    pub(crate) fn entrants(&self) -> &[Entrant] {
        &self.schedule.players
    }

    /// Returns all settings that matches depend on, by name. Plans with equal parts have equal
    /// matches.
    pub(crate) fn parts(&self) -> Vec<(&'static str, Value)> {
        let games = self.games.iter().map(|game| json!([game.name, game.fingerprint]));
        let players = self.entrants().iter().map(|player| json!([player.name, player.spec.to_string()]));
        vec![
            ("games", games.collect()),
            ("players", players.collect()),
            ("terms", json!(self.schedule.terms)),
        ]
    }

    /// Iterates over the games: the name, the number of roles except chance, and the number of
    /// matches of one repetition.
    pub fn games(&self) -> impl Iterator<Item = (&str, usize, usize)> {
        self.games.iter().map(|game| (game.name.as_str(), game.roles.len(), game.seatings.len()))
    }

    /// Returns the terms of the matches as JSON.
    #[must_use]
    pub fn terms(&self) -> Value {
        json!(self.schedule.terms)
    }
}

/// Creates the sheet of a rulesheet. If the rulesheet cannot be sent, prints its errors to stderr.
fn sheet(source: &Source) -> Result<Sheet> {
    Sheet::new(source).map_err(|faults| {
        report::show(&faults, source);
        Error::Rules(Box::new((source.clone(), *faults)))
    })
}

/// Returns the seatings of a game. `before` counts the matches of earlier games; `choices` counts
/// all choices.
fn seatings(
    schedule: &Schedule,
    name: &str,
    seats: usize,
    before: u64,
    choices: &mut u64,
) -> std::result::Result<Vec<(u64, Vec<usize>)>, ScheduleFault> {
    let players = schedule.players.len();
    if seats == 0 {
        return Err(ScheduleFault::whole(format!("`{name}` has no role for a player")));
    }
    if seats > MOST_SEATS {
        return Err(ScheduleFault::whole(format!("`{name}` takes {seats} players, more than {MOST_SEATS}")));
    }
    if players < seats
        && let Some(elsewhere) = schedule.players.iter().find(|player| player.spec.is_remote())
    {
        let (takes, found) = (counted(seats, "player"), counted(players, "player"));
        let message = format!("`{name}` takes {takes}, and there are {found}: some would have two seats");
        let help =
            format!("`{}` is a remote player and plays one match at a time: add players", elsewhere.name);
        return Err(ScheduleFault::whole(message).help(help));
    }
    let mut all = Vec::new();
    for choice in Choices::new(players, seats) {
        for seated in orders(schedule.terms.seats, choice) {
            if before + all.len() as u64 == MOST_MATCHES {
                let message = format!("with `{name}` there are more than {MOST_MATCHES} matches");
                return Err(ScheduleFault::whole(message)
                    .help("there are too many games, or too many players for the seats"));
            }
            all.push((*choices, seated));
        }
        *choices += 1;
    }
    Ok(all)
}

/// An iterator over the choices of players for some seats, in lexicographic order. If there are
/// fewer players than seats, each player has at least one seat.
struct Choices {
    players: usize,
    seats: usize,
    /// The next ascending sequence: the indices of the players. With fewer players than seats, it
    /// has the last seat of each player except the last player.
    next: Option<Vec<usize>>,
}

impl Choices {
    fn new(players: usize, seats: usize) -> Self {
        let chosen = if players >= seats { seats } else { players - 1 };
        Self { players, seats, next: Some((0..chosen).collect()) }
    }

    fn below(&self) -> usize {
        if self.players >= self.seats { self.players } else { self.seats - 1 }
    }
}

impl Iterator for Choices {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let below = self.below();
        let current = self.next.take()?;
        let movable = (0..current.len()).rev().find(|&i| current[i] < below - (current.len() - i));
        self.next = movable.map(|i| {
            let fixed = current[..i].iter().copied();
            fixed.chain((current[i] + 1..).take(current.len() - i)).collect()
        });
        if self.players >= self.seats {
            return Some(current);
        }
        Some((0..self.seats).map(|seat| current.partition_point(|&cut| cut < seat)).collect())
    }
}

/// Iterates over the distinct orders of a choice of players in their seats.
fn orders(seats: Seats, choice: Vec<usize>) -> Box<dyn Iterator<Item = Vec<usize>>> {
    match seats {
        Seats::Fixed => Box::new(std::iter::once(choice)),
        Seats::Rotated => {
            let turned = move |shift: usize| -> Vec<usize> {
                (0..choice.len()).map(|seat| choice[(seat + shift) % choice.len()]).collect()
            };
            let first = turned(0);
            let period = (1..first.len()).find(|&shift| turned(shift) == first).unwrap_or(first.len());
            Box::new((0..period).map(turned))
        }
        Seats::Permuted => Box::new(std::iter::successors(Some(choice), |order| {
            // The next permutation in lexicographic order.
            let falls = order.windows(2).rposition(|pair| pair[0] < pair[1])?;
            let greater = order.iter().rposition(|&player| player > order[falls])?;
            let mut next = order.clone();
            next.swap(falls, greater);
            next[falls + 1..].reverse();
            Some(next)
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::HashSet, path::Path};

    #[test]
    fn every_choice_is_there_once() {
        let all = |players, seats| Choices::new(players, seats).collect::<Vec<_>>();
        assert_eq!(all(3, 2), [vec![0, 1], vec![0, 2], vec![1, 2]]);
        assert_eq!(all(2, 2), [vec![0, 1]]);
        assert_eq!(all(2, 1), [vec![0], vec![1]]);
        assert_eq!(all(1, 3), [vec![0, 0, 0]]);
        assert_eq!(all(2, 4), [vec![0, 1, 1, 1], vec![0, 0, 1, 1], vec![0, 0, 0, 1]]);
        assert_eq!((all(7, 3).len(), all(3, 7).len()), (35, 15));
        assert_eq!(all(7, 3).into_iter().collect::<HashSet<_>>().len(), 35);
    }

    #[test]
    fn every_order_is_there_once() {
        let all = |seats, choice: &[usize]| orders(seats, choice.to_vec()).collect::<Vec<_>>();
        assert_eq!(all(Seats::Fixed, &[0, 1]), [[0, 1]]);
        assert_eq!(all(Seats::Rotated, &[0, 1, 2]), [[0, 1, 2], [1, 2, 0], [2, 0, 1]]);
        assert_eq!(all(Seats::Rotated, &[0, 0]), [[0, 0]]);
        assert_eq!(all(Seats::Permuted, &[0, 1, 2]).len(), 6);
        assert_eq!(all(Seats::Permuted, &[0, 0, 1]), [[0, 0, 1], [0, 1, 0], [1, 0, 0]]);
    }

    fn plan(text: &str) -> Result<Plan> {
        let source = Source::new("s.toml", text);
        Schedule::read(&source, "s", Path::new("")).and_then(Plan::new)
    }

    #[test]
    fn a_plan_is_a_round_robin_with_equal_luck() {
        let text = "version = 1\ngames = [\"tictactoe\", \"lights_out\"]\nrepetitions = 2\n\
            [players]\na = \"random\"\nb = \"first\"\nc = \"greedy\"\n";
        let plan = plan(text).expect("a plan");
        // Three pairs in both orders, and three single players.
        assert_eq!(plan.matches(), 2 * (6 + 3));
        let all: Vec<Planned<'_>> = (1..=plan.matches()).map(|number| plan.get(number)).collect();
        let seats: Vec<&[usize]> = all[..9].iter().map(|planned| planned.seated).collect();
        let expected: [&[usize]; 9] =
            [&[0, 1], &[1, 0], &[0, 2], &[2, 0], &[1, 2], &[2, 1], &[0], &[1], &[2]];
        assert_eq!(seats, expected);
        assert_eq!((all[9].seated, all[9].repetition, all[17].game), (&[0_usize, 1][..], 1, 1));
        assert_eq!(all[0].seed, all[1].seed);
        let seeds: HashSet<u64> = all.iter().map(|planned| planned.seed).collect();
        assert_eq!(seeds.len(), 2 * (3 + 3));
    }

    #[test]
    fn a_plan_tells_how_long_it_takes_at_most() {
        let text = "version = 1\ngames = [\"tictactoe\"]\nstart_clock = 9\nplay_clock = 1\n\
            [players]\na = \"random\"\nb = \"first\"\n";
        // Two matches, with each answer a second late.
        let longest = plan(text).expect("a plan").longest();
        assert_eq!(longest, Some(Duration::from_secs(2 * (10 + 2 * 10_000))));
        let without = text.replace("start_clock = 9\nplay_clock = 1\n", "");
        assert_eq!(plan(&without).expect("a plan").longest(), None);
    }

    #[test]
    fn what_cannot_be_played_is_told_at_its_game() {
        let text = "version = 1\ngames = [\"tictactoe\"]\nplay_clock = 1\nplayers.a = \"remote:127.0.0.1\"\n";
        let fault = plan(text).expect_err("one player of two").to_string();
        assert!(
            fault.starts_with("s.toml:2:10: `tictactoe` takes 2 players, and there are 1 player"),
            "{fault}"
        );
        assert!(fault.contains("= help: `a` is a remote player"), "{fault}");
        // A local player may have both seats.
        assert_eq!(plan(&text.replace("remote:127.0.0.1", "random")).expect("a plan").matches(), 1);
        let many =
            text.replace("remote:127.0.0.1", "random").replace("play_clock = 1", "repetitions = 1000000");
        assert_eq!(plan(&many).expect("a plan").matches(), 1_000_000);
        let too_many = many.replace("[\"tictactoe\"]", "[\"tictactoe\", \"nim\"]");
        let fault = plan(&too_many).expect_err("too many").to_string();
        assert!(fault.contains("comes to 2,000,000 matches, more than 1000000"), "{fault}");
    }
}
