use gdl_runtime::{Game, GameExt, gdl};

gdl!("keyword_arity.kif");

fn main() {
    use keyword_arity::{Fluent, Move, Role};
    let game = keyword_arity::game();
    let start: keyword_arity::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
