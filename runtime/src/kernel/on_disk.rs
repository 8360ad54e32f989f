//! The kernels of one nest in the cache on disk.

use std::sync::{Mutex, OnceLock};

use nestwise_codegen as codegen;
use nestwise_ir::{Nest, Tier};

use crate::kernel::Kernel;
use crate::kernel::cache;
use crate::kernel::key::Key;
use crate::lock::lock;
use crate::options::Options;

/// The number of keys that the cache may lack before it is not asked any more.
const MAX_MISSING: usize = 32;

/// What is known of the kernels of one nest in the cache on disk, so that the cache is asked as seldom as possible.
///
/// Launches write it, each part the first time they need it, and read it before they compile; pricing reads it.
#[derive(Default)]
pub struct KernelsOnDisk {
    /// A hash of the nest and of what compiles it.
    fingerprint: OnceLock<blake3::Hash>,
    /// For each tier, quick code last: whether the cache had kernels of the nest when that was asked first.
    has: [OnceLock<bool>; 2],
    /// The keys of which the cache had no kernel.
    missing: Mutex<Vec<Key>>,
}

impl KernelsOnDisk {
    /// Where the cache keeps the kernel of a key.
    pub(crate) fn entry(&self, nest: &Nest, key: &Key, options: &Options) -> cache::Key {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{key:?}").as_bytes());
        if key.grid.is_some() {
            hasher.update(codegen::libdevice_description().as_bytes());
        }
        cache::Key {
            kind: key.tier.into(),
            of: self.fingerprint(nest, options),
            facts: hasher.finalize(),
        }
    }

    fn fingerprint(&self, nest: &Nest, options: &Options) -> blake3::Hash {
        *self.fingerprint.get_or_init(|| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&postcard::to_stdvec(nest).unwrap_or_default());
            hasher.update(&cache::made_by(options));
            hasher.finalize()
        })
    }

    /// Whether the cache has code of this tier of the nest.
    pub(crate) fn has(&self, nest: &Nest, tier: Tier, options: &Options) -> bool {
        *self.has[usize::from(tier == Tier::Quick)].get_or_init(|| {
            let dir = options.cache_dir.as_deref();
            dir.is_some_and(|dir| cache::has(dir, tier.into(), &self.fingerprint(nest, options)))
        })
    }

    /// Whether no kernel was missing in the cache so far.
    pub(crate) fn has_had_all(&self) -> bool {
        lock(&self.missing).is_empty()
    }

    /// The kernel of a key, if the cache has it.
    pub(crate) fn load(&self, nest: &Nest, key: &Key, options: &Options) -> Option<Kernel> {
        if !self.has(nest, key.tier, options) || self.is_missing(key) {
            return None;
        }
        let kernel = Kernel::from_disk(options, &self.entry(nest, key, options));
        if kernel.is_none() {
            lock(&self.missing).push(key.clone());
        }
        kernel
    }

    /// Whether the cache has no kernel of this key, or lacked so many others that it is not asked any more.
    fn is_missing(&self, key: &Key) -> bool {
        let missing = lock(&self.missing);
        missing.len() >= MAX_MISSING || missing.contains(key)
    }
}
