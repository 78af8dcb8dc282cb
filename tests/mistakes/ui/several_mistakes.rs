use gdl_runtime::{Game, GameExt, gdl};

gdl!("several_mistakes.kif");

fn main() {
    use several_mistakes::{Fluent, Move, Role};
    let game = several_mistakes::game();
    let start: several_mistakes::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
