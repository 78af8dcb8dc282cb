use gdl_runtime::{Game, GameExt, gdl};

gdl!("does_in_head.kif");

fn main() {
    use does_in_head::{Fluent, Move, Role};
    let game = does_in_head::game();
    let start: does_in_head::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
