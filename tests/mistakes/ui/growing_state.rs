use gdl_runtime::{Game, GameExt, gdl};

gdl!("growing_state.kif");

fn main() {
    use growing_state::{Fluent, Move, Role};
    let game = growing_state::game();
    let start: growing_state::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
