use gdl_runtime::{Game, GameExt, gdl};

gdl!("missing_goal.kif");

fn main() {
    use missing_goal::{Fluent, Move, Role};
    let game = missing_goal::game();
    let start: missing_goal::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
