use gdl_runtime::{Game, GameExt, gdl};

gdl!("goal_out_of_range.kif");

fn main() {
    use goal_out_of_range::{Fluent, Move, Role};
    let game = goal_out_of_range::game();
    let start: goal_out_of_range::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
