//! Where two documents differ.

use serde_json::Value;

/// Each place at which a document says something else than it should, in the words of the document: the names of the
/// members that lead there, and both values.
pub fn places(kept: &Value, right: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(kept, right, &mut String::new(), &mut found);
    found
}

fn walk(kept: &Value, right: &Value, path: &mut String, found: &mut Vec<String>) {
    match (kept, right) {
        (Value::Object(kept_members), Value::Object(right_members)) => {
            for (name, member) in kept_members {
                let right = right_members.get(name).unwrap_or(&Value::Null);
                below(path, &format!(".{name}"), |path| walk(member, right, path, found));
            }
            for (name, member) in right_members.iter().filter(|(name, _)| !kept_members.contains_key(*name)) {
                below(path, &format!(".{name}"), |path| walk(&Value::Null, member, path, found));
            }
        }
        (Value::Array(kept_items), Value::Array(right_items)) if kept_items.len() == right_items.len() => {
            for (n, (kept, right)) in kept_items.iter().zip(right_items).enumerate() {
                below(path, &format!("[{n}]"), |path| walk(kept, right, path, found));
            }
        }
        _ if kept == right => {}
        _ => found.push(format!("{} is {}, computed {}", path.trim_start_matches('.'), shown(kept), shown(right))),
    }
}

fn below(path: &mut String, step: &str, walk: impl FnOnce(&mut String)) {
    let length = path.len();
    path.push_str(step);
    walk(path);
    path.truncate(length);
}

/// A value in few words.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(_) => "an object".into(),
        Value::Array(items) => format!("{} items", items.len()),
        Value::String(text) if text.chars().count() > LONG => {
            format!("\"{}...\"", text.chars().take(LONG).collect::<String>().escape_debug())
        }
        other => other.to_string(),
    }
}

const LONG: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_place_is_named_with_both_values() {
        let right = json!({"a": 1, "b": {"c": [1.5, 2.5], "d": null}, "e": "x"});
        assert_eq!(places(&right, &right), [""; 0]);
        let kept = json!({"a": 2, "b": {"c": [1.5, 2.0], "d": [1, 2]}, "f": "y"});
        assert_eq!(
            places(&kept, &right),
            [
                "a is 2, computed 1",
                "b.c[1] is 2.0, computed 2.5",
                "b.d is 2 items, computed null",
                "f is \"y\", computed null",
                "e is null, computed \"x\"",
            ]
        );
        assert_eq!(places(&json!([1]), &json!([1, 2])), [" is 1 items, computed 2 items"]);
    }
}
