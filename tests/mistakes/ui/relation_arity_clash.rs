use gdl_runtime::{Game, GameExt, gdl};

gdl!("relation_arity_clash.kif", deny(relation_arity_clash));

fn main() {
    use relation_arity_clash::{Fluent, Move, Role};
    let game = relation_arity_clash::game();
    let start: relation_arity_clash::State = game.initial();
    let joint = [Move::take(1).unwrap(), Move::NOOP];
    let next = game.apply(&start, &joint).unwrap();
    let pile = Fluent::pile(1).unwrap();
    println!("{} {} {:?}", game.holds(&next, pile), Move::all().len(), game.goal(&next, Role::White));
}
