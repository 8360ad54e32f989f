//! What the text of a site tells about it.

use std::collections::HashSet;
use std::sync::Arc;

use nestwise_costmodel::Seconds;
use nestwise_frontend::site::handed_objects::{HandedObjects, handed_objects};
use nestwise_frontend::{
    Interface, Refusal, ScopeInfo, attributes_of_site, interface, members_of_site, parse_site,
    parse_value, whole_uses,
};
use nestwise_ir::{PathId, Span, WithSpan, surface};
use nestwise_runtime::plan::on_disk::SiteKey;
use nestwise_runtime::{Reason, options};
use nestwise_tiering::Legacy;
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::objects::access_path::{AccessPath, access_paths, interned, mark_whole};
use crate::process::once::Once;
use crate::process::panics;
use crate::site::fragment_functions::FragmentFunctions;

/// The text a site is made from.
pub struct SiteText {
    /// The user's file.
    pub file: String,
    /// The complete source lines of the statement.
    pub text: String,
    /// The line where the text starts.
    pub first_line: u32,
    /// Whether the lines are indented.
    pub indented: bool,
    /// The names of the scope around the site.
    pub scope: ScopeInfo,
    /// The site is an expression, in a line of its own.
    pub value: bool,
    /// The rewritten code takes recorded results at the site's points.
    pub records: bool,
}

impl SiteText {
    /// The surface nest that the text states, or why it is refused.
    pub fn read(&self) -> Result<surface::Site, Vec<WithSpan<Refusal>>> {
        let mut site = match self.value {
            true => parse_value(&self.text, self.first_line, &self.scope),
            false => parse_site(&self.text, self.first_line, self.indented, &self.scope),
        }?;
        if !self.records {
            site.points.clear();
        }
        Ok(site)
    }

    /// The key, on disk, of everything that [`SiteText::read`] depends on.
    fn key(&self) -> SiteKey {
        let names = |names: &HashSet<String>| {
            let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
            names.sort_unstable();
            names.join(" ")
        };
        let ScopeInfo {
            module_level,
            local_names,
            bound_names,
            mappings,
            regions,
        } = &self.scope;
        let text = format!(
            "{} {} {} {} {regions} {module_level}\n{}\n{}\n{}\n{}",
            self.first_line,
            self.indented,
            self.value,
            self.records,
            names(local_names),
            names(bound_names),
            names(mappings),
            self.text,
        );
        SiteKey::new(text.as_bytes(), &options())
    }
}

/// What is known from the text alone.
pub struct Parsed {
    /// The surface nest.
    pub surface: Arc<surface::Site>,
    /// The number of lines of the site's text.
    pub lines: u32,
    /// The number of lines of the site's text and of what is inlined into it, as it was when it was first asked for.
    pub all_lines: Once<f64>,
    /// The interface of the hook: its arguments and results.
    pub interface: Interface,
    /// The access paths of the site, ready to bind.
    pub paths: Vec<AccessPath>,
    /// The objects that the site hands to functions.
    pub handed: HandedObjects,
    /// The rewritten code asks `GATE` before it calls. At module level it does not, since a name may have no value.
    pub gated: bool,
    /// The positions of [`Interface::sizes`] among the hook's arguments.
    pub sizes: Vec<usize>,
    /// The access paths that may tell large calls from small ones where there are no atoms.
    pub telling: Vec<usize>,
    attributes: Once<Vec<Py<PyString>>>,
    members: Once<Vec<Py<PyString>>>,
    /// Loops of the site may go over dictionaries, sets or views whose items are listed.
    pub goes_over: bool,
    /// The site assigns attributes, or two of its objects must be distinct.
    pub assigns: bool,
    kept: Once<Kept>,
    /// The site's file.
    pub file: String,
    /// The functions of the fragments that CPython evaluates for the site's nests.
    pub compiled: FragmentFunctions,
}

/// What is known of a site's plans on disk.
struct Kept {
    key: SiteKey,
    left: Legacy,
}

/// Reads the text of a site, or says why it is refused.
pub fn parse(py: Python<'_>, text: &SiteText) -> Result<Parsed, Vec<WithSpan<Refusal>>> {
    let surface = text.read()?;
    let interface = interface(&surface, &text.scope).map_err(|e| vec![e])?;
    let paths: Vec<&surface::AccessPath> = surface.paths.values().collect();
    let mut bound = access_paths(py, &paths, &interface.reads);
    let tops = std::slice::from_ref(&surface.top);
    mark_whole(&mut bound, &whole_uses(&surface.paths, tops));
    for id in &interface.pass_through {
        bound[id.index()].pass_through = true;
    }
    let attribute = |p: &surface::AccessPath| p.parent.is_some() && p.written;
    let is_list = |path: &surface::AccessPath| {
        matches!(path.item, Some(surface::Item::Keys | surface::Item::Values))
    };
    let goes_over = !surface.computed.is_empty() || surface.paths.values().any(is_list);
    let assigns = surface.paths.values().any(attribute) || !interface.distinct.is_empty();
    let argument = |name| interface.reads.iter().position(|read| read == name);
    let sizes: Vec<usize> = interface.sizes.iter().filter_map(argument).collect();
    // Names alone: an attribute takes about as long to read as a small loop.
    let tells = |index: &usize| bound[*index].argument.is_some_and(|i| sizes.contains(&i));
    let telling = (0..bound.len()).filter(tells).collect();
    Ok(Parsed {
        gated: (interface.atoms.is_some() || !interface.sizes.is_empty())
            && !text.scope.module_level,
        handed: handed_objects(&surface.paths, std::slice::from_ref(&surface.top)),
        surface: Arc::new(surface),
        lines: text.text.lines().count() as u32,
        all_lines: Once::new(),
        telling,
        sizes,
        interface,
        paths: bound,
        attributes: Once::new(),
        members: Once::new(),
        assigns,
        goes_over,
        kept: Once::new(),
        file: text.file.clone(),
        compiled: FragmentFunctions::default(),
    })
}

impl Parsed {
    /// The parts of the loop's iterable that were computed for a call of the hook with these arguments.
    pub fn computed(&self, py: Python<'_>, arguments: &[*mut PyObject]) -> Vec<Py<PyAny>> {
        let parts = self.surface.computed.iter();
        let arguments = parts.filter_map(|part| {
            let at = self.paths[part.path.index()].argument?;
            arguments.get(at)
        });
        // SAFETY: borrowed references that live through the call.
        let owned = |object: &*mut PyObject| unsafe { Bound::from_borrowed_ptr(py, *object) };
        arguments.map(|object| owned(object).unbind()).collect()
    }

    /// The attributes that the site may read of objects in lists.
    pub fn attributes(&self, py: Python<'_>) -> &[Py<PyString>] {
        let names = || attributes_of_site(&self.surface);
        self.attributes.get_or_init(|| interned(py, names()))
    }

    /// What the site may ask of classes whose objects it makes, or of such objects.
    pub fn members(&self, py: Python<'_>) -> &[Py<PyString>] {
        let names = || members_of_site(&self.surface);
        self.members.get_or_init(|| interned(py, names()))
    }

    fn kept(&self, text: &SiteText) -> &Kept {
        self.kept.get_or_init(|| {
            let key = text.key();
            let left = key.legacy(&options());
            Kept { key, left }
        })
    }

    /// The key under which plans of the site that was read from this text are kept on disk.
    pub fn key(&self, text: &SiteText) -> SiteKey {
        self.kept(text).key
    }

    /// Stores the time that this process has lost without a plan of the site that was read from this text, for other
    /// processes.
    pub fn keep_lost(&self, text: &SiteText, lost: Seconds) {
        let before = match self.legacy(text) {
            Legacy::Plans => return,
            Legacy::Lost(before) => before,
            Legacy::Nothing => Seconds(0.0),
        };
        self.key(text).keep_lost(before + lost, &options());
    }

    /// What earlier processes have left on disk of the site that was read from this text.
    pub fn legacy(&self, text: &SiteText) -> Legacy {
        self.kept(text).left
    }
}

/// Reads the text of a site like [`parse`]; a panic on the way is one more refusal.
pub fn guarded_parse(py: Python<'_>, text: &SiteText) -> Result<Parsed, Vec<WithSpan<Refusal>>> {
    let work = std::panic::AssertUnwindSafe(|| parse(py, text));
    std::panic::catch_unwind(work).unwrap_or_else(|panic| {
        let span = Span {
            line: text.first_line,
            column: 0,
        };
        let message = panics::message(&*panic);
        Err(vec![WithSpan::new(span, Refusal::Internal { message })])
    })
}

/// The reason why a site runs in CPython, for a refusal of the front end.
pub fn refused(refusal: &WithSpan<Refusal>) -> Reason {
    Reason::Refused {
        line: refusal.span.line,
        code: refusal.error.code(),
        message: refusal.error.to_string(),
        hint: refusal.error.hint(),
        of: match &refusal.error {
            Refusal::Type { name, .. } => Some(name.clone()),
            _ => None,
        },
    }
}

/// The access paths behind the names of the interface's `writes` and of its `maybe`, in order.
pub fn order(interface: &Interface) -> (&[PathId], &[PathId]) {
    (&interface.write_order, &interface.maybe_order)
}
