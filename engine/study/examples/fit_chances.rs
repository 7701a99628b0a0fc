//! Fits the chances of `annotate` to games, see docs/annotate.md: reads the lines of `meerslag data
//! sample --json` from standard input, and prints the six numbers with the mean logarithmic loss.
//!
//! `cargo run --release -p meerslag-study --example fit_chances < samples.jsonl`

use std::error::Error;
use std::io::{self, BufRead};

use movegen::{Color, Position};
use serde_json::Value;

/// A position: x of the formula, the score in men and the points, for the side to move.
struct Sample {
    x: f64,
    score: f64,
    points: f64,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut samples = Vec::new();
    for (number, line) in (1..).zip(io::stdin().lock().lines()) {
        samples.push(read(&line?).map_err(|error| format!("line {number}: {error}"))?);
    }
    if samples.is_empty() {
        return Err("no samples on standard input".into());
    }
    let (numbers, loss) = fit(&samples);
    println!("{} positions, mean logarithmic loss {loss:.4}", samples.len());
    for (name, [constant, linear, square]) in [("a", numbers[0]), ("b", numbers[1])] {
        println!("{name} = {constant:.3} {linear:+.3} x {square:+.3} x^2");
    }
    Ok(())
}

fn read(line: &str) -> Result<Sample, Box<dyn Error>> {
    let record: Value = serde_json::from_str(line)?;
    let number = |key: &str| record[key].as_f64().ok_or(format!("{key} is not a number"));
    let position = Position::from_fen(record["fen"].as_str().ok_or("fen is not text")?)?;
    let (result, score) = (number("result")?, number("score")?);
    let is_white = position.side_to_move() == Color::White;
    Ok(Sample {
        x: (f64::from(position.piece_count()) - 20.0) / 20.0,
        score: if is_white { score } else { -score },
        points: if is_white { result } else { 1.0 - result },
    })
}

/// The mean logarithmic loss with these numbers.
fn loss(samples: &[Sample], [a, b]: &[[f64; 3]; 2]) -> f64 {
    let at = |[constant, linear, square]: &[f64; 3], x| constant + linear * x + square * x * x;
    let one = |sample: &Sample| {
        let (a, b) = (at(a, sample.x), at(b, sample.x).max(0.05));
        let side = |men: f64| 1.0 / (1.0 + ((a - men) / b).exp());
        let (win, loss) = (side(sample.score), side(-sample.score));
        let chance = match sample.points {
            1.0 => win,
            0.0 => loss,
            _ => 1.0 - win - loss,
        };
        -chance.max(1e-6).ln()
    };
    samples.iter().map(one).sum::<f64>() / samples.len() as f64
}

/// The numbers with the least loss: each in turn is moved by a step as long as that helps, and the
/// steps are halved when none does.
fn fit(samples: &[Sample]) -> ([[f64; 3]; 2], f64) {
    let mut numbers = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
    let mut least = loss(samples, &numbers);
    let mut step = 0.25;
    while step > 5e-4 {
        let before = least;
        for place in 0..6 {
            for step in [step, -step] {
                let mut tried = numbers;
                tried[place / 3][place % 3] += step;
                let found = loss(samples, &tried);
                if found < least {
                    (numbers, least) = (tried, found);
                }
            }
        }
        if least >= before {
            step /= 2.0;
        }
    }
    (numbers, least)
}
