use gdl_runtime::{Game, GameExt, gdl};

gdl!("growing_recursion.kif");

fn main() {
    use growing_recursion::{Fluent, Move, Role};
    let game = growing_recursion::game();
    let start: growing_recursion::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
