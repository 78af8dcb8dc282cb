use gdl_runtime::{Game, GameExt, gdl};

gdl!("role_with_variable.kif");

fn main() {
    use role_with_variable::{Fluent, Move, Role};
    let game = role_with_variable::game();
    let start: role_with_variable::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
