use gdl_runtime::{Game, GameExt, gdl};

gdl!("unsafe_negation.kif");

fn main() {
    use unsafe_negation::{Fluent, Move, Role};
    let game = unsafe_negation::game();
    let start: unsafe_negation::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
