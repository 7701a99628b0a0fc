//! The course of a training or a tuning as a picture.

use std::fmt::Write as _;

use super::learner::Epoch;
use super::number::TunedNumber;
use meerslag_study::digits::nice_step;

const WIDTH: f64 = 720.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 110.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 34.0;
/// Heights of the charts of losses and of a number.
const HEIGHT: f64 = 320.0;
const NUMBER_HEIGHT: f64 = 150.0;
const BLUE: &str = "#1f6fb2";

/// Which loss of an epoch a line shows.
type Loss = fn(&Epoch) -> f64;

/// A line of a chart: its name, its colour, and points by their share of the width.
struct Line<'a> {
    name: &'a str,
    color: &'a str,
    points: Vec<(f64, f64)>,
}

/// The losses over the epochs, as SVG.
#[must_use]
pub fn loss_plot(epochs: &[Epoch]) -> String {
    let series: [(&str, &str, Loss); 2] = [
        ("training", "#8a8a8a", |epoch| epoch.training),
        ("held out", BLUE, |epoch| epoch.held_out),
    ];
    let values = || epochs.iter().flat_map(|epoch| series.map(|(_, _, loss)| loss(epoch)));
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let share = |number: usize| number as f64 / (epochs.len().max(2) - 1) as f64;
    let stride = epochs.len().div_ceil(20).max(1);
    let labels: Vec<(f64, String)> = (0..epochs.len())
        .step_by(stride)
        .map(|number| (share(number), (number + 1).to_string()))
        .collect();
    let lines = series.map(|(name, color, loss)| {
        let points = epochs.iter().enumerate().map(|(i, epoch)| (share(i), loss(epoch))).collect();
        Line { name, color, points }
    });
    let mut svg = head("Loss over epochs", HEIGHT);
    chart(&mut svg, (0.0, HEIGHT), (low, high.max(low + 1e-4)), 4, &labels, &lines);
    svg.push_str("</svg>\n");
    svg
}

/// The numbers of a tuning over its games, as SVG: the rows of `course` so far, out of `rows` after
/// the first.
pub(super) fn numbers_plot(
    numbers: &[TunedNumber],
    course: &[Vec<f64>],
    rows: usize,
    games: u64,
) -> String {
    let labels: Vec<(f64, String)> =
        (0..=4).map(|quarter| (quarter as f64 / 4.0, (games * quarter / 4).to_string())).collect();
    let mut svg = head("Search numbers over games", NUMBER_HEIGHT * numbers.len() as f64);
    for (i, number) in numbers.iter().enumerate() {
        let points: Vec<(f64, f64)> = (course.iter().enumerate())
            .map(|(row, values)| (row as f64 / rows.max(1) as f64, values[i]))
            .collect();
        let range = (f64::from(number.low), f64::from(number.high));
        let top = NUMBER_HEIGHT * i as f64;
        let title = format!("{} {:.1}", number.name, points.last().map_or(0.0, |last| last.1));
        let _ = write!(svg, "<text x=\"{LEFT}\" y=\"{:.1}\">{title}</text>", top + TOP - 4.0);
        let line = Line { name: "", color: BLUE, points };
        chart(&mut svg, (top, NUMBER_HEIGHT), range, 0, &labels, &[line]);
    }
    svg.push_str("</svg>\n");
    svg
}

fn head(title: &str, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\"><title>{title}</title>\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>"
    )
}

/// A chart from `top` down, of this height, for values in this range with this many digits.
fn chart(
    svg: &mut String,
    (top, height): (f64, f64),
    (low, high): (f64, f64),
    digits: usize,
    labels: &[(f64, String)],
    lines: &[Line<'_>],
) {
    let step = nice_step(high - low);
    let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
    let x = |share: f64| LEFT + (WIDTH - LEFT - RIGHT) * share;
    let y =
        |value: f64| top + TOP + (height - TOP - BOTTOM) * (high - value) / (high - low).max(step);
    let ticks = ((high - low) / step).round().max(0.0) as usize;
    for tick in 0..=ticks {
        let value = low + step * tick as f64;
        let at = y(value);
        let _ = write!(
            svg,
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{value:.digits$}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            at + 4.0
        );
    }
    for (share, label) in labels {
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            x(*share),
            top + height - 12.0,
        );
    }
    for Line { name, color, points } in lines {
        let Some(&(last_x, last_y)) = points.last() else { break };
        let points: Vec<String> =
            points.iter().map(|&(at, value)| format!("{:.1},{:.1}", x(at), y(value))).collect();
        let _ = write!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{color}\">{name}</text>",
            points.join(" "),
            x(last_x) + 6.0,
            y(last_y) + 4.0
        );
    }
}
