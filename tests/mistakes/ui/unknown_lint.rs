use gdl_runtime::{Game, gdl};

gdl!("nim.kif", allow(unused_relations), deny(warning, whatever));

fn main() {
    let game = nim::game();
    println!("{}", game.shape().moves);
}
