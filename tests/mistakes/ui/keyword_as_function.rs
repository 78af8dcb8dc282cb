use gdl_runtime::{Game, GameExt, gdl};

gdl!("keyword_as_function.kif", deny(does_as_function));

fn main() {
    use keyword_as_function::{Fluent, Move, Role};
    let game = keyword_as_function::game();
    let start: keyword_as_function::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
