//! Plots as SVG.

use meerslag_study::digits::nice_step;
use std::fmt::Write as _;

use crate::runner::stats::Estimate;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 300.0;
/// Room for the labels.
const LEFT: f64 = 60.0;
const BOTTOM: f64 = 30.0;
const TOP: f64 = 10.0;
/// More points than this cannot be distinguished.
const MAX_POINTS: usize = 450;
/// Early estimates may be anything; the plot does not follow them beyond this.
const MAX_ELO: f64 = 800.0;

/// One value for each number of games, with its interval.
pub(super) struct Series<'a> {
    /// Class of the lines, for their colour.
    pub class: String,
    /// `None` breaks the line.
    pub points: &'a [(usize, Option<Estimate>)],
}

impl Series<'_> {
    /// The stretches between the gaps, thinned out.
    fn segments(&self) -> Vec<Vec<(usize, Estimate)>> {
        let stride = self.points.len().div_ceil(MAX_POINTS).max(1);
        let segments = self.points.split(|(_, estimate)| estimate.is_none());
        let segments = segments.filter(|segment| !segment.is_empty()).map(|segment| {
            // The last point always belongs to it.
            let kept = segment.iter().rev().step_by(stride);
            kept.filter_map(|&(games, estimate)| Some((games, estimate?))).collect()
        });
        segments.collect()
    }
}

/// Elo over games; empty if there is nothing to see.
pub(super) fn elo(series: &[Series]) -> String {
    let known = |&(n, estimate): &(usize, Option<Estimate>)| Some((n, estimate?));
    let all = || series.iter().flat_map(|s| s.points.iter().filter_map(known));
    if all().next().is_none() {
        return String::new();
    }
    let games = series.iter().flat_map(|s| s.points).map(|(n, _)| *n).max().unwrap_or(1);
    // The first intervals are wide and are cut off.
    let settled = || all().filter(|(n, _)| 4 * n >= games);
    let extreme = |f: fn(f64, f64) -> f64, pick: fn(&Estimate) -> f64| {
        settled().map(|(_, e)| pick(&e)).fold(0.0, f).clamp(-MAX_ELO, MAX_ELO)
    };
    let (low, high) = (extreme(f64::min, |e| e.low), extreme(f64::max, |e| e.high));
    let step = nice_step((high - low).max(1.0));
    let (low, high) = ((low / step).floor() * step, (high / step).ceil().max(1.0) * step);
    let x = |n: f64| LEFT + (WIDTH - LEFT - 10.0) * n / games as f64;
    let y = |elo: f64| {
        let share = (elo.clamp(low, high) - low) / (high - low);
        HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share
    };
    let mut svg = open("Elo over games");
    let mut tick = low;
    while tick <= high + step / 2.0 {
        let at = y(tick);
        let class = if tick.abs() < step / 2.0 { "zero" } else { "grid" };
        let _ = write!(
            svg,
            "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text class=\"y\" x=\"{:.1}\" y=\"{:.1}\">{:+.0}</text>",
            WIDTH - 10.0,
            LEFT - 6.0,
            at + 4.0,
            tick + 0.0
        );
        tick += step;
    }
    let games_step = nice_step(games as f64).max(1.0);
    let mut tick = games_step;
    while tick <= games as f64 {
        let _ = write!(
            svg,
            "<text class=\"x\" x=\"{:.1}\" y=\"{:.1}\">{tick:.0}</text>",
            x(tick),
            HEIGHT - 10.0
        );
        tick += games_step;
    }
    for (Series { class, .. }, points) in
        series.iter().flat_map(|s| s.segments().into_iter().map(move |points| (s, points)))
    {
        let path = |pick: fn(&Estimate) -> f64| -> Vec<String> {
            points.iter().map(|(n, e)| format!("{:.1},{:.1}", x(*n as f64), y(pick(e)))).collect()
        };
        let (upper, mut lower) = (path(|e| e.high), path(|e| e.low));
        lower.reverse();
        let _ = write!(
            svg,
            "<polygon class=\"band {class}\" points=\"{} {}\"/>\
             <polyline class=\"line {class}\" points=\"{}\"/>",
            upper.join(" "),
            lower.join(" "),
            path(|e| e.value).join(" ")
        );
    }
    svg.push_str("</svg>");
    svg
}

/// How many games had which length in moves; empty without games.
pub(super) fn lengths(moves: &[usize]) -> String {
    let Some(&longest) = moves.iter().max() else { return String::new() };
    let width = (nice_step(longest.max(1) as f64) as usize / 2).max(1);
    let mut bins = vec![0usize; longest / width + 1];
    for length in moves {
        bins[length / width] += 1;
    }
    let most = bins.iter().copied().max().unwrap_or(1).max(1);
    let mut svg = open("Games by length in moves");
    let bar = (WIDTH - LEFT - 10.0) / bins.len() as f64;
    for (index, &count) in bins.iter().enumerate() {
        let height = (HEIGHT - BOTTOM - TOP - 12.0) * count as f64 / most as f64;
        let left = LEFT + bar * index as f64;
        let middle = left + bar / 2.0;
        let top = HEIGHT - BOTTOM - height;
        let _ = write!(
            svg,
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{height:.1}\"/>\
             <text class=\"x\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>",
            left + 1.0,
            (bar - 2.0).max(1.0),
            HEIGHT - 10.0,
            index * width
        );
        if count > 0 {
            let _ = write!(
                svg,
                "<text class=\"x\" x=\"{middle:.1}\" y=\"{:.1}\">{count}</text>",
                top - 3.0
            );
        }
    }
    svg.push_str("</svg>");
    svg
}

fn open(title: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\"><title>{title}</title>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_stay_in_their_frame() {
        let estimate =
            |value: f64, error: f64| Estimate { value, low: value - error, high: value + error };
        let points: Vec<_> =
            (1..=2000).map(|n| (n, Some(estimate(-900.0 / n as f64, 1500.0 / n as f64)))).collect();
        let svg = elo(&[Series { class: "e0".to_owned(), points: &points }]);
        let line = svg.split("<polyline").nth(1).unwrap().split('"').nth(3).unwrap();
        let places: Vec<(f64, f64)> = line
            .split(' ')
            .map(|p| {
                p.split_once(',').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap())).unwrap()
            })
            .collect();
        assert!(places.len() <= MAX_POINTS && places.len() > MAX_POINTS / 2);
        assert!(places.iter().all(|&(x, y)| x <= WIDTH && (TOP..=HEIGHT - BOTTOM).contains(&y)));
        assert_eq!(places[0].0, WIDTH - 10.0);
        let gaps = [None, Some(1.0), None, None, Some(2.0), Some(3.0), None];
        let gaps: Vec<_> = (1..).zip(gaps.map(|e| e.map(|value| estimate(value, 5.0)))).collect();
        let svg = elo(&[Series { class: "e0".to_owned(), points: &gaps }]);
        assert_eq!(svg.matches("<polyline").count(), 2, "no line across a gap: {svg}");
        assert!(elo(&[Series { class: "e0".to_owned(), points: &gaps[..1] }]).is_empty());
        assert!(elo(&[]).is_empty() && lengths(&[]).is_empty());
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        // Three games of 0..10 moves, one of 40 and more: the counts are above the bars.
        let bars = lengths(&[3, 5, 6, 44]);
        assert_eq!(bars.matches("class=\"bar\"").count(), bars.matches("<rect").count());
        assert!(bars.contains(">3<") || bars.contains(">2<"), "{bars}");
    }
}
