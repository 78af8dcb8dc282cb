use gdl_runtime::gdl;

gdl!(rules = "(role white)");

fn main() {}
