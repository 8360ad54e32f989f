//! What making plans and code takes on this machine, handed on from process to process.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use nestwise_costmodel::{Device, Making, Prices, Product, Seconds};
use nestwise_ir::Tier;

use crate::device::cuda::card;
use crate::kernel::cache;

/// The name of the file in the cache.
const NAME: &str = "making";

/// The times that predictions rest on, and what was learned since.
#[derive(Default)]
struct Known {
    begun: Making,
    now: Making,
    /// Where the file is kept, and for which versions and profile.
    file: Option<(PathBuf, String)>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

fn known() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(|e| e.into_inner())
}

/// Reads what earlier processes have learned; from now on what is made adds to it. `folder`: the cache's, if there is
/// one; `of`: names the versions and the profile.
pub fn begin(folder: Option<&Path>, of: &str) -> Making {
    let text = folder.and_then(|folder| cache::machine_text(folder, NAME, of));
    let making = text
        .and_then(|text| Making::parse(&text))
        .unwrap_or_default();
    *known() = Some(Known {
        begun: making.clone(),
        now: making.clone(),
        file: folder.map(|folder| (folder.to_owned(), of.to_owned())),
    });
    making
}

/// Ends learning: from now on predictions are what the profile says.
pub fn stop() {
    *known() = None;
}

/// Takes in that something took `took` to make which was predicted to take `predicted`.
pub fn took(product: Product, predicted: Seconds, took: Duration) {
    if let Some(known) = known().as_mut() {
        let modelled = Seconds(predicted.0 / known.begun.factor(product));
        known
            .now
            .add(product, modelled, Seconds(took.as_secs_f64()));
    }
}

/// Writes what was learned to the cache, if it is worth it, when the process is about to end.
pub fn keep() {
    let known = known().take();
    if let Some(Known { begun, now, file }) = known
        && let Some((folder, of)) = file
        && now.differs(&begun)
    {
        cache::put_machine_text(&folder, NAME, &of, &now.text());
    }
}

/// The time to make code of a tier for a device that nothing was made for yet, and to get both compiler and device
/// ready.
pub(crate) fn of_kernel(prices: &Prices, device: Device, tier: Tier) -> Seconds {
    let code = match tier {
        Tier::Quick => prices.compile_quick(),
        Tier::Optimised => of_first(prices, device),
    };
    match nestwise_codegen::is_warm() {
        true => code,
        false => code + prices.compile_first(),
    }
}

/// The time to make the first optimised kernel for a device with a warm compiler, and to get the device ready.
pub(crate) fn of_first(prices: &Prices, device: Device) -> Seconds {
    prices.to_make(device, card::begun())
}
