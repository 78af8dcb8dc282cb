use gdl_runtime::{Game, gdl};

gdl!("nim.kif", allow(missing_terminal));

fn main() {
    let game = nim::game();
    println!("{}", game.shape().moves);
}
