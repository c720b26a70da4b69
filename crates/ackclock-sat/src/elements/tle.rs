//! Two-line elements, with or without a line with the name before them.
//!
//! Columns are those of \[STR3\], counted from 1. Blanks are read as its reference code \[VCHK06\] reads them: zeros in columns with an
//! assumed decimal point, and in counts. Lines of 68 characters have no checksum. The first line may be a header with the numbers
//! of planes and of satellites in each, as the files of Hypatia have it.

use sgp4::chrono::{NaiveDate, TimeDelta};
use sgp4::{Classification, Elements};

use super::epoch::Epoch;
use super::set::{ElementSet, FORMATS, ReadSets, check_ephemeris_type, wrong};
use crate::error::SatError;

/// A line of a file and its number.
type Line<'a> = (usize, &'a str);

/// The element sets of a text, each or what is wrong with it. Empty lines and lines that begin with # are skipped.
pub(super) fn read(file: &str, text: &str) -> Result<ReadSets, SatError> {
    let mut lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line))
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .collect::<Vec<Line>>()
        .into_iter()
        .peekable();
    let mut rest = lines.clone();
    let header = rest.next().and_then(|first| header(first, rest.peek().copied()));
    if header.is_some() {
        lines = rest;
    }
    let mut sets = ReadSets::new();
    while let Some((number, line)) = lines.next() {
        let (name, number, first) = match is_line('1', line) {
            true => (None, number, line),
            false => match lines.next_if(|(_, line)| is_line('1', line)) {
                Some((number, first)) => (Some(name_of(line)), number, first),
                None => {
                    let problem = "this is neither a line 1 of elements nor a name above one";
                    return Err(wrong(&format!("{file}:{number}"), None, problem, FORMATS));
                }
            },
        };
        let place = format!("{file}:{number}");
        let Some((_, second)) = lines.next_if(|(_, line)| is_line('2', line)) else {
            return Err(wrong(&place, name.as_deref(), "its line 2 is missing", "fetch the file again, whole"));
        };
        sets.push(set(place, name, first, second));
    }
    match header {
        Some((number, planes, of_each)) if planes.checked_mul(of_each) != Some(sets.len()) => {
            let problem = format!(
                "the header says {planes} planes of {of_each} satellites, and the file has {} element sets",
                sets.len()
            );
            Err(wrong(&format!("{file}:{number}"), None, &problem, "fetch or make the file again, whole"))
        }
        _ => Ok(sets),
    }
}

/// Names have 24 characters at most, so that a name may begin with a 1, too.
fn is_line(which: char, line: &str) -> bool {
    line.strip_prefix(which).is_some_and(|rest| rest.starts_with(' ')) && line.trim_end().chars().count() > LONGEST_NAME
}

/// Two numbers, and no line 1 after them, of which they would be the name: planes, and satellites of each.
fn header((number, line): Line<'_>, next: Option<Line<'_>>) -> Option<(usize, usize, usize)> {
    let numbers: Vec<usize> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>().ok()?;
    let is_name = next.is_some_and(|(_, next)| is_line('1', next));
    match numbers[..] {
        [planes, of_each] if !is_name => Some((number, planes, of_each)),
        _ => None,
    }
}

/// In files with three lines the name may have a 0 before it.
fn name_of(line: &str) -> String {
    let line = line.trim_end();
    line.strip_prefix("0 ").unwrap_or(line).trim().to_owned()
}

fn set(place: String, name: Option<String>, first: &str, second: &str) -> Result<ElementSet, SatError> {
    let name = name.unwrap_or_else(|| first.chars().skip(2).take(5).collect::<String>().trim().to_owned());
    let wrong = |problem: String| wrong(&place, Some(&name), &problem, "fetch the file again, unchanged");
    let first = Columns::new('1', first, &[2, 9, 18, 33, 44, 53, 62, 64]).map_err(wrong)?;
    let second = Columns::new('2', second, &[2, 8, 17, 26, 34, 43, 52]).map_err(wrong)?;
    let numbers = [&first, &second].map(|line| catalogue_number(line.text(3, 7).trim()));
    let [Some(norad_id), Some(second_id)] = numbers else {
        return Err(wrong("its catalogue number (columns 3 to 7) is no number".to_owned()));
    };
    if norad_id != second_id {
        return Err(wrong(format!("line 1 is of satellite {norad_id}, line 2 of satellite {second_id}")));
    }
    check_ephemeris_type(first.text(63, 63).trim(), &place, &name)?;
    let Epoch(datetime) = epoch(&first).map_err(wrong)?;
    let elements = Elements {
        object_name: None,
        international_designator: None,
        norad_id,
        classification: Classification::Unclassified,
        datetime,
        // SGP4 does not use them.
        mean_motion_dot: 0.0,
        mean_motion_ddot: 0.0,
        drag_term: drag_term(&first).map_err(wrong)?,
        element_set_number: 0,
        inclination: second.number("inclination", 9, 16).map_err(wrong)?,
        right_ascension: second.number("right ascension of the node", 18, 25).map_err(wrong)?,
        eccentricity: second.assumed_point("eccentricity", 27, 33).map_err(wrong)?,
        argument_of_perigee: second.number("argument of perigee", 35, 42).map_err(wrong)?,
        mean_anomaly: second.number("mean anomaly", 44, 51).map_err(wrong)?,
        mean_motion: second.number("mean motion", 53, 63).map_err(wrong)?,
        revolution_number: 0,
        ephemeris_type: 0,
    };
    let identity = (norad_id > 0).then(|| norad_id.to_string());
    ElementSet::checked(name, place, identity, elements)
}

/// Up to five digits, or a letter for the first two of six: A is 10, and I and O, which look like digits, are left out.
fn catalogue_number(text: &str) -> Option<u64> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    match text.chars().next().and_then(|first| LETTERS.find(first)) {
        Some(place) => text
            .get(1..)
            .filter(|rest| rest.len() == 4 && is_digits(rest))?
            .parse()
            .ok()
            .map(|rest: u64| (place as u64 + 10) * 10_000 + rest),
        None => text.parse().ok().filter(|_| is_digits(text)),
    }
}

/// Columns 54 to 59 are the sign and the digits after the assumed point, 60 and 61 the power of ten.
fn drag_term(first: &Columns<'_>) -> Result<f64, String> {
    let wrong = || first.wrong("drag term", 54, 61);
    let (sign, digits) = (first.text(54, 54).trim(), first.text(55, 59).replace(' ', "0"));
    // A sign of the power that is not written is a plus, too.
    let power = first.text(60, 61).trim_start().replace(' ', "0");
    let power = if power.is_empty() { "0".to_owned() } else { power };
    let is_number = ["", "-", "+", "0"].contains(&sign) && digits.bytes().all(|digit| digit.is_ascii_digit());
    let power: i8 = power.parse().map_err(|_| wrong())?;
    let sign = if sign == "-" { "-" } else { "" };
    format!("{sign}0.{digits}e{power}").parse().ok().filter(|_| is_number).ok_or_else(wrong)
}

/// The year of two digits, 1957 to 2056, and the day of it with eight decimals, each of them 864 000 ns.
fn epoch(first: &Columns<'_>) -> Result<Epoch, String> {
    let wrong = || first.wrong("epoch", 19, 32);
    let year: i32 = first.text(19, 20).trim().parse().map_err(|_| wrong())?;
    let (day, fraction) = first.text(21, 32).split_once('.').ok_or_else(wrong)?;
    let day: u32 = day.trim().parse().map_err(|_| wrong())?;
    let fraction = format!("{:0<8}", fraction.trim_end()).parse::<u32>().map_err(|_| wrong())?;
    let year = if (0..57).contains(&year) { 2000 + year } else { 1900 + year };
    let midnight = NaiveDate::from_yo_opt(year, day).and_then(|date| date.and_hms_opt(0, 0, 0)).ok_or_else(wrong)?;
    let datetime = midnight + TimeDelta::nanoseconds(i64::from(fraction) * 864_000);
    Epoch::new(datetime).ok_or_else(wrong)
}

/// A line whose length, checksum and columns without content have been checked.
struct Columns<'a> {
    which: char,
    line: &'a str,
}

impl<'a> Columns<'a> {
    fn new(which: char, line: &'a str, blank: &[usize]) -> Result<Columns<'a>, String> {
        // Blanks at the end of a line without a checksum are counts that are not given.
        let length = line.trim_end().len().max(line.len().min(UNSUMMED));
        if !line.is_ascii() || !(UNSUMMED..=UNSUMMED + 1).contains(&length) {
            return Err(format!("line {which} has not the 69 characters of elements, or 68 without a checksum"));
        }
        let columns = Columns { which, line };
        if length > UNSUMMED {
            let digit = line.as_bytes()[UNSUMMED];
            let sum = line[..UNSUMMED].bytes().map(value).sum::<u32>() % 10;
            if !digit.is_ascii_digit() || value(digit) != sum {
                let digit = char::from(digit);
                return Err(format!("the checksum of line {which} is {digit}, its characters make {sum}"));
            }
        }
        match blank.iter().find(|&&column| columns.text(column, column) != " ") {
            Some(column) => Err(format!("line {which} has a character in column {column}, which is to be blank")),
            None => Ok(columns),
        }
    }

    fn text(&self, from: usize, to: usize) -> &'a str {
        &self.line[from - 1..to]
    }

    /// A number that has its decimal point.
    fn number(&self, what: &str, from: usize, to: usize) -> Result<f64, String> {
        let text = self.text(from, to).trim();
        // Words such as `inf` are numbers elsewhere.
        let is_number = text.chars().all(|c| c.is_ascii_digit() || "+-.".contains(c));
        text.parse().ok().filter(|_| is_number).ok_or_else(|| self.wrong(what, from, to))
    }

    /// Digits after a decimal point that is not written; blanks are zeros wherever they stand.
    fn assumed_point(&self, what: &str, from: usize, to: usize) -> Result<f64, String> {
        let digits = self.text(from, to).replace(' ', "0");
        let is_number = digits.bytes().all(|digit| digit.is_ascii_digit());
        format!("0.{digits}").parse().ok().filter(|_| is_number).ok_or_else(|| self.wrong(what, from, to))
    }

    fn wrong(&self, what: &str, from: usize, to: usize) -> String {
        let text = self.text(from, to);
        format!("its {what} (line {}, columns {from} to {to}) is `{text}`, which is none", self.which)
    }
}

/// What a character adds to the checksum: a minus sign 1, all but digits nothing.
fn value(character: u8) -> u32 {
    match character {
        b'-' => 1,
        b'0'..=b'9' => u32::from(character - b'0'),
        _ => 0,
    }
}

/// The letters of catalogue numbers from 100 000 on, as Space-Track writes them (Alpha-5).
const LETTERS: &str = "ABCDEFGHJKLMNPQRSTUVWXYZ";
/// The characters of a line without a checksum.
const UNSUMMED: usize = 68;
/// \[STR3\] gives names 24 columns.
const LONGEST_NAME: usize = 24;
