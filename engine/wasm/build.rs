//! Gives the module a stack on which the deepest search fits, as `STACK_BYTES` of the search demands; a
//! module has 1 MiB otherwise.

fn main() {
    println!("cargo::rustc-link-arg-cdylib=-zstack-size={}", 8 << 20);
    println!("cargo::rerun-if-changed=build.rs");
}
