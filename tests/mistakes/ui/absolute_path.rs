use gdl_runtime::{Game, gdl};

gdl!("/nim.kif");

fn main() {
    let game = nim::game();
    println!("{}", game.shape().moves);
}
