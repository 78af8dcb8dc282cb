use gdl_runtime::{Game, gdl};

gdl!("invalid_utf8.kif");

fn main() {
    let game = invalid_utf8::game();
    println!("{}", game.shape().moves);
}
