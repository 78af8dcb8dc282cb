use gdl_runtime::{Game, GameExt, gdl};

gdl!("unclosed_paren.kif");

fn main() {
    use unclosed_paren::{Fluent, Move, Role};
    let game = unclosed_paren::game();
    let start: unclosed_paren::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
