//! Building a kernel: clear the proven guards, select a schedule, compile, load.

use nestwise_analysis::guards;
use nestwise_ir::verifier::verify_after;

use crate::kernel::compile::compile;
use crate::kernel::key::Key;
use crate::kernel::select::{Scheduled, schedule};
use crate::kernel::{About, Kernel, cache, on_grid};
use crate::options::{Options, Unchecked};
use crate::plan::analysed::Analysed;
use crate::reason::Reason;

/// A kernel that was just compiled.
pub(crate) struct Built {
    /// The kernel, loaded.
    pub(crate) kernel: Kernel,
    /// Whether the kernel was to be for a grid, but is not.
    pub(crate) off_grid: bool,
}

/// Compiles the kernel of a key, the `turn`-th of its nest counted from 0, and stores it in the cache's `entry`, if
/// there is one.
pub(crate) fn build(
    analysed: &Analysed,
    key: &Key,
    turn: usize,
    entry: Option<cache::Key>,
    options: &Options,
) -> Result<Built, Reason> {
    let store = |object: &[u8], about: &About| {
        if let Some(entry) = entry {
            Kernel::to_disk(options, entry, object, about);
        }
    };
    let mut not_on_grid = None;
    if let Some(grid) = key.grid {
        match on_grid::build(analysed, key, grid, options) {
            Ok((kernel, object)) => {
                store(&object, &kernel.about);
                return Ok(Built {
                    kernel,
                    off_grid: false,
                });
            }
            Err(why) => not_on_grid = Some(format!("not on a grid: {why}")),
        }
    }
    let off_grid = not_on_grid.is_some();
    let (object, mut about) = compile_for_host(analysed, key, turn, options)?;
    about.means.extend(not_on_grid);
    if analysed.is_mistaken() {
        about.means.push("broken".into());
    }
    store(&object, &about);
    let kernel = Kernel::load(&object, about, options).map_err(Reason::Codegen)?;
    Ok(Built { kernel, off_grid })
}

/// The object code of the schedule selected for a key; where code generation refuses that, of another one, or of the
/// nest as it was written.
fn compile_for_host(
    analysed: &Analysed,
    key: &Key,
    turn: usize,
    options: &Options,
) -> Result<(Vec<u8>, About), Reason> {
    let mut nest = match options.unchecked {
        None => guards::apply(analysed.nest(), &key.proven),
        Some(Unchecked { wraps }) => guards::unchecked(analysed.nest(), &key.proven, wraps),
    };
    nest.interruptible.clone_from(&key.interruptible);
    verify_after("clearing proven guards", &nest);
    let scheduled = |key: &Key| {
        let scheduled = schedule(&nest, key, analysed.verdicts(), turn, options);
        if let Some(rewritten) = &scheduled.rewritten {
            verify_after("scheduling", rewritten);
        }
        compile(&scheduled, key, options)
    };
    let first = scheduled(key);
    let refused = match &first {
        Err(Reason::Codegen(why)) => Some(format!("refused schedule: {why}")),
        _ => None,
    };
    let compiled = match first {
        // A schedule that code generation cannot carry out is worth less than another, or the nest as it was written.
        Err(Reason::Codegen(_)) if key.threaded => scheduled(&Key {
            threaded: false,
            ..key.clone()
        }),
        result => result,
    };
    let compiled = match compiled {
        Err(Reason::Codegen(_)) => compile(&Scheduled::plain(&nest), key, options),
        result => result,
    };
    let (object, mut about) = compiled?;
    about.means.extend(refused);
    Ok((object, about))
}
