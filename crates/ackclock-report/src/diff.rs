//! Which lines of two texts differ.

/// A line of the one text, of the other, or of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// In both.
    Same(&'a str),
    /// Only in the first.
    Removed(&'a str),
    /// Only in the second.
    Added(&'a str),
}

/// The lines of both texts with as many in common as possible; `None` if the texts are too long for that.
pub fn lines<'a>(old: &'a str, new: &'a str) -> Option<Vec<Line<'a>>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    // Most of two scenarios is the same: only the middle needs a table.
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let middle = between(&old[head..old.len() - tail], &new[head..new.len() - tail])?;
    let same = |lines: &[&'a str]| lines.iter().copied().map(Line::Same).collect::<Vec<_>>();
    Some([same(&old[..head]), middle, same(&old[old.len() - tail..])].concat())
}

/// The differing lines of two texts with `context` equal lines around them; `None` stands for lines left out.
pub fn shortened<'a>(lines: &[Line<'a>], context: usize) -> Vec<Option<Line<'a>>> {
    let differs: Vec<bool> = lines.iter().map(|line| !matches!(line, Line::Same(_))).collect();
    let near = |n: usize| differs[n.saturating_sub(context)..(n + context + 1).min(lines.len())].contains(&true);
    let mut shown: Vec<Option<Line>> = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        if near(n) {
            shown.push(Some(*line));
        } else if shown.last() != Some(&None) {
            shown.push(None);
        }
    }
    shown
}

/// A longest common subsequence, by the table of the lengths of those of all tails.
fn between<'a>(old: &[&'a str], new: &[&'a str]) -> Option<Vec<Line<'a>>> {
    let width = new.len() + 1;
    if (old.len() + 1).saturating_mul(width) > LARGEST_TABLE {
        return None;
    }
    let mut longest = vec![0u32; (old.len() + 1) * width];
    for a in (0..old.len()).rev() {
        for b in (0..new.len()).rev() {
            longest[a * width + b] = match old[a] == new[b] {
                true => longest[(a + 1) * width + b + 1] + 1,
                false => longest[(a + 1) * width + b].max(longest[a * width + b + 1]),
            };
        }
    }
    let (mut a, mut b) = (0, 0);
    let mut lines = Vec::new();
    while a < old.len() || b < new.len() {
        if a < old.len() && b < new.len() && old[a] == new[b] {
            lines.push(Line::Same(old[a]));
            (a, b) = (a + 1, b + 1);
        } else if b == new.len() || a < old.len() && longest[(a + 1) * width + b] >= longest[a * width + b + 1] {
            lines.push(Line::Removed(old[a]));
            a += 1;
        } else {
            lines.push(Line::Added(new[b]));
            b += 1;
        }
    }
    Some(lines)
}

/// 16 MB of lengths.
const LARGEST_TABLE: usize = 4_000_000;

#[cfg(test)]
mod tests {
    use super::Line::*;
    use super::*;

    #[test]
    fn a_changed_line_is_removed_and_added_among_equal_ones() {
        let lines = lines("a\nb\nc\nd\n", "a\nx\nc\nd\ne\n").unwrap();
        assert_eq!(lines, [Same("a"), Removed("b"), Added("x"), Same("c"), Same("d"), Added("e")]);
    }

    #[test]
    fn equal_and_empty_texts_differ_in_nothing() {
        assert_eq!(lines("a\nb", "a\nb").unwrap(), [Same("a"), Same("b")]);
        assert_eq!(lines("", "").unwrap(), []);
        assert_eq!(lines("", "a").unwrap(), [Added("a")]);
        assert_eq!(lines("a\na", "a").unwrap().len(), 2);
    }

    #[test]
    fn both_texts_can_be_read_from_the_lines() {
        let (old, new) = ("1\n2\n3\n4\n5\n6", "0\n2\n4\n3\n6\n7");
        let lines = lines(old, new).unwrap();
        let first: Vec<&str> =
            lines.iter().filter_map(|line| if let Same(t) | Removed(t) = line { Some(*t) } else { None }).collect();
        let second: Vec<&str> =
            lines.iter().filter_map(|line| if let Same(t) | Added(t) = line { Some(*t) } else { None }).collect();
        assert_eq!((first.join("\n"), second.join("\n")), (old.to_string(), new.to_string()));
    }

    #[test]
    fn texts_too_long_to_compare_are_not_compared() {
        let long = |sign: &str| (0..3000).map(|n| format!("{sign}{n}\n")).collect::<String>();
        assert_eq!(lines(&long("a"), &long("b")), None);
        assert!(lines(&long("a"), &long("a")).is_some());
    }

    #[test]
    fn equal_lines_far_from_a_difference_are_left_out() {
        let all = lines("1\n2\n3\n4\n5\n6\n7\n8", "1\n2\n3\nx\n5\n6\n7\n8").unwrap();
        let shown = shortened(&all, 1);
        assert_eq!(shown, [None, Some(Same("3")), Some(Removed("4")), Some(Added("x")), Some(Same("5")), None]);
    }
}
