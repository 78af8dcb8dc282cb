//! Sets the cfg `unoptimized` if this crate is not optimised. Without optimisation the stack frame
//! of a kernel contains the frames of all inlined functions.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(unoptimized)");
    if std::env::var("OPT_LEVEL").is_ok_and(|level| level == "0") {
        println!("cargo::rustc-cfg=unoptimized");
    }
}
