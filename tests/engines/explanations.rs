//! Explanations agree with the oracle on the atoms of every step of seeded playouts of the built-in
//! games. They are also consistent: supporting literals hold, failing literals do not, and no atom
//! supports itself.

use super::agreement::{record, rules};
use gdl_compiler::eval::{Evaluator, Explanation, Literal, Reason, State, Term};
use gdl_games::LIST;
use gdl_runtime::{Game, load};

/// The maximum number of steps of each game.
const STEPS: usize = 6;
/// The maximum number of fluents in a step, and of moves of each role.
const ATOMS: usize = 40;

/// Asserts that an explanation and its parts agree with the oracle's truth. Returns the number of
/// atoms in it.
fn assert_sound(explanation: &Explanation, above: &mut Vec<String>) -> usize {
    let literal = |literal: &Literal, holds: bool, above: &mut Vec<String>| {
        let Some(why) = &literal.why else { return 0 };
        // Double negation does not occur in these games.
        let expected = holds != literal.text.starts_with("(not ");
        assert_eq!(why.holds, expected, "{} of {}", literal.text, explanation.atom);
        assert_sound(why, above)
    };
    match &explanation.reason {
        Reason::Given | Reason::Deeper => 1,
        Reason::Rule { premises, .. } => {
            assert!(explanation.holds && !above.contains(&explanation.atom), "{explanation:?}");
            above.push(explanation.atom.clone());
            let atoms: usize = premises.iter().map(|premise| literal(premise, true, above)).sum();
            above.pop();
            1 + atoms
        }
        Reason::None(attempts) => {
            assert!(!explanation.holds, "{explanation:?}");
            // An atom that does not hold may fail because of an atom above it.
            1 + attempts.iter().map(|attempt| literal(&attempt.fails, false, &mut Vec::new())).sum::<usize>()
        }
    }
}

/// At most `ATOMS` elements of a list, evenly spaced.
fn some<T>(list: Vec<T>) -> impl Iterator<Item = T> {
    let every = list.len().div_ceil(ATOMS).max(1);
    list.into_iter().step_by(every)
}

#[test]
fn explanations_agree_with_the_oracle() {
    for entry in LIST {
        let (rules, game) = (rules(entry.text), load(entry.text).expect("built-in rulesheets load"));
        let evaluator = Evaluator::new(&rules).expect("evaluable");
        let terms = |list: Vec<String>| -> Vec<Term> {
            list.iter().map(|text| evaluator.term(text).expect("a term of the game")).collect()
        };
        let all = |texts: &gdl_runtime::vocabulary::Texts| texts.iter().map(str::to_owned).collect();
        let (fluents, moves) =
            (terms(all(game.vocabulary().fluents())), terms(all(game.vocabulary().moves())));
        let mut atoms = 0;
        for pair in record(entry).positions.windows(2).take(STEPS) {
            let [position, next] = pair else { unreachable!("two positions") };
            let state: State = terms(position.fluents.clone()).into_iter().collect();
            let joint = terms(position.joint.clone());
            let mut check = |atom: String, joint: Option<&[Term]>, expected: bool| {
                let explanation = evaluator.explain(&atom, &state, joint, 4).expect("an atom of the game");
                assert_eq!((&explanation.atom, explanation.holds), (&atom, expected), "{}", entry.name);
                atoms += assert_sound(&explanation, &mut Vec::new());
            };
            check("terminal".to_owned(), None, position.terminal);
            for (number, role) in evaluator.roles().iter().enumerate() {
                for value in game.vocabulary().goals_of(number) {
                    let held = position.goals[number].contains(value);
                    check(format!("(goal {role} {value})"), None, held);
                }
                for action in some(moves.clone()) {
                    let held = position.legal[number].iter().any(|legal| legal == action.as_str());
                    check(format!("(legal {role} {action})"), None, held);
                }
            }
            if position.terminal {
                break;
            }
            for fluent in some(fluents.clone()) {
                let held = next.fluents.iter().any(|held| held == fluent.as_str());
                check(format!("(next {fluent})"), Some(&joint), held);
            }
        }
        assert!(atoms > 50, "{}: {atoms} atoms", entry.name);
    }
}
