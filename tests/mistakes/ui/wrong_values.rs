use gdl_runtime::{Game, gdl};

gdl!("nim.kif", case = "both", code = fast, max_atoms = "many", vis = private);

fn main() {
    let game = nim::game();
    println!("{}", game.shape().moves);
}
