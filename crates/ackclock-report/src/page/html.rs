//! Pieces of HTML. Markup is what stands in our source; whatever comes from outside enters as text, escaped.

/// A piece of HTML in which every element is closed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Html(String);

impl Html {
    /// Nothing.
    pub fn new() -> Html {
        Html::default()
    }

    /// A piece with one element.
    pub fn of(tag: &'static str, content: impl FnOnce(&mut Html)) -> Html {
        let mut html = Html::new();
        html.tag(tag, &[], content);
        html
    }

    /// An element of a class around a piece; an empty class is left out.
    pub fn of_class(tag: &'static str, class: &str, content: &Html) -> Html {
        let mut html = Html::new();
        html.tag(tag, &[("class", class)], |html| {
            html.append(content);
        });
        html
    }

    /// An element: its name, its attributes, what is inside. An attribute with an empty value is left out.
    pub fn tag(
        &mut self,
        name: &'static str,
        attributes: &[(&'static str, &str)],
        content: impl FnOnce(&mut Html),
    ) -> &mut Html {
        self.0 += "<";
        self.0 += name;
        for (attribute, value) in attributes.iter().filter(|(_, value)| !value.is_empty()) {
            self.0 += " ";
            self.0 += attribute;
            self.0 += "=\"";
            self.0 += &escape(value);
            self.0 += "\"";
        }
        self.0 += ">";
        content(self);
        self.0 += "</";
        self.0 += name;
        self.0 += ">";
        self
    }

    /// An element that holds nothing but text.
    pub fn leaf(&mut self, name: &'static str, attributes: &[(&'static str, &str)], text: &str) -> &mut Html {
        self.tag(name, attributes, |html| {
            html.text(text);
        })
    }

    /// Text.
    pub fn text(&mut self, text: &str) -> &mut Html {
        self.0 += &escape(text);
        self
    }

    /// Markup of ours: the type makes sure that it stands in the source.
    pub fn markup(&mut self, markup: &'static str) -> &mut Html {
        self.0 += markup;
        self
    }

    /// Another piece after this one.
    pub fn append(&mut self, other: &Html) -> &mut Html {
        self.0 += &other.0;
        self
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The HTML as it is written into a file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The text such that a browser shows it and obeys nothing in it, within an element or a quoted attribute.
pub fn escape(text: &str) -> String {
    // Most texts of a page of many points are numbers.
    let is_plain = |octet: u8| matches!(octet, b' '..=b'~') && !matches!(octet, b'&' | b'<' | b'>' | b'"' | b'\'');
    if text.bytes().all(is_plain) {
        return text.to_owned();
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            '\n' | '\t' => escaped.push(c),
            // Control characters have no meaning in HTML, and those of the direction of writing reach beyond the text.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => escaped.push('\u{fffd}'),
            c if c.is_control() => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// JSON such that it can stand within a `script` element, which ends at `</script` wherever that stands.
pub fn json_in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_shown_and_never_obeyed() {
        let mut html = Html::new();
        html.leaf("p", &[("title", "a\"b' onclick='x")], "<script>alert(1)</script> & \u{e9}\u{1f6f0}");
        assert_eq!(
            html.as_str(),
            "<p title=\"a&quot;b&#39; onclick=&#39;x\">&lt;script&gt;alert(1)&lt;/script&gt; &amp; \u{e9}\u{1f6f0}</p>"
        );
    }

    #[test]
    fn control_characters_do_not_pass() {
        assert_eq!(escape("a\0b\x1b[2J\u{202e}c\nd"), "a\u{fffd}b\u{fffd}[2J\u{fffd}c\nd");
    }

    #[test]
    fn elements_nest_and_empty_attributes_are_left_out() {
        let mut html = Html::new();
        html.tag("ul", &[("class", "")], |html| {
            html.leaf("li", &[], "one").leaf("li", &[], "two");
        });
        assert_eq!(html.as_str(), "<ul><li>one</li><li>two</li></ul>");
    }

    #[test]
    fn json_cannot_end_its_script() {
        let json = json_in_script("{\"a\":\"</script><!--\"}");
        assert!(!json.contains('<'));
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["a"], "</script><!--");
    }
}
