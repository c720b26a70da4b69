//! What is wrong with a scenario, shown in place: the line, a caret under the value, the remedy.

use std::ops::Range;

use ackclock_scenario::{Diagnostic, Place, Severity};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::console;

/// Prints all diagnostics to standard error, in colour where that is wanted.
pub fn print(diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        console::stderr(format_args!("{}\n", render(diagnostic, &Renderer::styled())));
    }
}

/// A diagnostic as it is printed, without colours and without a line feed at the end.
pub fn plain(diagnostic: &Diagnostic) -> String {
    render(diagnostic, &Renderer::plain())
}

/// Each as a sentence without a place, for results.
pub fn sentences(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(Diagnostic::sentence).collect()
}

/// `2 errors, 1 warning`.
pub fn count(diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    let parts = [(errors, "error"), (diagnostics.len() - errors, "warning")];
    let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, what)| plural(*n, what));
    parts.collect::<Vec<_>>().join(", ")
}

/// `1 flow`, `2 flows`.
pub fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// The same, of words that do nothing to a terminal. Lines of files are shown by the renderer, which leaves such characters out.
fn harmless(diagnostic: &Diagnostic) -> Diagnostic {
    let mut harmless = diagnostic.clone();
    for text in [&mut harmless.message, &mut harmless.label].into_iter().chain(&mut harmless.help) {
        *text = console::harmless(text).into_owned();
    }
    harmless.file = console::harmless(&harmless.file).as_ref().into();
    if let Some(place) = &mut harmless.place {
        place.file = console::harmless(&place.file).as_ref().into();
    }
    harmless
}

fn render(diagnostic: &Diagnostic, renderer: &Renderer) -> String {
    let diagnostic = &harmless(diagnostic);
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(diagnostic.message.as_str());
    let mut group = Group::with_title(title);
    group = match &diagnostic.place {
        Some(place) => group.element(snippet(place, &diagnostic.label)),
        None => group.element(Origin::path(&*diagnostic.file)),
    };
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    renderer.render(&[group])
}

fn snippet<'a>(place: &'a Place, label: &'a str) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    let mut annotation = AnnotationKind::Primary.span(within(&place.text, &place.span));
    if !label.is_empty() {
        annotation = annotation.label(label);
    }
    Snippet::source(&*place.text).path(&*place.file).annotation(annotation)
}

/// The span, cut to the text and widened to whole characters, so that it can be shown whatever it is.
fn within(text: &str, span: &Range<usize>) -> Range<usize> {
    let boundary = |at: &usize| text.is_char_boundary(*at);
    let start = (0..=span.start.min(text.len())).rev().find(boundary).unwrap_or(0);
    let end = (span.end.min(text.len())..text.len()).find(boundary).unwrap_or(text.len());
    start..end.max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diagnostic(text: &str, span: Range<usize>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: "unknown queue policy `epd+fba`".into(),
            place: Some(Place { file: "wan.toml".into(), text: text.into(), span }),
            file: "wan.toml".into(),
            label: "known: epd, fba".into(),
            help: Some("write policy = \"fba\"".into()),
        }
    }

    #[test]
    fn an_error_shows_its_line_a_caret_and_the_remedy() {
        let text = "[queue]\npolicy = \"epd+fba\"\nbuffer = \"12000 cells\"\n";
        let shown = render(&diagnostic(text, 17..26), &Renderer::plain());
        insta::assert_snapshot!(shown, @r#"
        error: unknown queue policy `epd+fba`
         --> wan.toml:2:10
          |
        2 | policy = "epd+fba"
          |          ^^^^^^^^^ known: epd, fba
          |
          = help: write policy = "fba"
        "#);
    }

    #[test]
    fn an_error_without_a_place_names_the_file() {
        let mut missing = diagnostic("", 0..0);
        missing.place = None;
        insta::assert_snapshot!(render(&missing, &Renderer::plain()), @r#"
        error: unknown queue policy `epd+fba`
        --> wan.toml
         = help: write policy = "fba"
        "#);
    }

    #[test]
    fn any_span_of_any_text_can_be_shown() {
        for text in ["", "x", "é = \"ü\"\n", "a\r\n\tb = 1\n\n", "\u{feff}x = 1", "a\0b", "\u{202e}"] {
            for start in 0..text.len() + 3 {
                for end in 0..text.len() + 3 {
                    render(&diagnostic(text, start..end), &Renderer::styled());
                }
            }
        }
    }

    #[test]
    fn errors_and_warnings_are_counted_apart() {
        let error = diagnostic("x", 0..1);
        let warning = Diagnostic { severity: Severity::Warning, ..error.clone() };
        assert_eq!(count(&[error.clone(), error.clone()]), "2 errors");
        assert_eq!(count(&[error, warning.clone()]), "1 error, 1 warning");
        assert_eq!(count(&[warning]), "1 warning");
    }
}
