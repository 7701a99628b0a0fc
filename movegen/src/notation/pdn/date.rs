//! Dates in tags, as people write them.

/// The year of a date such as `2019.05.??` or `3-10-1987`: its number of four digits.
#[must_use]
pub fn year(date: &str) -> Option<u32> {
    day(date).map(|day| day / 10_000)
}

/// How the names of months begin, in the languages of the program.
const MONTHS: [&[&str]; 12] = [
    &["jan", "gen", "янв"],
    &["feb", "fév", "fev", "фев"],
    &["mar", "maa", "mrt", "mär", "мар"],
    &["apr", "avr", "апр"],
    &["may", "mei", "mai", "mag", "май", "мая"],
    &["jun", "juin", "giu", "июн"],
    &["jul", "juil", "lug", "июл"],
    &["aug", "aoû", "aou", "ago", "авг"],
    &["sep", "set", "сен"],
    &["oct", "okt", "ott", "окт"],
    &["nov", "ноя"],
    &["dec", "dez", "déc", "dic", "дек"],
];

/// A date as a number that sorts by time: year, month and day as `yyyymmdd`, with 0 for an unknown
/// month or day. It reads `2019.05.??`, `2019-05-31`, `20190531`, `31.5.2019`, `5/31/2019`, `31 May
/// 2019` and `2019`; `None` without a year of four digits.
#[must_use]
pub fn day(date: &str) -> Option<u32> {
    let is_part = |c: char| c.is_ascii_digit() || c == '?';
    let parts: Vec<&str> = date.split(|c| !is_part(c)).filter(|part| !part.is_empty()).collect();
    let number = |part: Option<&&str>| part.and_then(|part| part.parse().ok()).unwrap_or(0);
    let is_number = |part: &str, length| part.len() == length && !part.contains('?');
    let place = parts.iter().position(|part| is_number(part, 4) || is_number(part, 8))?;
    if parts[place].len() == 8 {
        return number(parts.get(place)).into();
    }
    let name = date.split(|c: char| !c.is_alphabetic()).map(str::to_lowercase).find_map(|word| {
        MONTHS.iter().position(|names| names.iter().any(|name| word.starts_with(name)))
    });
    let before = |steps: usize| number(place.checked_sub(steps).and_then(|at| parts.get(at)));
    let (mut month, mut day) = match (name, place) {
        (Some(name), 0) => (name as u32 + 1, number(parts.get(1))),
        (Some(name), _) => (name as u32 + 1, before(1)),
        (None, 0) => (number(parts.get(1)), number(parts.get(2))),
        (None, _) => (before(1), before(2)),
    };
    if month > 12 && (1..=12).contains(&day) {
        (month, day) = (day, month);
    }
    if !(1..=12).contains(&month) {
        (month, day) = (0, 0);
    }
    let day = if day > 31 { 0 } else { day };
    Some(number(parts.get(place)))
        .filter(|&year: &u32| year > 0)
        .map(|y| y * 10_000 + month * 100 + day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_say_a_day_however_they_are_written() {
        for (date, is) in [
            ("2019.05.31", 20190531),
            ("2019-05-31", 20190531),
            ("20190531", 20190531),
            ("2019/5/31 20:00", 20190531),
            ("31.12.2001", 20011231),
            ("31-12-2001", 20011231),
            ("12/31/2001", 20011231),
            ("31 December 2001", 20011231),
            ("May 5, 2001", 20010505),
            ("5 мая 2001", 20010505),
            ("mei 2001", 20010500),
            ("2001 mei 5", 20010505),
            ("12.2001", 20011200),
            ("2019.05.??", 20190500),
            ("2019.??.31", 20190000),
            ("??.??.2019", 20190000),
            ("2019", 20190000),
            ("2019.99.99", 20190000),
        ] {
            assert_eq!(day(date), Some(is), "{date}");
        }
        for date in ["", "?", "????.??.??", "0000.00.00", "31.12.99", "May"] {
            assert_eq!(day(date), None, "{date}");
        }
        assert_eq!(
            (year("3-10-1987"), year("????.??.??"), year("19870")),
            (Some(1987), None, None)
        );
    }
}
