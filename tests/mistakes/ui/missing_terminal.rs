use gdl_runtime::{Game, GameExt, gdl};

gdl!("missing_terminal.kif");

fn main() {
    use missing_terminal::{Fluent, Move, Role};
    let game = missing_terminal::game();
    let start: missing_terminal::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
