//! A session with a person at the terminal: it reads lines and prints positions, until the person
//! leaves or the input ends.
//!
//! No typed line is fatal; each gets an answer. While a person at a terminal chooses, players
//! think. The play is a [`History`], so undo, redo and branches have no limit.
//!
//! In games of hidden information the person sees what its role knows: the fluents that hold in all
//! states of its information set.

use super::{
    args::PlayArgs,
    command::{self, Command, HELP},
};
use gdl_players::{Budget, Player, player::Belief};
use gdl_runtime::{
    Cancel, Dynamic, Game, GameExt, History, Information,
    chance::Stream,
    dynamic::{MoveId, RoleId},
    game::Id,
    history::Transcript,
};
use gdl_tools::{
    error::{Error, Result},
    output::{self, BOLD, CODE, DIM, ODD},
    parse::did_you_mean,
    play::{
        certainty::certain,
        outcome::Outcome,
        travel,
        view::{self, View},
    },
    players::Spec,
    plays,
};
use std::{
    fs::File,
    io::{self, BufRead, IsTerminal, Read, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    thread,
    time::Duration,
};

/// The most bytes of a line.
const LONGEST_LINE: u64 = 1 << 16;

/// The most bytes of a recorded test.
const LARGEST_TEST: usize = 1 << 26;

/// The default time for a move.
const CLOCK: Duration = Duration::from_secs(1);

/// The longest time that players think while a person chooses.
const PATIENCE: Duration = Duration::from_secs(60);

/// The number of forced steps in a row after which a person must enter even a forced move.
/// Otherwise a game without an end and without choices would run forever.
const FORCED: usize = 1000;

/// The most moves that are listed without the command `moves`.
const LISTED: usize = 40;

/// Plays until the person leaves or the input ends.
///
/// # Errors
/// Returns an error if the role does not exist or is played by chance, no player can give advice,
/// or writing to stdout fails.
pub(crate) fn play(args: &PlayArgs, game: &Dynamic, input: &mut dyn BufRead, out: &mut dyn Write) -> Result {
    let mut session = Session::new(args, game)?;
    session.greet(out)?;
    session.start();
    session.run(input, out)
}

/// The kind of player of a role.
enum SessionSeat {
    Person,
    Chance,
    Player(Box<dyn Player<Dynamic>>),
}

struct Session<'a> {
    args: &'a PlayArgs,
    game: &'a Dynamic,
    view: View,
    history: History<Dynamic>,
    /// The players, in role order.
    seats: Vec<SessionSeat>,
    /// The player that answers the command `hint`.
    adviser: Box<dyn Player<Dynamic>>,
    luck: Stream,
    prompts: bool,
}

impl<'a> Session<'a> {
    fn new(args: &'a PlayArgs, game: &'a Dynamic) -> Result<Self> {
        let chance = game.chance_role();
        let own = match &args.role {
            Some(name) => {
                let role = game.parse_role(name).map_err(|error| {
                    let near = did_you_mean(name, game.vocabulary().roles().iter());
                    Error::Usage(format!("{error}{near}"))
                })?;
                if Some(role) == chance {
                    return Err(Error::Usage("chance plays this role by itself".to_owned()));
                }
                Some(role)
            }
            None => game.roles().find(|&role| Some(role) != chance),
        };
        let mut luck = Stream::new(args.terms.seed, 0);
        let seats = game.roles().map(|role| {
            let seed = luck.bits();
            match args.against.build(seed) {
                _ if Some(role) == chance => SessionSeat::Chance,
                Some(player) if Some(role) != own => SessionSeat::Player(player),
                _ => SessionSeat::Person,
            }
        });
        let seats = seats.collect();
        let advice = luck.bits();
        // A remote player plays its own match and cannot give advice.
        let adviser = Some(&args.against).filter(|against| !against.is_remote());
        let adviser =
            adviser.and_then(|player| player.build(advice)).or_else(|| Spec::adviser()?.build(advice));
        let Some(adviser) = adviser else {
            return Err(Error::Usage("no player gives advice".to_owned()));
        };
        Ok(Self {
            args,
            game,
            view: View::new(game, &args.game.text()),
            history: History::new(game),
            seats,
            adviser,
            luck,
            prompts: io::stdin().is_terminal(),
        })
    }

    fn greet(&self, out: &mut dyn Write) -> Result {
        let roles = self.game.roles().zip(&self.seats);
        let roles = roles.map(|(role, seat)| {
            let who = match seat {
                SessionSeat::Person => "you",
                SessionSeat::Chance => "chance",
                SessionSeat::Player(player) => player.name(),
            };
            format!("{} ({who})", self.game.role_text(role))
        });
        let roles = roles.collect::<Vec<_>>().join(", ");
        writeln!(
            out,
            "{BOLD}{}{BOLD:#}: {roles}. {DIM}`help` lists the commands.{DIM:#}",
            self.args.game.name()
        )?;
        let legend = self.view.legend();
        if !legend.is_empty() {
            writeln!(out, "{DIM}{legend}{DIM:#}")?;
        }
        Ok(())
    }

    /// Starts a match for the players.
    fn start(&mut self) {
        let budget = self.budget();
        for (role, seat) in self.game.roles().zip(&mut self.seats) {
            if let SessionSeat::Player(player) = seat {
                // A player that panics here panics again when it chooses a move, which is reported
                // then.
                let _ = attempt(|| player.start(self.game, role, &budget));
            }
        }
    }

    /// Plays until the person leaves or the input ends.
    fn run(&mut self, input: &mut dyn BufRead, out: &mut dyn Write) -> Result {
        let mut shown = None;
        let mut forced = 0;
        loop {
            if shown != Some(self.history.place()) {
                writeln!(out, "\n{}", self.position())?;
                shown = Some(self.history.place());
                if let Some(line) = self.end() {
                    writeln!(out, "{BOLD}{line}{BOLD:#} {DIM}`undo` or `quit`?{DIM:#}")?;
                }
            }
            let over = self.end().is_some();
            let mut joint = Vec::new();
            // People choose first, so that they do not wait for players.
            let people: Vec<RoleId> = self.people().collect();
            let mut chosen: Vec<(RoleId, MoveId)> = Vec::new();
            let mut asked = false;
            for &role in &people {
                let moves: Vec<MoveId> = self.legal(role);
                if let ([only], false) = (&moves[..], over || forced >= FORCED) {
                    chosen.push((role, *only));
                    continue;
                }
                if over && asked {
                    continue;
                }
                asked = true;
                if !over {
                    self.list(role, &moves, false, out)?;
                }
                match self.ask(role, if over { &[] } else { &moves }, input, out)? {
                    Reply::Move(action) => chosen.push((role, action)),
                    Reply::Elsewhere => {
                        shown = None;
                        break;
                    }
                    Reply::Leave => return Ok(()),
                }
            }
            if over || chosen.len() < people.len() {
                if people.is_empty() {
                    return Ok(());
                }
                continue;
            }
            forced = if asked { 0 } else { forced + 1 };
            for role in self.game.roles() {
                match chosen.iter().find(|(chooser, _)| *chooser == role) {
                    Some(&(_, action)) => joint.push(action),
                    None => match self.answer(role, out)? {
                        Some(action) => joint.push(action),
                        None => break,
                    },
                }
            }
            let before = self.history.state().clone();
            match self.history.play(self.game, &joint) {
                Ok(_) if self.game.vocabulary().has_percepts() => {}
                Ok(_) => writeln!(
                    out,
                    "{DIM}{}.{DIM:#} {}",
                    self.history.depth(),
                    view::step(self.game, &before, &joint)
                )?,
                Err(error) => {
                    writeln!(out, "{ODD}{error}{ODD:#}")?;
                    return Ok(());
                }
            }
        }
    }

    fn people(&self) -> impl Iterator<Item = RoleId> {
        self.game
            .roles()
            .zip(&self.seats)
            .filter(|(_, seat)| matches!(seat, SessionSeat::Person))
            .map(|(role, _)| role)
    }

    fn legal(&self, role: RoleId) -> Vec<MoveId> {
        self.game.legal_moves(self.history.state(), role).collect()
    }

    /// Returns the message at the end of the game: the outcome, or that a role has no legal move.
    /// Returns `None` if the game goes on.
    fn end(&self) -> Option<String> {
        let state = self.history.state();
        if self.game.is_terminal(state) {
            return Some(Outcome::of(self.game, state).text());
        }
        let stuck = self.game.roles().find(|&role| self.legal(role).is_empty())?;
        Some(format!("{} has no legal move: the rules have an error.", self.game.role_text(stuck)))
    }

    /// Returns the position as the people at the terminal know it.
    fn position(&self) -> String {
        let game = self.game;
        if !game.vocabulary().has_percepts() || game.is_terminal(self.history.state()) {
            return self.view.text(game, self.history.state());
        }
        let mut text = String::new();
        for role in self.people() {
            let information = self.history.information(game, role);
            let name = game.role_text(role);
            if let Some((_, perception)) = information.steps().last() {
                text +=
                    format!("{BOLD}{name}{BOLD:#} perceives {}\n", game.perception_text(perception)).as_str();
            }
            let mut belief = Belief::new(self.args.terms.seed);
            belief.follow(game, &information);
            if let Some(sure) = certain(&belief) {
                text += format!("{DIM}{name} knows{DIM:#}\n{}", self.view.text(game, &sure)).as_str();
            }
        }
        text
    }

    fn list(&self, role: RoleId, moves: &[MoveId], all: bool, out: &mut dyn Write) -> Result {
        let name = self.game.role_text(role);
        let shown = if all { moves.len() } else { moves.len().min(LISTED) };
        let texts: Vec<String> = (moves[..shown].iter().enumerate())
            .map(|(i, &action)| format!("{} {}", i + 1, self.game.move_text(action)))
            .collect();
        writeln!(out, "{BOLD}{name}{BOLD:#} may")?;
        let wide = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0) + 3;
        for row in texts.chunks((90 / wide).max(1)) {
            let row: Vec<String> = row.iter().map(|text| format!("{text:<wide$}")).collect();
            writeln!(out, "  {}", row.concat().trim_end())?;
        }
        if shown < moves.len() {
            writeln!(out, "  {DIM}and {} more: `moves` lists all{DIM:#}", moves.len() - shown)?;
        }
        Ok(())
    }

    /// Reads commands until the person makes a move, changes the position or leaves.
    fn ask(
        &mut self,
        role: RoleId,
        moves: &[MoveId],
        input: &mut dyn BufRead,
        out: &mut dyn Write,
    ) -> Result<Reply> {
        loop {
            if self.prompts {
                write!(out, "{CODE}{}>{CODE:#} ", self.game.role_text(role))?;
            }
            out.flush()?;
            let mut line = Vec::new();
            let read = self.while_players_think(|| input.take(LONGEST_LINE).read_until(b'\n', &mut line));
            if !matches!(read, Ok(1..)) {
                // Input has ended.
                if self.prompts {
                    writeln!(out)?;
                }
                return Ok(Reply::Leave);
            }
            let texts: Vec<&str> = moves.iter().map(|&action| self.game.move_text(action)).collect();
            let command = match command::read(&String::from_utf8_lossy(&line), &texts) {
                Ok(command) => command,
                Err(message) => {
                    writeln!(out, "{ODD}{message}{ODD:#}")?;
                    continue;
                }
            };
            let (before, is_load) = (self.history.place(), matches!(command, Command::Load(_)));
            let said = match command {
                Command::Move(place) => return Ok(Reply::Move(moves[place])),
                Command::Quit => return Ok(Reply::Leave),
                Command::Nothing => Ok(String::new()),
                Command::Undo => self.back(),
                Command::Redo => self.forth(),
                Command::Hint => self.advise(role),
                Command::Moves if moves.is_empty() => Err("there is no move to make".to_owned()),
                Command::Moves => {
                    self.list(role, moves, true, out)?;
                    Ok(String::new())
                }
                Command::State if self.game.vocabulary().has_percepts() => {
                    Ok(self.history.information(self.game, role).text(self.game))
                }
                Command::State => Ok(self.history.text(self.game)),
                Command::Save(path) => self.save(&path),
                Command::Record(path) => self.record(&path),
                Command::Load(path) => self.load(&path),
                Command::Help => {
                    for (what, does) in HELP {
                        writeln!(out, "  {CODE}{what:<11}{CODE:#} {does}")?;
                    }
                    Ok(String::new())
                }
            };
            let is_done = said.is_ok();
            match said {
                Ok(text) if text.is_empty() => {}
                Ok(text) => writeln!(out, "{text}")?,
                Err(text) => writeln!(out, "{ODD}{text}{ODD:#}")?,
            }
            if self.history.place() != before || (is_load && is_done) {
                return Ok(Reply::Elsewhere);
            }
        }
    }

    /// Waits for a person while the players think. Each player searches the state of its last
    /// choice, because later moves of others are unknown to it.
    ///
    /// Players do not think if moves must be reproducible, if stdin is a pipe, if they are remote,
    /// or at the end of the game.
    fn while_players_think<T>(&mut self, wait: impl FnOnce() -> T) -> T {
        let is_repeatable = !self.prompts || self.args.terms.nodes.is_some();
        if is_repeatable || self.args.against.is_remote() || self.end().is_some() {
            return wait();
        }
        let choices: Vec<Option<Information<Dynamic>>> =
            self.game.roles().map(|role| self.last_choice(role)).collect();
        let (game, cancel) = (self.game, Cancel::default());
        let budget = Budget::within(PATIENCE).cancelled_by(&cancel);
        thread::scope(|scope| {
            for (seat, known) in self.seats.iter_mut().zip(choices) {
                if let (SessionSeat::Player(player), Some(known)) = (seat, known) {
                    let budget = &budget;
                    // A player that panics here panics again when it chooses a move, which is
                    // reported then.
                    scope.spawn(move || attempt(|| player.choose(game, &known, budget)));
                }
            }
            let waited = wait();
            cancel.cancel();
            waited
        })
    }

    /// Returns the information of a role: in the present state if it has a choice there, otherwise
    /// at its last choice. Returns `None` if it never had a choice.
    fn last_choice(&mut self, role: RoleId) -> Option<Information<Dynamic>> {
        let (game, history) = (self.game, &mut self.history);
        let here = history.place();
        let is_found = travel::is_choice(game, history.state(), &[role])
            || travel::back(game, history, &[role], &Budget::unlimited());
        let choice = is_found.then(|| history.information(game, role));
        history.go(here);
        choice
    }

    /// Goes back to the last choice of a person.
    fn back(&mut self) -> std::result::Result<String, String> {
        let people: Vec<RoleId> = self.people().collect();
        let moved = travel::back(self.game, &mut self.history, &people, &Budget::unlimited());
        if moved { Ok(String::new()) } else { Err("there is nothing to undo".to_owned()) }
    }

    fn forth(&mut self) -> std::result::Result<String, String> {
        let people: Vec<RoleId> = self.people().collect();
        let moved = travel::forth(self.game, &mut self.history, &people, &Budget::unlimited());
        if moved { Ok(String::new()) } else { Err("there is nothing to redo".to_owned()) }
    }

    fn budget(&self) -> Budget {
        let budget = Budget::within(self.args.terms.clock().unwrap_or(CLOCK));
        self.args.terms.nodes.iter().fold(budget, |budget, &nodes| budget.and_nodes(nodes))
    }

    fn advise(&mut self, role: RoleId) -> std::result::Result<String, String> {
        let budget = self.budget();
        let information = self.history.information(self.game, role);
        // A loaded play may begin in a state that the adviser cannot derive from its information.
        let action = attempt(|| self.adviser.choose(self.game, &information, &budget)).flatten();
        let action = action.filter(|action| self.legal(role).contains(action));
        let action = action.ok_or("there is nothing to advise")?;
        let report =
            self.adviser.report().map_or_else(String::new, |report| format!("{DIM} ({report}){DIM:#}"));
        Ok(format!("{}: {}{report}", self.adviser.name(), self.game.move_text(action)))
    }

    /// Returns the move of a role that no person plays. If its player panics or chooses no legal
    /// move, reports that and draws a move at random.
    fn answer(&mut self, role: RoleId, out: &mut dyn Write) -> Result<Option<MoveId>> {
        let budget = self.budget();
        let game = self.game;
        let view = game.view(self.history.state());
        let drawn = game.random_move_in(&view, role, &mut self.luck);
        let SessionSeat::Player(player) = &mut self.seats[role.index()] else { return Ok(drawn) };
        let information = self.history.information(game, role);
        let answer = attempt(|| player.choose(game, &information, &budget));
        let legal = answer.flatten().filter(|&action| game.is_legal_in(&view, role, action));
        if legal.is_none() {
            let (name, what) =
                (player.name(), if answer.is_none() { "broke down" } else { "has no legal move" });
            writeln!(out, "{ODD}{name} {what}, so its move is random{ODD:#}")?;
        }
        Ok(legal.or(drawn))
    }

    fn save(&self, path: &Path) -> std::result::Result<String, String> {
        let transcript = self.history.transcript(self.game);
        let text = serde_json::to_string(&transcript).map_err(|error| error.to_string())?;
        std::fs::write(path, text + "\n")
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        Ok(format!("{} written to {}", output::counted(self.history.len(), "position"), path.display()))
    }

    /// Appends the play to a file of tests. Existing tests stay.
    fn record(&self, path: &Path) -> std::result::Result<String, String> {
        let test = plays::recorded(self.game, &self.history, LARGEST_TEST);
        let test = test.ok_or_else(|| "the play is too long for a test".to_owned())?;
        let write = || {
            let mut file = File::options().append(true).create(true).open(path)?;
            let space = if file.metadata()?.len() > 0 { "\n" } else { "" };
            file.write_all(format!("{space}{test}").as_bytes())
        };
        write().map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        let depth = output::counted(self.history.depth(), "move");
        Ok(format!("a test of {depth} added to {}: `gdl test` runs it", path.display()))
    }

    fn load(&mut self, path: &Path) -> std::result::Result<String, String> {
        let text = gdl_tools::load::text(path).map_err(|error| error.to_string())?;
        let name = path.display();
        let transcript: Transcript =
            serde_json::from_str(&text).map_err(|error| format!("{name} is not a saved play: {error}"))?;
        let history = History::from_transcript(self.game, &transcript)
            .map_err(|error| format!("{name} is not a play of this game: {error}"))?;
        let count = output::counted(history.len(), "position");
        self.history = history;
        Ok(format!("{count} read, at move {}", self.history.depth()))
    }
}

/// Calls a player's code. Returns `None` if it panics.
fn attempt<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// The outcome of prompting a person for a move.
enum Reply {
    Move(MoveId),
    /// The person went to another position.
    Elsewhere,
    Leave,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};
    use std::sync::{Arc, Mutex};

    struct Breaks;

    impl Player<Dynamic> for Breaks {
        fn name(&self) -> &'static str {
            "breaks"
        }

        fn choose(&mut self, _: &Dynamic, _: &Information<Dynamic>, _: &Budget) -> Option<MoveId> {
            panic!("on purpose")
        }
    }

    fn arguments(words: &[&str]) -> PlayArgs {
        let matches = PlayArgs::augment_args(clap::Command::new("play")).get_matches_from(words);
        PlayArgs::from_arg_matches(&matches).expect("well formed")
    }

    #[test]
    fn a_player_that_panics_does_not_end_the_game() {
        let args = arguments(&["play", "tictactoe"]);
        let game = gdl_games::dynamic("tictactoe").expect("built in");
        let mut session = Session::new(&args, &game).expect("a session");
        session.seats[1] = SessionSeat::Player(Box::new(Breaks));
        session.adviser = Box::new(Breaks);
        let mut out = Vec::new();
        session.run(&mut &b"hint\n1\n1\nquit\n"[..], &mut out).expect("nothing is wrong with the terminal");
        let text = String::from_utf8(out).expect("text");
        assert!(text.contains("there is nothing to advise"), "{text}");
        assert_eq!(text.matches("breaks broke down, so its move is random").count(), 4, "{text}");
        assert_eq!(session.history.depth(), 4);
    }

    /// A player that takes the first legal move. It notes the number of steps it knew, and whether
    /// its deadline was later than the usual clock.
    struct Notes(Arc<Mutex<Vec<(usize, bool)>>>);

    impl Player<Dynamic> for Notes {
        fn name(&self) -> &'static str {
            "notes"
        }

        fn choose(
            &mut self,
            game: &Dynamic,
            known: &Information<Dynamic>,
            budget: &Budget,
        ) -> Option<MoveId> {
            let is_long = budget.deadline().is_some_and(|end| end > std::time::Instant::now() + 2 * CLOCK);
            self.0.lock().expect("no panic").push((known.steps().len(), is_long));
            game.legal_moves(&known.state(game)?, known.role()).next()
        }
    }

    #[test]
    fn players_think_about_their_last_choice_while_a_person_chooses() {
        const THINKS: bool = true;
        const MOVES: bool = false;
        let game = gdl_games::dynamic("tictactoe").expect("built in");
        let undone = (&["play", "tictactoe"][..], "1\n1\nundo\nquit\n");
        let won = (&["play", "tictactoe"][..], "1\n1\n1\n1\nquit\n");
        let repeatable = (&["play", "tictactoe", "--nodes", "10"][..], undone.1);
        let moves = [(0, MOVES), (1, MOVES), (2, MOVES), (3, MOVES)];
        for ((args, input), prompts, expected) in [
            // Before the person's first move the player had no choice yet. After it, the player
            // thinks about its latest choice, and after `undo` about the first one again.
            (
                undone,
                true,
                &[moves[0], moves[1], (1, THINKS), moves[2], moves[3], (3, THINKS), (1, THINKS)][..],
            ),
            // At the end of the game the player does not think.
            (
                won,
                true,
                &[
                    moves[0],
                    moves[1],
                    (1, THINKS),
                    moves[2],
                    moves[3],
                    (3, THINKS),
                    (4, MOVES),
                    (5, MOVES),
                    (5, THINKS),
                    (6, MOVES),
                ],
            ),
            (undone, false, &moves),
            (repeatable, true, &moves),
        ] {
            let args = arguments(args);
            let mut session = Session::new(&args, &game).expect("a session");
            let noted: Arc<Mutex<Vec<(usize, bool)>>> = Arc::default();
            session.seats[1] = SessionSeat::Player(Box::new(Notes(Arc::clone(&noted))));
            session.prompts = prompts;
            let mut out = Vec::new();
            session.run(&mut input.as_bytes(), &mut out).expect("nothing is wrong with the terminal");
            assert_eq!(*noted.lock().expect("no panic"), expected);
        }
    }
}
