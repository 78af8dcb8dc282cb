use gdl_runtime::{Game, GameExt, gdl};

gdl!("endless_game.kif", deny(terminal_unreachable));

fn main() {
    use endless_game::{Fluent, Move, Role};
    let game = endless_game::game();
    let start: endless_game::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
