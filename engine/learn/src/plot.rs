//! The course of a training as a picture.

use std::fmt::Write as _;

use super::learner::Epoch;
use meerslag_harness::runner::nice_step;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 110.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 34.0;

/// Which loss of an epoch a line shows.
type Loss = fn(&Epoch) -> f64;

/// The losses over the epochs, as SVG.
#[must_use]
pub fn loss_plot(epochs: &[Epoch]) -> String {
    let series: [(&str, &str, Loss); 2] = [
        ("training", "#8a8a8a", |epoch| epoch.training),
        ("held out", "#1f6fb2", |epoch| epoch.held_out),
    ];
    let values = || epochs.iter().flat_map(|epoch| series.map(|(_, _, loss)| loss(epoch)));
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let step = nice_step((high - low).max(1e-4));
    let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    let x = |epoch: usize| {
        let share = epoch as f64 / (epochs.len().max(2) - 1) as f64;
        LEFT + (WIDTH - LEFT - RIGHT) * share
    };
    let y = |loss: f64| TOP + (HEIGHT - TOP - BOTTOM) * (high - loss) / (high - low).max(step);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\"><title>Loss over epochs</title>\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>"
    );
    let ticks = ((high - low) / step).round().max(0.0) as usize;
    for tick in 0..=ticks {
        let loss = low + step * tick as f64;
        let at = y(loss);
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{loss:.4}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0
        );
    }
    let stride = epochs.len().div_ceil(20).max(1);
    for number in (0..epochs.len()).step_by(stride) {
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(number),
            HEIGHT - 12.0,
            number + 1
        );
    }
    for (name, color, loss) in series {
        let Some(last) = epochs.last() else { break };
        let points: Vec<String> = (epochs.iter().enumerate())
            .map(|(number, epoch)| format!("{:.1},{:.1}", x(number), y(loss(epoch))))
            .collect();
        let _ = write!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{color}\">{name}</text>",
            points.join(" "),
            x(epochs.len() - 1) + 6.0,
            y(loss(last)) + 4.0
        );
    }
    svg.push_str("</svg>\n");
    svg
}
