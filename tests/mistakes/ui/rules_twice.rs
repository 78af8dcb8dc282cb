use gdl_runtime::{Game, gdl};

gdl!("nim.kif", rules = "(role white)");

fn main() {
    let game = nim::game();
    println!("{}", game.shape().moves);
}
