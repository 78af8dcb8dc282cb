use gdl_runtime::{Game, gdl};

gdl!("nim.kif", nam = heap, max_ground_rule = 10);

fn main() {
    let game = nim::game();
    println!("{}", game.shape().moves);
}
