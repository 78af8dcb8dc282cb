//! Tests of histories: the tree of states agrees with a simple model, and bytes, errors and long
//! lines are as documented.

use gdl_runtime::{
    Game, GameExt, History,
    chance::Stream,
    game::StepError,
    gdl,
    history::{Place, Transcript, TranscriptError},
};

gdl!("../games/board/tictactoe.kif");
gdl!("../games/chance/monty_hall.kif");
gdl!(
    name = walk,
    rules = r"
    (role robot) (role watcher) (init (at 0)) (legal robot on) (legal robot off) (legal watcher wait)
    (<= (next (at 1)) (true (at 0)) (does robot on)) (<= (next (at 0)) (true (at 1)) (does robot on))
    (<= (next (at 2)) (does robot off))
    (<= terminal (true (at 2))) (goal robot 100) (goal watcher 100)
"
);

/// A random legal joint move; `None` if the game is over.
fn draw<G: Game>(game: &G, state: &G::State, stream: &mut Stream) -> Option<Vec<G::Move>> {
    let view = game.view(state);
    if game.is_terminal_in(&view) {
        return None;
    }
    game.roles().map(|role| game.random_move_in(&view, role, stream)).collect()
}

/// The model: the line of moves to every place, and the last continuation of each line.
#[derive(Default)]
struct Model {
    lines: Vec<Vec<Vec<tictactoe::Move>>>,
    onward: Vec<Option<usize>>,
}

#[test]
fn a_thousand_ways_back_and_forth_agree_with_a_model() {
    let game = tictactoe::game();
    let mut history = History::new(&game);
    let mut model = Model { lines: vec![vec![]], onward: vec![None] };
    let mut at = 0;
    let mut stream = Stream::new(1, 0);
    for _ in 0..3_000 {
        match stream.below(6) {
            0 => {
                let line = &model.lines[at];
                let expected = line.last().cloned();
                let parent = line.len().checked_sub(1).map(|n| line[..n].to_vec());
                assert_eq!(history.undo().map(<[_]>::to_vec), expected);
                if let Some(parent) = parent {
                    at = model.lines.iter().position(|line| *line == parent).unwrap();
                }
            }
            1 | 2 => {
                let expected = model.onward[at].map(|next| model.lines[next].last().unwrap().clone());
                assert_eq!(history.redo().map(<[_]>::to_vec), expected);
                at = model.onward[at].unwrap_or(at);
            }
            3 if stream.below(4) == 0 => {
                at = stream.below(model.lines.len() as u64) as usize;
                assert!(history.go(history.places().nth(at).unwrap()));
                for depth in 0..model.lines[at].len() {
                    let [before, after] = [depth, depth + 1].map(|depth| {
                        model.lines.iter().position(|line| *line == model.lines[at][..depth]).unwrap()
                    });
                    model.onward[before] = Some(after);
                }
            }
            _ => {
                let Some(joint) = draw(&game, history.state(), &mut stream) else { continue };
                let place = history.play(&game, &joint).unwrap();
                let line = [&model.lines[at][..], &[joint]].concat();
                let next = model.lines.iter().position(|known| *known == line).unwrap_or_else(|| {
                    model.lines.push(line);
                    model.onward.push(None);
                    model.lines.len() - 1
                });
                assert_eq!(place.index(), next);
                model.onward[at] = Some(next);
                at = next;
            }
        }
        let line = &model.lines[at];
        assert_eq!(
            (history.place().index(), history.depth(), history.len()),
            (at, line.len(), model.lines.len())
        );
        assert_eq!(history.line(), *line);
        let replayed = line.iter().fold(game.initial(), |state, joint| game.apply(&state, joint).unwrap());
        assert_eq!(*history.state(), replayed);
    }
    // Places are numbered in the order of their creation, so a transcript restores the same tree.
    let transcript = history.transcript(&game);
    let again = History::from_transcript(&game, &transcript).unwrap();
    assert_eq!(again.transcript(&game), transcript);
    for place in history.places() {
        assert_eq!(history.state_at(place), again.state_at(place));
        assert!(history.children(place).eq(again.children(place)));
    }
    {
        let text = serde_json::to_string(&transcript).unwrap();
        assert_eq!(serde_json::from_str::<Transcript>(&text).unwrap(), transcript);
    }
}

#[test]
fn what_is_refused_changes_nothing() {
    let game = tictactoe::game();
    let mut history = History::new(&game);
    let [corner, noop] = ["(mark 1 1)", "noop"].map(|text| game.parse_move(text).unwrap());
    assert!(matches!(history.play(&game, &[noop, noop]), Err(StepError::Illegal { .. })));
    assert!(matches!(history.play(&game, &[corner]), Err(StepError::Count { expected: 2, found: 1 })));
    assert!(history.undo().is_none() && history.redo().is_none() && history.is_empty());
    let foreign = {
        let mut longer = History::new(&game);
        longer.play(&game, &[corner, noop]).unwrap()
    };
    assert!(!history.go(foreign));
    assert_eq!(
        (history.state_at(foreign), history.parent(foreign), history.joint(foreign)),
        (None, None, None)
    );
    assert_eq!(history.place(), Place::START);
    let error = History::from_text(&game, "((cell 9 9 x))").unwrap_err();
    assert_eq!(error.to_string(), "this game has no fluent `(cell 9 9 x)`");
}

#[test]
fn places_are_counted_in_bytes() {
    let game = tictactoe::game();
    let mut history = History::new(&game);
    let start = history.bytes();
    let state = size_of_val(history.state());
    assert!(start >= state + 2 * size_of::<tictactoe::Move>(), "{start}");
    let [corner, noop] = ["(mark 1 1)", "noop"].map(|text| game.parse_move(text).unwrap());
    for _ in 0..2 {
        history.play(&game, &[corner, noop]).unwrap();
        // Moves that were played before take no more memory.
        assert_eq!((history.len(), history.bytes()), (2, 2 * start));
        history.undo();
    }
}

#[test]
fn a_history_can_begin_anywhere() {
    let game = tictactoe::game();
    let text = "((cell 1 1 x) (cell 1 2 x) (cell 1 3 b) (cell 2 1 o) (cell 2 2 o) (control xplayer))";
    let mut history = History::from_text(&game, text).unwrap();
    let joint = ["(mark 1 3)", "noop"].map(|text| game.parse_move(text).unwrap());
    history.play(&game, &joint).unwrap();
    assert!(game.is_terminal(history.state()));
    assert!(matches!(history.play(&game, &joint[..]), Err(StepError::Terminal)));
    history.undo();
    assert_eq!(history.text(&game), text);
}

#[test]
fn a_transcript_that_does_not_fit_says_where() {
    let game = tictactoe::game();
    let mut history = History::new(&game);
    let joint = ["(mark 1 1)", "noop"].map(|text| game.parse_move(text).unwrap());
    history.play(&game, &joint).unwrap();
    let good = history.transcript(&game);
    let broken = |change: &dyn Fn(&mut Transcript)| {
        let mut transcript = good.clone();
        change(&mut transcript);
        History::from_transcript(&game, &transcript).unwrap_err().to_string()
    };
    assert_eq!(broken(&|t| t.at = 2), "there is no place 2 after 1 steps");
    assert_eq!(broken(&|t| t.steps[0].from = 1), "there is no place 1 after 1 steps");
    assert_eq!(broken(&|t| t.steps.push(t.steps[0].clone())), "step 2 was made before");
    assert_eq!(broken(&|t| t.steps[0].moves[0] = "jump".into()), "step 1: this game has no move `jump`");
    assert!(broken(&|t| t.steps[0].moves[0] = "noop".into()).starts_with("step 1: `noop` is not legal"));
    assert!(broken(&|t| t.steps[0].moves.clear()).starts_with("step 1: a step takes one move for each"));
    assert!(broken(&|t| t.start = "board".into()).starts_with("the start: a state is a list"));
    let unknown = Transcript { start: "(lost)".into(), ..good };
    assert!(matches!(History::from_transcript(&game, &unknown), Err(TranscriptError::Start(_))));
}

#[test]
fn each_role_knows_what_it_perceived_on_the_line() {
    let game = monty_hall::game();
    let mut history = History::new(&game);
    for moves in [["(choose 1)", "(hide 2)"], ["noop", "(open 3)"]] {
        let joint = moves.map(|text| game.parse_move(text).unwrap());
        history.play(&game, &joint).unwrap();
    }
    let candidate = history.information(&game, monty_hall::Role::Candidate);
    assert_eq!(candidate.text(&game), "(candidate ((choose 1) ()) (noop ((open 3))))");
    history.undo();
    let candidate = history.information(&game, monty_hall::Role::Candidate);
    assert_eq!(candidate.text(&game), "(candidate ((choose 1) ()))");
}

/// Runs on a stack of 64 KiB.
#[test]
fn a_line_of_a_quarter_million_moves_takes_no_stack() {
    let walk = || {
        let game = walk::game();
        let joint = ["on", "wait"].map(|text| game.parse_move(text).unwrap());
        let mut history = History::new(&game);
        for _ in 0..250_000 {
            history.play(&game, &joint).unwrap();
        }
        assert_eq!((history.depth(), history.line().len()), (250_000, 250_000));
        let end = history.place();
        while history.undo().is_some() {}
        assert_eq!(history.place(), Place::START);
        assert!(history.go(end));
        let copy = history.clone();
        drop(history);
        assert_eq!(copy.depth(), 250_000);
    };
    std::thread::Builder::new().stack_size(1 << 16).spawn(walk).unwrap().join().unwrap();
}
