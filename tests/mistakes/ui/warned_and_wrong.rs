use gdl_runtime::{Game, GameExt, gdl};

gdl!("warned_and_wrong.kif");

fn main() {
    use warned_and_wrong::{Fluent, Move, Role};
    let game = warned_and_wrong::game();
    let start: warned_and_wrong::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
