use gdl_runtime::{Game, GameExt, gdl};

gdl!("denied_warnings.kif", deny(warnings));

fn main() {
    use denied_warnings::{Fluent, Move, Role};
    let game = denied_warnings::game();
    let start: denied_warnings::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
