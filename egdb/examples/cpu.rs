//! CPU time of lookups on one thread, from the scheduler's own count (Linux): for measuring on a busy machine.
use egdb::bench::{index_speed, look_up, random_positions};
use egdb::{Backend, Database, OpenOptions};
fn cpu() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut options = OpenOptions::default();
    if let Some(mb) = args.get(1) {
        options.backend = Backend::BlockCache;
        options.cache_mb = mb.parse().unwrap();
    }
    let db = Database::open(&args[0], &options).unwrap();
    let lists: Vec<_> = (0..20).map(|s| random_positions(&db, 5, 1 << 16, s)).collect();
    for round in 0..3 {
        let t = cpu();
        for l in &lists { std::hint::black_box(look_up(&db, l).unwrap()); }
        let ns = (cpu() - t) as f64 / (20 << 16) as f64;
        println!("round {round}: {ns:.1} ns/lookup {:.2} M/s; index {:.1}", 1e3 / ns, index_speed(&lists[0]));
    }
    println!("{:?} {:?}", db.memory(), db.stats().total());
}
