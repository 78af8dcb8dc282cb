use gdl_runtime::{Game, Information, gdl};

gdl!("sees_in_body.kif");

fn main() {
    use sees_in_body::{Move, Percept, Role};
    let game = sees_in_body::game();
    let mut information = Information::new(Role::Player);
    information.step(&game, &game.initial(), &[Move::deal("red").unwrap(), Move::NOOP]);
    let red: Percept = "(saw red)".parse().unwrap();
    println!("{red} {} {}", Percept::all().len(), information.text(&game));
}
