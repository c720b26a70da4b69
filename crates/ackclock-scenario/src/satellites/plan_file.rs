//! A contact plan that is read: whether it is that of the scenario.

use ackclock::units::Time;
use ackclock_sat::plan::{NodeKind, Plan};

use super::{Context, GroundPlace, Satellites};
use crate::check::suggest;
use crate::keys::Section;
use crate::settings::Settings;
use crate::text::diagnostic::Report;
use crate::text::names::natural;
use crate::text::tree::quoted;
use crate::value::FileValue;

impl Satellites {
    /// The plan that is to be read; it has to be that of the other keys, if there are any.
    pub(super) fn plan_file(&mut self, context: &Context<'_>, report: &mut Report) -> Result<Option<Plan>, ()> {
        let Some(path) = self.settings.text("plan").map(str::to_owned) else {
            if let Some(elements) = self.settings.text("elements") {
                // It could be read a moment ago.
                let bytes = context.source.read_referenced(elements).map_err(drop)?;
                self.check_digest(blake3::hash(&bytes).to_hex().to_string(), report)?;
            }
            return Ok(None);
        };
        let at = self.settings.at("plan");
        let (plan, digest) = context.source.plan(&path).map_err(|error| {
            report.error(at, error.problem).label("no contact plan").help(error.help);
        })?;
        self.check_digest(digest, report)?;
        let duration = context.duration.ok_or(())?;
        if plan.end < Time::ZERO + duration {
            let (end, duration) = (plan.end.as_secs_f64(), duration.as_secs_f64());
            report
                .error(at, format!("the plan ends at {end} s, the run lasts {duration} s"))
                .label("too short")
                .help("write it again for a run of this length, or make the run shorter");
            return Err(());
        }
        if let Some(setup) = &self.setup {
            let (ours, theirs) = (setup.settings(), &plan.settings);
            let ends = plan.end == setup.end || ours != *theirs;
            let differs = ours.iter().zip(theirs).find(|(ours, theirs)| ours != theirs);
            if let Some(((key, ours), (_, theirs))) = differs.filter(|_| ends) {
                report
                    .error(at, format!("the plan was made with {key} {theirs}, and the scenario says {ours}"))
                    .label("another plan")
                    .help("write the plan again, or leave out the keys that it was made from");
                return Err(());
            }
        }
        // What happens after the run must not change anything in it.
        let plan = plan.cut(Time::ZERO + duration);
        self.only_known_places(&plan, report)?;
        if self.places.is_empty() {
            let terminals = plan.nodes.iter().filter(|node| node.kind == NodeKind::Terminal);
            let settings = Settings::resolve(Section::Place, &[]);
            let place = |name: &String| GroundPlace { name: name.clone(), at: None, settings: settings.clone() };
            self.places = terminals.map(|node| place(&node.name)).collect();
            self.places.sort_by(|a, b| natural(&a.name, &b.name));
        }
        Ok(Some(plan))
    }

    fn only_known_places(&self, plan: &Plan, report: &mut Report) -> Result<(), ()> {
        let terminals: Vec<&str> =
            plan.nodes.iter().filter(|node| node.kind == NodeKind::Terminal).map(|node| node.name.as_str()).collect();
        if let Some(place) = self.places.iter().find(|place| !terminals.contains(&place.name.as_str())) {
            let near = suggest::nearest(&place.name, terminals.iter().copied());
            report
                .error(place.at, format!("the plan has no place {}", quoted(&place.name)))
                .label(format!("places of the plan: {}", terminals.join(", ")))
                .help_if(near.map(|near| format!("did you mean \"{near}\"?")));
            return Err(());
        }
        Ok(())
    }

    /// Makes sure that a file is the one that was meant, or says from now on which it is.
    fn check_digest(&mut self, digest: String, report: &mut Report) -> Result<(), ()> {
        if self.settings.text("digest").is_some_and(|meant| meant != digest) {
            report
                .error(self.settings.at("digest"), "the file has another digest than `digest`")
                .label(format!("it is {digest}"))
                .help("put the file back, or leave `digest` out if the change is meant");
            return Err(());
        }
        self.settings.set_default("digest", FileValue::Text(digest), "BLAKE3");
        Ok(())
    }
}
