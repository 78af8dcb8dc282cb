use gdl_runtime::{Game, gdl};

// A folder: a file that is there but cannot be read.
gdl!("../ui", name = nim);

fn main() {
    let game = nim::game();
    println!("{}", game.shape().moves);
}
