use gdl_runtime::{Game, GameExt, gdl};

gdl!("unstratified.kif");

fn main() {
    use unstratified::{Fluent, Move, Role};
    let game = unstratified::game();
    let start: unstratified::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
