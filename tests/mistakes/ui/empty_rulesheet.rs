use gdl_runtime::{Game, GameExt, gdl};

gdl!("empty_rulesheet.kif");

fn main() {
    let game = empty_rulesheet::game();
    let start: empty_rulesheet::State = game.initial();
    println!("{} {}", game.is_terminal(&start), empty_rulesheet::Move::all().len());
}
