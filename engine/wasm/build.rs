//! Gives the module a stack for the deepest search, as `STACK_BYTES` of the search demands;
//! otherwise a module has 1 MiB.

fn main() {
    println!("cargo::rustc-link-arg-cdylib=-zstack-size={}", 8 << 20);
    println!("cargo::rerun-if-changed=build.rs");
}
