//! The delay over time as text.

use ackclock::units::Span;

use crate::scenes::{bent_pipe, ends, study};

#[test]
fn lines_have_delays_paths_and_events() {
    let plan = study().plan().unwrap();
    let (from, to) = ends(&plan);
    let mut text = Vec::new();
    plan.write_csv(from, to, Span::from_secs(100), &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "t_s,owd_ms,path,event");
    assert!(lines[1].starts_with("0,33.88"), "{}", lines[1]);
    assert!(lines[1].ends_with(",Berkeley: acquired 3.4 (start); Boston: acquired 5.4 (start)"), "{}", lines[1]);
    // 0 to 600 in steps of 100, and 390 and 520.
    assert_eq!(lines.len(), 1 + 7 + 2, "{text}");
    let at_390 = lines.iter().find(|line| line.starts_with("390,")).unwrap();
    assert!(at_390.starts_with("390,47.3"), "{at_390}");
    assert!(at_390.contains(",Berkeley > 3.4 > 3.3 > 4.3 > 5.3 > Boston,"), "{at_390}");
    assert!(at_390.ends_with("Boston: handover 5.4 to 5.3 (below-mask)"), "{at_390}");
}

#[test]
fn without_a_path_the_event_says_why() {
    let plan = bent_pipe(-170.0).plan().unwrap();
    let (from, to) = ends(&plan);
    let mut text = Vec::new();
    plan.write_csv(from, to, Span::from_secs(600), &mut text).unwrap();
    assert_eq!(
        String::from_utf8(text).unwrap(),
        "t_s,owd_ms,path,event\n\
         0,,,San Francisco: acquired geo (start); `New York` has no satellite above its elevation mask\n\
         600,,,`New York` has no satellite above its elevation mask\n"
    );
}
