//! Orbit Mean-Elements Messages as XML, \[CCSDS-505\], taken apart into messages of keys and texts.
//!
//! A message is a `<segment>`, or an `<omm>` that has none, or the whole file if it has neither. All elements have to end: a file
//! that was cut off is refused, wherever that happened, and never read as fewer satellites.

use super::omm::{self, Message};
use super::set::{FORMATS, ReadSets, wrong};
use crate::error::SatError;

/// An element that is open: its name without the prefix of a namespace, the key that its text belongs to, where its text begins.
struct Open<'a> {
    name: &'a str,
    key: &'a str,
    from: usize,
    /// Whether it holds elements, or messages.
    has_elements: bool,
    has_messages: bool,
}

/// The element sets of a file, each or what is wrong with it.
pub(super) fn read(file: &str, text: &str) -> Result<ReadSets, SatError> {
    let mut sets = ReadSets::new();
    let mut message = Message::new();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut at = 0;
    while let Some(begin) = text[at..].find('<').map(|found| at + found) {
        let place = || format!("{file}:{}", 1 + text[..begin].matches('\n').count());
        let refused = |problem: &str| wrong(&place(), None, problem, "fetch the file again, whole and unchanged");
        let markup = Markup::read(&text[begin..]).ok_or_else(|| refused("this part of the XML does not end"))?;
        at = begin + markup.length();
        match markup {
            Markup::Other(_) => {}
            Markup::Empty(_) => {
                if let Some(parent) = open.last_mut() {
                    parent.has_elements = true;
                }
            }
            Markup::Begin(tag, _) => {
                if let Some(parent) = open.last_mut() {
                    parent.has_elements = true;
                }
                let name = local_name(tag);
                let key = if name == "USER_DEFINED" { attribute(tag, "parameter").unwrap_or(name) } else { name };
                if ["segment", "omm"].contains(&name) && message.contains_key(MARK) {
                    return Err(refused("elements stand outside of the messages of this XML"));
                }
                if name == "omm" {
                    message.clear();
                }
                open.push(Open { name, key, from: at, has_elements: false, has_messages: false });
            }
            Markup::End(tag, _) => {
                let name = local_name(tag);
                let Some(ended) = open.pop().filter(|opened| opened.name == name) else {
                    return Err(refused(&format!("`{name}` ends here in this XML and was not the last to begin")));
                };
                let is_message = name == "segment" || name == "omm" && !ended.has_messages;
                if is_message {
                    sets.push(omm::set(place(), &std::mem::take(&mut message)));
                }
                if let Some(parent) = open.last_mut() {
                    parent.has_messages |= is_message || ended.has_messages;
                }
                if !ended.has_elements && !is_message {
                    let is_second = message.insert(ended.key.to_owned(), content(&text[ended.from..begin])).is_some();
                    if is_second && ended.key == MARK {
                        return Err(refused("two satellites stand in one message of this XML"));
                    }
                }
            }
        }
    }
    if let Some(opened) = open.last() {
        let problem = format!("this XML ends inside of `{}`", opened.name);
        return Err(wrong(file, None, &problem, "fetch the file again, whole"));
    }
    if message.contains_key(MARK) {
        match sets.is_empty() {
            true => sets.push(omm::set(file.to_owned(), &message)),
            false => return Err(wrong(file, None, "elements stand outside of the messages of this XML", FORMATS)),
        }
    }
    Ok(sets)
}

/// What begins with `<`, with its length in bytes.
enum Markup<'a> {
    Begin(&'a str, usize),
    Empty(usize),
    End(&'a str, usize),
    /// A comment, an instruction, a declaration, or text that holds no markup.
    Other(usize),
}

impl<'a> Markup<'a> {
    /// None if it does not end.
    fn read(text: &'a str) -> Option<Markup<'a>> {
        for (begin, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
            if let Some(rest) = text.strip_prefix(begin) {
                return Some(Markup::Other(begin.len() + rest.find(end)? + end.len()));
            }
        }
        // Values of attributes may hold the sign that ends a tag.
        let mut quote = None;
        let end = text.char_indices().find(|&(_, c)| {
            match quote {
                Some(open) if open == c => quote = None,
                None if c == '"' || c == '\'' => quote = Some(c),
                _ => {}
            }
            quote.is_none() && c == '>'
        })?;
        let (tag, length) = (&text[1..end.0], end.0 + 1);
        Some(match tag.strip_prefix('/') {
            Some(name) => Markup::End(name, length),
            None if tag.starts_with('!') => Markup::Other(length),
            None if tag.ends_with('/') => Markup::Empty(length),
            None => Markup::Begin(tag, length),
        })
    }

    fn length(&self) -> usize {
        match *self {
            Markup::Begin(_, length) | Markup::Empty(length) | Markup::End(_, length) | Markup::Other(length) => length,
        }
    }
}

/// The name of a tag without attributes, and without the prefix of a namespace.
fn local_name(tag: &str) -> &str {
    let name = tag.split_whitespace().next().unwrap_or_default();
    name.split_once(':').map_or(name, |(_, name)| name)
}

fn attribute<'a>(tag: &'a str, name: &str) -> Option<&'a str> {
    let rest = tag.split_once(name)?.1.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| "\"'".contains(*c))?;
    rest[1..].split_once(quote).map(|(value, _)| value)
}

/// The text of an element, without comments.
fn content(raw: &str) -> String {
    let mut text = String::new();
    let mut rest = raw;
    while let Some((before, markup)) = rest.split_once('<') {
        text += &unescaped(before);
        let whole = &rest[before.len()..];
        let length = Markup::read(whole).map_or(whole.len(), |found| found.length());
        text += markup.strip_prefix("![CDATA[").and_then(|data| data.split_once("]]>")).map_or("", |(data, _)| data);
        rest = &whole[length..];
    }
    (text + &unescaped(rest)).trim().to_owned()
}

/// XML has five names for characters, and their numbers.
fn unescaped(text: &str) -> String {
    let mut characters = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        characters += before;
        let entity = after.split_once(';').and_then(|(name, after)| Some((character(name)?, after)));
        match entity {
            Some((found, after)) => {
                characters.push(found);
                rest = after;
            }
            None => {
                characters.push('&');
                rest = after;
            }
        }
    }
    characters + rest
}

fn character(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "amp" => Some('&'),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

/// The element that every set has.
const MARK: &str = "MEAN_MOTION";
