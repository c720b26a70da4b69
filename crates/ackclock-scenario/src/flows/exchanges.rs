//! Exchanges of requests and responses: a flow with data in both directions becomes two that share a connection.

use ackclock::ids::{FlowId, Id};
use ackclock::scenario::{Flow, Technology};
use ackclock::tcp::application::{Bulk, Exchanges, Mechanism};
use ackclock::tcp::{ApplicationParams, FirstSegment, HostModel, TcpParams};
use ackclock::units::Span;

use crate::flows::{GivenKeys, PlannedFlow};
use crate::text::diagnostic::Report;

/// What the flow of the responses is called, after that of the requests.
const BACK: &str = "-back";

/// Adds to each flow with exchanges the flow of its responses, behind all others. `None`: wrong, and reported.
pub(crate) fn add_responses(flows: &mut Vec<PlannedFlow>, technology: Technology, report: &mut Report) -> Option<()> {
    let has_exchanges = |planned: &PlannedFlow| matches!(*planned.flow.application, ApplicationParams::Exchanges(_));
    let mut backs = Vec::new();
    let mut is_right = true;
    for (number, planned) in flows.iter().enumerate().filter(|(_, planned)| has_exchanges(planned)) {
        is_right &= check(planned, technology, report);
        let name = format!("{}{BACK}", planned.flow.name);
        if flows.iter().any(|other| other.flow.name == name || other.flow.group.as_deref() == Some(&name)) {
            report
                .error(
                    planned.given.common.settings.own.at("application"),
                    format!("there is a flow or a group {name} already"),
                )
                .label(format!("the responses of {} would have that name", planned.flow.name))
                .help("give one of both another name");
            is_right = false;
        }
        backs.push(responses(name, FlowId::from_index(number), planned));
    }
    flows.extend(backs);
    is_right.then_some(())
}

/// The other direction of a connection: it neither opens nor closes it.
fn responses(name: String, of: FlowId, planned: &PlannedFlow) -> PlannedFlow {
    let PlannedFlow { flow, given } = planned;
    let [there, back] = &given.route_changes;
    PlannedFlow {
        flow: Flow {
            name,
            group: flow.group.clone(),
            forward: flow.backward.clone(),
            backward: flow.forward.clone(),
            start: flow.start,
            start_jitter: Span::ZERO,
            stop: None,
            size: None,
            application: ApplicationParams::Bulk(()).into(),
            service: flow.service.clone(),
            tcp: TcpParams { handshake: false, fin: false, ..TcpParams::clone(&flow.tcp) }.into(),
            forced_drops: Vec::new(),
            back_of: Some(of),
        },
        given: GivenKeys {
            common: given.common.clone(),
            files: None,
            has_table: false,
            is_generated: true,
            default_routes: given.default_routes,
            route_changes: [back.clone(), there.clone()],
            path_mtu: given.path_mtu,
        },
    }
}

/// Whether a flow can have exchanges; else it is said why not.
fn check(planned: &PlannedFlow, technology: Technology, report: &mut Report) -> bool {
    let (flow, keys) = (&planned.flow, &planned.given.common.settings.own);
    let name = Exchanges::NAME;
    let mut refuse = |at, problem: String, label: &str, help: String| {
        report.error(at, problem).label(label).help(help);
    };
    let here = keys.at("application");
    let tcp = &planned.given.common.tcp_settings.own;
    if let Technology::Atm { .. } = technology {
        let help = format!("write technology = \"packet\" in [network], or application = {:?}", Bulk::NAME);
        refuse(here, format!("{name:?} is for packet networks"), "cells carry data in one direction", help);
    } else if flow.size.is_some() {
        let problem = format!("`size` does not go with application = {name:?}");
        let help = format!("leave it out; `request` and `response` in [traffic.{name}] are sizes");
        refuse(keys.at("size").or(here), problem, "its exchanges have sizes", help);
    } else if flow.stop.is_some() {
        let problem = format!("`stop` does not go with application = {name:?}");
        let help = format!("leave it out; `count` in [traffic.{name}] says how many exchanges there are");
        refuse(keys.at("stop").or(here), problem, "a session ends with its last exchange", help);
    } else if flow.tcp.first_segment == FirstSegment::Empty {
        let problem = format!("{}: an empty first segment does not go with application = {name:?}", flow.name);
        let help = "write first_segment = \"data\" in [tcp]".to_owned();
        refuse(tcp.at("first_segment").or(here), problem, "it would be an empty request", help);
    } else if flow.tcp.reading.is_some() {
        let problem = format!("`reads` does not go with application = {name:?}");
        let help = "leave it out: both ends read at once".to_owned();
        refuse(keys.at("reads").or(here), problem, "of files and streams only", help);
    } else if !matches!(flow.tcp.host, HostModel::Immediate) {
        let problem = format!("{}: hosts that take time do not go with application = {name:?}", flow.name);
        let help = "write host = \"immediate\" in [tcp]".to_owned();
        refuse(tcp.at("host").or(here), problem, "acknowledgements go with data", help);
    } else {
        return true;
    }
    false
}
