//! The value of Kuhn poker: neither player gains by deviating from the known optimal strategies.

use crate::built_in;
use gdl_runtime::{Dynamic, Game, GameExt, Information};
use std::collections::BTreeMap;

/// A probability of betting or calling in thirds, by the player's information set.
type Strategy = BTreeMap<String, u64>;

/// Optimal strategies (Kuhn, 1950). Alice has several; in this one she never bets first.
fn optimal() -> [Strategy; 2] {
    let alice = [
        ("(noop ((dealt jack)))", 0),
        ("(noop ((dealt queen)))", 0),
        ("(noop ((dealt king)))", 0),
        ("(noop ((dealt jack))) (check ()) (noop (bet))", 0),
        ("(noop ((dealt queen))) (check ()) (noop (bet))", 1),
        ("(noop ((dealt king))) (check ()) (noop (bet))", 3),
    ];
    let bob = [
        ("(noop ((dealt jack))) (noop (bet))", 0),
        ("(noop ((dealt queen))) (noop (bet))", 1),
        ("(noop ((dealt king))) (noop (bet))", 3),
        ("(noop ((dealt jack))) (noop (check))", 1),
        ("(noop ((dealt queen))) (noop (check))", 0),
        ("(noop ((dealt king))) (noop (check))", 3),
    ];
    let named = |name: &str, steps: [(&str, u64); 6]| {
        steps.into_iter().map(|(steps, thirds)| (format!("({name} {steps})"), thirds)).collect()
    };
    [named("alice", alice), named("bob", bob)]
}

/// All pure strategies on the information sets of `like`.
fn pure(like: &Strategy) -> impl Iterator<Item = Strategy> {
    (0..1_u32 << like.len()).map(|bits| {
        like.keys()
            .enumerate()
            .map(|(place, known)| (known.clone(), u64::from((bits >> place) & 1) * 3))
            .collect()
    })
}

/// Returns alice's goal summed over all outcomes. Each deal has a weight of 27, since at most three
/// decisions follow it.
fn sum(
    game: &Dynamic,
    strategies: [&Strategy; 2],
    state: &<Dynamic as Game>::State,
    informations: &[Information<Dynamic>; 2],
    weight: u64,
) -> u64 {
    let roles: Vec<_> = game.roles().collect();
    if game.is_terminal(state) {
        return weight * u64::from(game.goal(state, roles[0]).expect("a goal"));
    }
    let mut total = 0;
    let moves = |role: usize| game.legal_moves(state, roles[role]).collect::<Vec<_>>();
    let [alice, bob, chance] = [moves(0), moves(1), moves(2)];
    let pairs = alice.iter().flat_map(|a| bob.iter().map(move |b| (a, b)));
    for joint in pairs.flat_map(|(&a, &b)| chance.iter().map(move |&c| [a, b, c])) {
        let mut weight = weight;
        for player in [0, 1] {
            if game.legal_moves(state, roles[player]).len() > 1 {
                let thirds = strategies[player][&informations[player].text(game)];
                let is_bold = ["bet", "call"].contains(&game.move_text(joint[player]));
                weight = weight * if is_bold { thirds } else { 3 - thirds } / 3;
            }
        }
        let mut informations = informations.clone();
        informations.iter_mut().for_each(|information| information.step(game, state, &joint));
        let next = game.apply(state, &joint).expect("legal moves");
        total += sum(game, strategies, &next, &informations, weight);
    }
    total
}

/// Alice loses an eighteenth of a chip, which is 25/18 points of the goal. The value of 50 - 25/18
/// is multiplied by six deals of weight 27.
#[test]
fn kuhn_poker_is_worth_an_eighteenth_to_bob() {
    const VALUE: u64 = 50 * 6 * 27 - 225;
    let game = built_in("kuhn_poker");
    let roles: Vec<_> = game.roles().collect();
    let informations = [0, 1].map(|player: usize| Information::new(roles[player]));
    let value =
        |alice: &Strategy, bob: &Strategy| sum(&game, [alice, bob], &game.initial(), &informations, 27);
    let [alice, bob] = optimal();
    assert_eq!(value(&alice, &bob), VALUE);
    assert_eq!(pure(&alice).map(|alice| value(&alice, &bob)).max(), Some(VALUE));
    assert_eq!(pure(&bob).map(|bob| value(&alice, &bob)).min(), Some(VALUE));
}
