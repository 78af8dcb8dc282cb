use gdl_runtime::{Game, gdl};

gdl!("nim.kif", max_ground_rules = 3);

fn main() {
    let game = nim::game();
    println!("{}", game.shape().moves);
}
