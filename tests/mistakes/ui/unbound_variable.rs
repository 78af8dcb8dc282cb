use gdl_runtime::{Game, GameExt, gdl};

gdl!("unbound_variable.kif");

fn main() {
    use unbound_variable::{Fluent, Move, Role};
    let game = unbound_variable::game();
    let start: unbound_variable::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
