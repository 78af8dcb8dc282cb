use gdl_runtime::{Game, GameExt, gdl};

gdl!("goal_not_integer.kif");

fn main() {
    use goal_not_integer::{Fluent, Move, Role};
    let game = goal_not_integer::game();
    let start: goal_not_integer::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
