//! The texts of sites as the package's Python half states them, and the functions that it calls about them.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use nestwise_frontend::ScopeInfo;
use pyo3::prelude::*;

use crate::boundary::answers::{Explained, Lowered, RandomText, Refused};
use crate::commands::explain;
use crate::hooks::driver;
use crate::hooks::functions::SiteFunctions;
use crate::objects::random;
use crate::process::panics;
use crate::site::parsed;
use crate::site::{Site, registry};

/// The text of a site: `nestwise.rewriting.sites.SiteText` without the function's name.
#[derive(FromPyObject)]
pub struct SiteText {
    text: String,
    first_line: u32,
    indented: bool,
    module_level: bool,
    local_names: HashSet<String>,
    bound_names: HashSet<String>,
    value: bool,
    mappings: HashSet<String>,
    records: bool,
    regions: bool,
}

impl SiteText {
    fn of(self, file: String) -> parsed::SiteText {
        parsed::SiteText {
            file,
            text: self.text,
            first_line: self.first_line,
            indented: self.indented,
            scope: ScopeInfo {
                module_level: self.module_level,
                local_names: self.local_names,
                bound_names: self.bound_names,
                mappings: self.mappings,
                regions: self.regions,
            },
            value: self.value,
            records: self.records,
        }
    }
}

/// Whether a loop statement, or an expression with a loop in it, is a site, and what its hook is given and gives back.
#[pyfunction]
pub fn lower(py: Python<'_>, site: SiteText) -> Lowered {
    match parsed::guarded_parse(py, &site.of(String::new())) {
        Ok(parsed) => Lowered::of(&parsed.interface, parsed.gated, &parsed.surface),
        Err(refusals) => Lowered::refused(refusals.first().map(Refused::of)),
    }
}

/// What each loop of a site may do, as far as its text and the types inferred for its names tell.
#[pyfunction]
#[pyo3(name = "explain")]
pub fn explain_site(
    site: SiteText,
    describe: Bound<'_, PyAny>,
    function: Bound<'_, PyAny>,
    sizes: HashMap<String, Vec<i64>>,
    after: Option<String>,
) -> PyResult<Explained> {
    let text = site.of(String::new());
    panics::raised(|| explain::explain(&text, &describe, &function, &sizes, after.as_deref()))
}

/// The text of the random generator's method with this name, for instance `random.randint`; `None` for a method that is
/// not known.
#[pyfunction]
pub fn random_text(name: &str) -> Option<RandomText> {
    let (text, local_names) = random::text(name)?;
    Some(RandomText { text, local_names })
}

/// The number of a process's first sites whose texts are read when they are made, before their loops are entered: most
/// sites of a small program run.
const READ_AT_ONCE: u64 = 32;

/// Registers a site, and returns the functions that its rewritten code calls.
#[pyfunction]
#[pyo3(name = "Site")]
pub fn make_site(py: Python<'_>, file: String, site: SiteText) -> SiteFunctions {
    let site = Arc::new(Site::new(site.of(file), driver::AROUND));
    if registry::add(&site) < READ_AT_ONCE {
        site.read(py);
    }
    SiteFunctions::of(site)
}
