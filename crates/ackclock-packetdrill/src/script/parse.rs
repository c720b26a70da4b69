//! The order of a script: options, commands, events.

use super::ast::{Action, Event, Named, Script, Shell, When};
use super::cursor::{Cursor, PAGE, Trouble};
use super::{call, packet};

pub(super) fn script(cursor: &mut Cursor<'_>) -> Result<Script, Trouble> {
    let mut script = Script::default();
    loop {
        cursor.skip_space();
        if cursor.is_at_end() {
            break;
        }
        let line = cursor.line();
        if cursor.accept("--") {
            script.options.push(option(cursor, line));
        } else if cursor.accept("`") {
            let shell = Shell { line, text: cursor.take_until("`")?.to_string() };
            match script.events.last() {
                None => script.init.push(shell),
                // Commands at the end of a script clean up.
                Some(_) => {
                    let (text, time) = (shell.text, When::Relative(0));
                    script.events.push(Event { line, text: text.clone(), time, action: Action::Shell(text) });
                }
            }
        } else {
            let event = event(cursor, line)?;
            script.events.push(event);
        }
    }
    if script.events.is_empty() {
        return Err(Trouble::new(cursor.line(), "the script has no events", PAGE));
    }
    Ok(script)
}

fn option(cursor: &mut Cursor<'_>, line: usize) -> Named {
    let text = cursor.rest_of_line();
    cursor.advance(text.len());
    let text = text.split("//").next().unwrap_or_default().trim();
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    Named { line, name: name.trim().to_string(), value: value.trim().to_string() }
}

fn event(cursor: &mut Cursor<'_>, line: usize) -> Result<Event, Trouble> {
    let text = cursor.rest_of_line().to_string();
    let (time, end) = time(cursor)?;
    cursor.skip_space();
    let action = match cursor.peek() {
        Some('<') => {
            cursor.advance(1);
            Action::In(packet::packet(cursor)?)
        }
        Some('>') => {
            cursor.advance(1);
            Action::Out(packet::packet(cursor)?)
        }
        Some('`') => {
            cursor.advance(1);
            Action::Shell(cursor.take_until("`")?.to_string())
        }
        Some('%') => {
            cursor.expect("%{")?;
            Action::Code(cursor.take_until("}%")?.to_string())
        }
        Some(c) if c.is_ascii_alphabetic() => Action::Call(call::call(cursor, end)?),
        _ => return Err(cursor.unexpected("expected `<`, `>`, a call, `%{` or a backquote after the time")),
    };
    Ok(Event { line, text, time, action })
}

/// The time of an event, and when it ends if it is a call that waits.
fn time(cursor: &mut Cursor<'_>) -> Result<(When, Option<i64>), Trouble> {
    if cursor.accept("*") {
        return Ok((When::Any, None));
    }
    let relative = cursor.accept("+");
    let start = seconds(cursor)?;
    if cursor.accept("~") {
        cursor.accept("+");
        let end = seconds(cursor)?;
        return Ok((if relative { When::RelativeRange(start, end) } else { When::AbsoluteRange(start, end) }, None));
    }
    let end = if cursor.accept("...") { Some(seconds(cursor)?) } else { None };
    Ok((if relative { When::Relative(start) } else { When::Absolute(start) }, end))
}

/// A time in seconds, in microseconds.
fn seconds(cursor: &mut Cursor<'_>) -> Result<i64, Trouble> {
    cursor.skip_space();
    let whole = cursor.take_while(|c| c.is_ascii_digit());
    let rest = cursor.rest();
    let mut fraction = "";
    // "0...0.1" is a range: its first dot is no decimal point.
    if rest.starts_with('.') && !rest.starts_with("...") {
        cursor.advance(1);
        fraction = cursor.take_while(|c| c.is_ascii_digit());
    }
    if whole.is_empty() && fraction.is_empty() {
        return Err(cursor.unexpected("expected a time in seconds, as in 0.1, +.1 or *"));
    }
    let us = format!("{fraction:0<6}");
    let (whole, us) = (whole.parse().unwrap_or(0i64), us[..6].parse().unwrap_or(0i64));
    Ok(whole.saturating_mul(1_000_000).saturating_add(us))
}
