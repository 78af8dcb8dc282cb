use gdl_runtime::{Game, GameExt, gdl};

gdl!("unmatched_close.kif");

fn main() {
    use unmatched_close::{Fluent, Move, Role};
    let game = unmatched_close::game();
    let start: unmatched_close::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
