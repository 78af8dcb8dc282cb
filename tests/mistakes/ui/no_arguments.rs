use gdl_runtime::gdl;

gdl!();

fn main() {}
