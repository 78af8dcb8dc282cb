use gdl_runtime::{Game, GameExt, gdl};

gdl!("missing_legal.kif");

fn main() {
    use missing_legal::{Fluent, Move, Role};
    let game = missing_legal::game();
    let start: missing_legal::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
