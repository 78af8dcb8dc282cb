use gdl_runtime::{Game, GameExt, gdl};

gdl!("infix_syntax.kif");

fn main() {
    let game = infix_syntax::game();
    let start: infix_syntax::State = game.initial();
    println!("{} {}", game.is_terminal(&start), infix_syntax::Move::all().len());
}
