//! Numbers in little room: multiples of a step, each as the difference from the one before.

use std::fmt::Write;

/// Appends `{"q":step,"d":[differences]}`: the values to `digits` significant digits of the largest; `null` where a
/// value is not finite.
pub fn values(json: &mut String, values: &[f64], digits: i32) {
    let largest = values.iter().filter(|v| v.is_finite()).fold(0.0, |a: f64, v| a.max(v.abs()));
    let whole = values.iter().all(|v| !v.is_finite() || v.fract() == 0.0);
    let step = if whole && largest < 1e6 { 1.0 } else { power(largest, digits) };
    write(json, step, values.iter().map(|v| v.is_finite().then(|| (v / step).round() as i64)));
}

/// Instants in JSON. They stay in order and distinct: two equal instants would be one point in a plot.
pub fn instants(json: &mut String, instants: &[f64], end: f64) {
    let step = power(end, TIME_DIGITS);
    let mut last = i64::MIN;
    let apart = instants.iter().map(|t| {
        last = ((t / step).round() as i64).max(last.saturating_add(1));
        Some(last)
    });
    write(json, step, apart);
}

fn write(json: &mut String, step: f64, multiples: impl Iterator<Item = Option<i64>>) {
    // Writing to a string cannot fail.
    let _ = write!(json, "{{\"q\":{step:e},\"d\":[");
    let mut last = 0;
    for (n, multiple) in multiples.enumerate() {
        if n > 0 {
            json.push(',');
        }
        match multiple {
            Some(multiple) => {
                let _ = write!(json, "{}", multiple - last);
                last = multiple;
            }
            None => *json += "null",
        }
    }
    *json += "]}";
}

/// The power of ten of which numbers up to `largest` are multiples to so many digits.
fn power(largest: f64, digits: i32) -> f64 {
    let exponent = if largest > 0.0 { largest.log10().floor() as i32 + 1 - digits } else { 0 };
    // From its text, the power is the nearest number there is.
    format!("1e{exponent}").parse().expect("a number")
}

/// A ten-millionth of the run: a plot of 1600 columns can be enlarged a thousand times.
const TIME_DIGITS: i32 = 7;

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(write: impl FnOnce(&mut String)) -> (f64, Vec<Option<i64>>) {
        let mut json = String::new();
        write(&mut json);
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        let differences = value["d"].as_array().unwrap().iter().map(serde_json::Value::as_i64).collect();
        (value["q"].as_f64().unwrap(), differences)
    }

    #[test]
    fn whole_numbers_stay_exact() {
        assert_eq!(packed(|j| values(j, &[3.0, 950.0, 949.0], 4)), (1.0, vec![Some(3), Some(947), Some(-1)]));
    }

    #[test]
    fn others_keep_their_leading_digits() {
        let (step, differences) = packed(|j| values(j, &[0.0123456, 0.05], 4));
        assert_eq!((step, differences), (1e-5, vec![Some(1235), Some(3765)]));
        assert_eq!(packed(|j| values(j, &[2.5e9, 0.0], 5)).0, 1e5);
    }

    #[test]
    fn what_is_not_finite_is_a_gap() {
        assert_eq!(packed(|j| values(j, &[f64::INFINITY, 2.0, f64::NAN, 3.0], 4)).1, [None, Some(2), None, Some(1)]);
        assert_eq!(packed(|j| values(j, &[], 4)), (1.0, vec![]));
    }

    #[test]
    fn instants_stay_in_order_and_apart() {
        let (step, differences) = packed(|j| instants(j, &[0.0, 0.0, 0.0, 1.0, 1.0], 9.0));
        assert_eq!((step, differences), (1e-6, vec![Some(0), Some(1), Some(1), Some(999_998), Some(1)]));
    }
}
