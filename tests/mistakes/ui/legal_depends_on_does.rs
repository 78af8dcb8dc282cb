use gdl_runtime::{Game, GameExt, gdl};

gdl!("legal_depends_on_does.kif");

fn main() {
    use legal_depends_on_does::{Fluent, Move, Role};
    let game = legal_depends_on_does::game();
    let start: legal_depends_on_does::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
