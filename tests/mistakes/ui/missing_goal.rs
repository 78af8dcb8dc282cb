use gdl_runtime::{Game, gdl};

gdl!("missing_goal.kif");

fn main() {
    use missing_goal::{Fluent, Move, Role};
    let game = missing_goal::game();
    let start: missing_goal::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.next(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
