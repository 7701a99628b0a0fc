//! CPU time of encoding version 2 (Linux, for busy machines).
use egdb::codec::runs::RunReader;
use egdb::encode::wld::{Chooser, Effort};
fn cpu() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split(' ').next().unwrap().parse().unwrap()
}
fn main() {
    let n = 4_000_000usize;
    for kind in ["random", "onesided", "runs"] {
        let mut x = 88172645463325252u64;
        let mut next = || { x ^= x << 13; x ^= x >> 7; x ^= x << 17; x >> 20 };
        let mut v: Vec<u16> = Vec::with_capacity(n);
        while v.len() < n {
            let (val, len) = match kind {
                "random" => (1 + next() % 3, 1),
                "onesided" => (if next() % 60 > 0 { 1 } else { 3 }, 1),
                _ => { let l = 1 << (v.len() / 20000 % 9); (1 + next() % 3, 1 + next() % l) }
            };
            let l = v.len();
            v.resize(n.min(l + len as usize), val as u16);
        }
        let mut source = |s: u64, o: &mut [u16]| o.copy_from_slice(&v[s as usize..][..o.len()]);
        let t = cpu();
        let mut r = RunReader::new(n as u64, 2, &mut source);
        let mut c = Chooser::new(Effort::Normal);
        let (mut out, mut total) = (Vec::new(), 0);
        loop { out.clear(); c.next_block(&mut r, 4096, &mut out); if out.is_empty() { break } total += out.len() }
        let ns = (cpu() - t) as f64;
        println!("{kind}: {:.1} M positions/s, {:.3} bits", n as f64 * 1e3 / ns, total as f64 * 8.0 / n as f64);
    }
}
