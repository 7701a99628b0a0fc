//! What a Hub session shows about an adapted engine: the program's own name and parameters. A new
//! value of a parameter starts the program again, because not every program accepts one later.

use std::collections::BTreeMap;
use std::time::Duration;

use movegen::Variant;

use super::{Adapter, AdapterError, AdapterOptions};
use crate::protocol::hub::{HubError, Line, LineWriter, Params, Settings};
use crate::runner::{Identity, Parameter};

/// Longest thinking time when `go think` comes without any limit, as in our own engine.
const SAFETY_TIME: Duration = Duration::from_secs(60);

/// The arguments of `param`, in the order that some clients need.
const ARGUMENTS: [&str; 6] = ["name", "value", "type", "min", "max", "values"];

/// What a Hub session shows about an adapted engine.
#[derive(Clone, Debug)]
pub struct AdapterSettings {
    /// With those parameters that are given or set.
    options: AdapterOptions,
    /// The parameters at the start.
    given: BTreeMap<String, String>,
    identity: Identity,
}

impl AdapterSettings {
    /// The parameters that the adapter was started with.
    #[must_use]
    pub fn new(adapter: &Adapter) -> AdapterSettings {
        let options = adapter.options.clone();
        let given = options.engine.params.clone();
        AdapterSettings { options, given, identity: adapter.identity() }
    }

    fn params(&self) -> &BTreeMap<String, String> {
        &self.options.engine.params
    }

    fn declaration(&self, parameter: &Parameter) -> String {
        let Ok(Some(line)) = Line::parse(&parameter.declaration) else {
            return parameter.declaration.clone();
        };
        let set = self.params().get(&parameter.name).map(String::as_str);
        let value = |name| line.value(name).filter(|_| name != "value" || set.is_none());
        let arguments = ARGUMENTS.iter().filter_map(|&name| {
            let set = set.filter(|_| name == "value");
            Some((name, set.or_else(|| value(name))?))
        });
        let writer = LineWriter::new(line.command());
        arguments.fold(writer, |writer, (name, value)| writer.arg(name, value)).finish()
    }
}

impl Settings for AdapterSettings {
    type Engine = Adapter;
    type Error = AdapterError;

    fn id(&self) -> String {
        let Identity { name, version, author, .. } = &self.identity;
        let line = LineWriter::new("id").arg("name", name.as_deref().unwrap_or("?"));
        let line = line.arg("version", version.as_deref().unwrap_or("?"));
        line.quoted("author", author.as_deref().unwrap_or("?")).finish()
    }

    fn declarations(&self) -> Vec<String> {
        self.identity.parameters.iter().map(|parameter| self.declaration(parameter)).collect()
    }

    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), HubError> {
        let Some(declared) = self.identity.parameters.iter().find(|p| p.name == name) else {
            return Ok(());
        };
        let value = value.ok_or(HubError::IncompleteParam("value"))?;
        if name == Params::VARIANT && value.parse::<Variant>().is_err() {
            return Err(Params::no_variant(value));
        }
        let params = &mut self.options.engine.params;
        if value != params.get(name).unwrap_or(&declared.value) {
            params.insert(name.to_owned(), value.to_owned());
        }
        Ok(())
    }

    fn are_alike(&self, other: &AdapterSettings) -> bool {
        self.params() == other.params()
    }

    fn safety_time(&self) -> Duration {
        SAFETY_TIME
    }

    fn variant(&self) -> Variant {
        let declared = self.identity.parameters.iter().find(|p| p.name == Params::VARIANT);
        let set = self.params().get(Params::VARIANT).or(declared.map(|declared| &declared.value));
        let ours = self.options.variant;
        let said = set.and_then(|name| name.parse().ok()).unwrap_or(ours);
        // Frysk! is Frisian to the program.
        if said.hub_name() == ours.hub_name() { ours } else { said }
    }

    fn apply(&self, engine: &mut Option<Adapter>) -> Result<(), AdapterError> {
        match engine {
            Some(adapter) => adapter.configure(self.params()),
            None => {
                *engine = Some(Adapter::start(self.options.clone(), &|_, _| {})?);
                Ok(())
            }
        }
    }

    fn fall_back(&mut self, applied: Option<&AdapterSettings>, _error: &AdapterError) -> bool {
        // The program still has them.
        let params = applied.map_or(&self.given, AdapterSettings::params);
        self.options.engine.params.clone_from(params);
        false
    }
}
