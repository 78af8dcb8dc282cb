use gdl_runtime::{Game, GameExt, gdl};

gdl!("denied_lint.kif", deny(unused_relation));

fn main() {
    use denied_lint::{Fluent, Move, Role};
    let game = denied_lint::game();
    let start: denied_lint::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
