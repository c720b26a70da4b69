use super::*;
use crate::document::Vc;
use crate::document::example::{example, example_with_warmup, with_abr, with_delays, with_feedback};

fn written(name: &str, document: &Document) -> (PathBuf, Run) {
    let place = std::env::temp_dir().join(format!("ackclock-{}-flows-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&place);
    let mut run = document.runs[0].clone();
    run.parts = write_run(&folder_of(&place, run.seed), &document.scenario, &run);
    (place, run)
}

fn write_run(folder: &Path, scenario: &ScenarioPart, run: &Run) -> PartFiles {
    let [flows, udp, ports, links] = PARTS;
    let mut files = Files::new(folder, scenario, run).unwrap();
    files.add(flows, run.flows.iter()).unwrap();
    files.add(udp, run.udp.iter()).unwrap();
    files.add(ports, run.ports.iter()).unwrap();
    files.add(links, run.links.iter()).unwrap();
    files.written
}

/// All that a document can say of flows, datagrams, ports and links; and of flows of which each has something else.
#[test]
fn every_part_of_a_run_comes_back_to_the_last_bit() {
    let mut mixed = with_delays(example_with_warmup(5, 4, 1));
    let run = &mut mixed.runs[0];
    run.flows[0].timeout_times_s = vec![0.1, 1.0 / 3.0];
    run.flows[1].one_way_delay = None;
    (run.flows[2].completed_s, run.flows[3].limited, run.flows[4].after_warmup) = (Some(-0.0), None, None);
    (run.flows[3].counts.bytes_sent, run.flows[4].timeout_times_s) = (i64::MAX as u64, vec![2.0]);
    run.ports[1].vcs.clear();
    run.ports[2].after_warmup = None;
    run.flows[1].name = "f\u{e9}.x,\"".into();
    let all = [
        ("plain", example(3, 2, 1)),
        ("warmup", example_with_warmup(3, 2, 1)),
        ("delays", with_delays(example_with_warmup(3, 2, 1))),
        ("abr", with_abr(example_with_warmup(3, 2, 1))),
        ("feedback", with_feedback(example(3, 2, 1))),
        ("nothing", example(0, 0, 1)),
        ("mixed", mixed),
    ];
    for (name, document) in all {
        let (place, run) = written(name, &document);
        assert!(damage(&place, &run).is_empty(), "{name}: {:?}", damage(&place, &run));
        let mut again = run.kept().into_owned();
        assert!(again.flows.is_empty() && again.ports.is_empty() && again.links.is_empty() && again.udp.is_empty());
        fill(&place, &mut again).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), serde_json::to_string(&run).unwrap(), "{name}");
        assert_eq!(again, run, "{name}");
        std::fs::remove_dir_all(place).unwrap();
    }
}

#[test]
fn rows_are_cut_into_groups_as_other_tables_are() {
    let mut document = example(0, 1, 1);
    let vc =
        Vc { name: String::new(), arrivals: 0, departures: 0, drops: 0, mean_queue: 0.5, max_queue: 0, final_queue: 0 };
    let vcs = (0..ROWS_PER_GROUP + 3).map(|n| Vc { name: format!("f{n}"), arrivals: n as u64, ..vc.clone() });
    document.runs[0].ports[0].vcs = vcs.collect();
    let (place, run) = written("groups", &document);
    let file = File::open(path_of(&folder_of(&place, 1), "ports.vcs")).unwrap();
    assert_eq!(ackclock_columns::open(file).unwrap().num_row_groups(), 2);
    let mut again = run.kept().into_owned();
    fill(&place, &mut again).unwrap();
    assert!(again == run);
    std::fs::remove_dir_all(place).unwrap();
}

/// Whoever forges the document, too, gets an error, and nothing outside of the folder is read.
#[test]
fn what_does_not_fit_together_is_an_error() {
    let (place, run) = written("forged", &example_with_warmup(3, 2, 1));
    let folder = folder_of(&place, 1);
    let refused = |parts: PartFiles| {
        let mut run = Run { parts, ..run.kept().into_owned() };
        let error = fill(&place, &mut run).unwrap_err().to_string();
        assert!(run.flows.is_empty());
        error
    };
    let with = |name: &str, part: PartFile| PartFiles::from([(name.to_owned(), part)]);
    let flows = run.parts["flows"].clone();
    assert!(refused(with("flows", PartFile { rows: 4, ..flows.clone() })).contains("the 4 rows that were written"));
    assert!(refused(with("flows", PartFile { bytes: 1, ..flows.clone() })).contains(" bytes, 1 were written"));
    // Ports in the place of flows, with their checksum.
    std::fs::copy(path_of(&folder, "ports"), path_of(&folder, "flows")).unwrap();
    let error = refused(PartFiles::from([("flows".to_owned(), run.parts["ports"].clone())]));
    assert!(error.contains("flows.parquet` is damaged: "), "{error}");
    // Lists without their elements, and a name that leads elsewhere.
    let without: PartFiles = run.parts.clone().into_iter().filter(|(name, _)| name != "links.vcs").collect();
    std::fs::remove_dir_all(&folder).unwrap();
    write_run(&folder, &example(0, 0, 1).scenario, &run);
    assert!(refused(without).contains("its lists have 1 elements, and there are 0"));
    let elsewhere = Run { parts: with("flows/../../x", flows), ..run.kept().into_owned() };
    let found = damage(&place, &elsewhere);
    assert!(found.iter().any(|error| error.to_string().contains("a run has no part of this name")), "{found:?}");
    std::fs::remove_dir_all(place).unwrap();
}
