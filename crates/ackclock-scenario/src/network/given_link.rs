//! What the keys of the tables of a link say, as its parameters.

use std::sync::Arc;

use ackclock::keys::{Dimension, Quantity, Setting};
use ackclock::law::Law;
use ackclock::link::{ErrorParams, JitterLaw, JitterParams, LinkParams, LinkSchedule, Medium, ReorderParams};
use ackclock::units::{Rate, Span};

use super::link_schedule::link_schedule;
use crate::settings::Settings;
use crate::text::diagnostic::{At, Report};
use crate::value::{FileValue, LinkErrors};

/// One direction of a link.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    pub(crate) rate: Rate,
    pub(crate) delay: Span,
    /// The medium on which it sends, if it shares one.
    pub(crate) medium: Option<Arc<Medium>>,
    /// Where that is said.
    pub(crate) medium_at: Option<At>,
    pub(crate) params: LinkParams,
    pub(crate) mtu: Option<Mtu>,
}

/// The largest IP datagram that a link carries, and where that is said.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mtu {
    pub(crate) bytes: u32,
    pub(crate) at: Option<At>,
}

/// What the keys of a table, or of several laid over one another, make of a link or of one direction.
pub(super) struct GivenLink<'a> {
    rate: Rate,
    delay: Span,
    medium: Option<Arc<Medium>>,
    medium_at: Option<At>,
    link_schedule: Option<LinkSchedule>,
    pub(super) errors: &'a [LinkErrors],
    jitter: Option<JitterParams>,
    reorder: Option<ReorderParams>,
    duplicate: f64,
    mtu: Option<Mtu>,
}

impl GivenLink<'_> {
    /// What it makes of the direction of this name.
    pub(super) fn direction(&self, name: &str) -> Direction {
        let here = self.errors.iter().filter(|errors| errors.direction.as_ref().is_none_or(|of| of.text == name));
        let errors: Vec<ErrorParams> = here.map(|errors| errors.params.clone()).collect();
        let (jitter, reorder) = (self.jitter.clone(), self.reorder.clone());
        let schedule = self.link_schedule.clone().map(Box::new);
        let params = LinkParams { schedule, errors, jitter, reorder, duplicate: self.duplicate };
        Direction {
            rate: self.rate,
            delay: self.delay,
            medium: self.medium.clone(),
            medium_at: self.medium_at,
            params,
            mtu: self.mtu,
        }
    }
}

/// The parameters of the link called `name`, from settings with a rate and a delay.
pub(super) fn params<'s>(
    settings: &'s Settings,
    medium: Option<Arc<Medium>>,
    name: &str,
    duration: Option<Span>,
    report: &mut Report,
) -> Option<GivenLink<'s>> {
    let link_schedule = link_schedule(settings, name, duration, report);
    let errors = match settings.value("errors") {
        Some(FileValue::Errors(all)) => all.as_slice(),
        _ => &[],
    };
    let mtu = match settings.has("mtu") {
        true => Some(Mtu { bytes: u32::try_from(settings.amount("mtu")?).ok()?, at: settings.at("mtu") }),
        false => None,
    };
    let (rate, delay) = (settings.rate("rate")?, settings.span("delay")?);
    let (jitter, reorder, duplicate) = (jitter(settings)?, reorder(settings)?, settings.number("duplicate")?);
    let longest = jitter.as_ref().map_or(Span::ZERO, JitterParams::longest);
    if longest > delay {
        let spelled = |span: Span| Quantity { dimension: Dimension::Time, amount: span.as_ps() }.canonical();
        let problem =
            format!("`jitter` is up to {}, more than the delay of {name}, {}", spelled(longest), spelled(delay));
        report
            .warning(settings.at("jitter"), problem)
            .label("it is added to the delay, which may more than double")
            .help("a link with so much jitter usually has a longer delay too");
    }
    let medium_at = settings.at("medium");
    Some(GivenLink {
        rate,
        delay,
        medium,
        medium_at,
        link_schedule: link_schedule?,
        errors,
        jitter,
        reorder,
        duplicate,
        mtu,
    })
}

/// What packets take longer, if they do. `None`: wrong, and reported.
fn jitter(settings: &Settings) -> Option<Option<JitterParams>> {
    let law = match settings.value("jitter")? {
        FileValue::Setting(table @ Setting::Table(_)) => JitterLaw::By(Law::read(table).ok()?),
        value => JitterLaw::Below(Span::from_ps(value.quantity()?.amount)),
    };
    let overtaking = settings.flag("overtaking")?;
    Some((law != JitterLaw::Below(Span::ZERO)).then_some(JitterParams { law, overtaking }))
}

/// Which packets are held back, if some are.
fn reorder(settings: &Settings) -> Option<Option<ReorderParams>> {
    if !settings.has("reorder") {
        return Some(None);
    }
    Some(Some(ReorderParams::read(settings.table("reorder")?).ok()?))
}
