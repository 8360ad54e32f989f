//! The cache on disk: plans and compiled kernels that earlier processes made.
//!
//! Each entry is a file, named by the hash of everything that it depends on, in a folder for all plans of a site or all
//! kernels of a nest. A file is written under another name and renamed, so readers never see half of one; its own hash
//! stands in front, so a damaged one is found out and made anew. Nothing here ever fails a call: no cache is always a
//! possible answer.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use nestwise_ir::Tier;

use crate::options::Options;

/// Bytes that the cache may hold; beyond that the oldest entries are removed.
const LIMIT: u64 = 256 << 20;
const MAGIC: &[u8; 8] = b"nestwise";

/// The kinds of entries.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kind {
    /// A plan of a site, by what the site is called with.
    Plan,
    /// Optimised code of a nest, by what a launch knows.
    Kernel,
    /// Quick code of a nest, by what a launch knows.
    Quick,
}

impl From<Tier> for Kind {
    fn from(tier: Tier) -> Kind {
        match tier {
            Tier::Quick => Kind::Quick,
            Tier::Optimised => Kind::Kernel,
        }
    }
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Plan, Kind::Kernel, Kind::Quick];

    fn folder(self) -> &'static str {
        match self {
            Kind::Plan => "plans",
            Kind::Kernel => "kernels",
            Kind::Quick => "quick",
        }
    }
}

/// Where an entry is kept.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Key {
    /// The kind of the entry.
    pub kind: Kind,
    /// A hash of the site or nest, and of whatever makes entries of it.
    pub of: blake3::Hash,
    /// A hash of everything else that the entry depends on.
    pub facts: blake3::Hash,
}

/// What makes plans and kernels: versions, the machine, and the sources of the stages. A part of the key of every
/// entry.
pub(crate) fn made_by(options: &Options) -> Vec<u8> {
    let target = nestwise_codegen::target_description();
    let sources = env!("NESTWISE_PLAN_FINGERPRINT");
    format!("{:?} {} {target} {sources}", options.fp, options.versions).into_bytes()
}

fn folder_of(dir: &Path, kind: Kind, of: &blake3::Hash) -> PathBuf {
    dir.join(kind.folder()).join(of.to_hex().as_str())
}

fn file_of(dir: &Path, key: &Key) -> PathBuf {
    folder_of(dir, key.kind, &key.of).join(key.facts.to_hex().as_str())
}

/// Whether there may be entries of a site or nest.
pub fn has(dir: &Path, kind: Kind, of: &blake3::Hash) -> bool {
    folder_of(dir, kind, of).is_dir()
}

fn machine_file(dir: &Path, name: &str, versions: &str) -> PathBuf {
    let target = nestwise_codegen::target_description();
    let hash = blake3::hash(format!("{versions} {target}").as_bytes());
    dir.join(format!("{name}-{}", &hash.to_hex()[..16]))
}

/// The text kept under a name about this machine and these versions, if there is one.
pub fn machine_text(dir: &Path, name: &str, versions: &str) -> Option<String> {
    fs::read_to_string(machine_file(dir, name, versions)).ok()
}

/// Keeps a text under a name about this machine and these versions, in place of the one before.
pub fn put_machine_text(dir: &Path, name: &str, versions: &str, text: &str) {
    let _ = fs::create_dir_all(dir);
    let _ = replace(&machine_file(dir, name, versions), text.as_bytes());
}

/// The file of a site's folder with what was lost while there was no plan.
const UNPLANNED: &str = "unplanned";

/// The text that was noted about a site or nest of which there is no entry yet.
pub fn note_before(dir: &Path, kind: Kind, of: &blake3::Hash) -> Option<String> {
    fs::read_to_string(folder_of(dir, kind, of).join(UNPLANNED)).ok()
}

/// Notes something about a site or nest of which there is no entry yet; nothing more once there is one.
pub fn put_note_before(dir: &Path, kind: Kind, of: &blake3::Hash, text: Option<&str>) {
    let folder = folder_of(dir, kind, of);
    let file = folder.join(UNPLANNED);
    let _ = match text {
        Some(text) => fs::create_dir_all(&folder).and_then(|()| replace(&file, text.as_bytes())),
        None => fs::remove_file(&file),
    };
}

fn note_of(dir: &Path, key: &Key) -> PathBuf {
    file_of(dir, key).with_extension("lost")
}

/// The text that was noted about an entry.
pub fn note(dir: &Path, key: &Key) -> Option<String> {
    fs::read_to_string(note_of(dir, key)).ok()
}

/// Notes something about an entry, in the place of what was noted before.
pub fn put_note(dir: &Path, key: &Key, text: &str) {
    // Another process may do so at the same time, and then one note is forgotten.
    let _ = replace(&note_of(dir, key), text.as_bytes());
}

/// The bytes stored under `key`, if they are there and undamaged.
pub fn load(dir: &Path, key: &Key) -> Option<Vec<u8>> {
    let mut bytes = fs::read(file_of(dir, key)).ok()?;
    let rest = bytes.strip_prefix(MAGIC)?;
    let (hash, stored) = rest.split_at_checked(32)?;
    let before = bytes.len() - stored.len();
    if blake3::hash(stored).as_bytes() != hash {
        return None;
    }
    bytes.drain(..before);
    Some(bytes)
}

/// Stores bytes under `key`; the error says why that cannot be done.
pub fn store(dir: &Path, key: &Key, bytes: &[u8]) -> std::io::Result<()> {
    static STORED: AtomicU32 = AtomicU32::new(0);
    fs::create_dir_all(folder_of(dir, key.kind, &key.of))?;
    let hash = blake3::hash(bytes);
    let written = replace(
        &file_of(dir, key),
        &[&MAGIC[..], hash.as_bytes(), bytes].concat(),
    );
    if written.is_ok() && STORED.fetch_add(1, Ordering::Relaxed).is_multiple_of(64) {
        trim(dir);
    }
    written
}

/// Writes a file of which others see all or nothing.
fn replace(target: &Path, bytes: &[u8]) -> std::io::Result<()> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
    let name = format!(".{}.{unique}.partial", std::process::id());
    let partial = target.with_file_name(name);
    let written = fs::write(&partial, bytes).and_then(|()| fs::rename(&partial, target));
    if written.is_err() {
        // Leaving nothing half-done behind is all that can still be done here.
        let _ = fs::remove_file(&partial);
    }
    written
}

/// The age from which files that a killed process left half-written are removed: another may be writing younger ones.
const ABANDONED: Duration = Duration::from_secs(600);

/// Removes the oldest entries until the limit holds with room to spare, and files that were never finished.
fn trim(dir: &Path) {
    let mut files: Vec<(SystemTime, u64, PathBuf)> = Kind::ALL
        .into_iter()
        .flat_map(|kind| fs::read_dir(dir.join(kind.folder())))
        .flatten()
        .flatten()
        .flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten())
        .filter_map(|entry| {
            let meta = entry.metadata().ok()?;
            let modified = meta.modified().ok()?;
            let partial = entry.path().extension().is_some_and(|e| e == "partial");
            if partial && modified.elapsed().is_ok_and(|age| age > ABANDONED) {
                let _ = fs::remove_file(entry.path());
                return None;
            }
            Some((modified, meta.len(), entry.path()))
        })
        .collect();
    let mut total: u64 = files.iter().map(|f| f.1).sum();
    if total <= LIMIT {
        return;
    }
    files.sort_unstable();
    for (_, size, path) in files {
        if total <= LIMIT / 4 * 3 {
            break;
        }
        if fs::remove_file(&path).is_ok() {
            total -= size;
            // Fails as long as there are others in it.
            let _ = path.parent().map(fs::remove_dir);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_loaded_and_damage_is_found() {
        let dir = std::env::temp_dir().join(format!("nestwise-cache-test-{}", std::process::id()));
        let [nest, facts] = [b"nest ", b"facts"].map(|t| blake3::hash(t));
        let key = Key {
            kind: Kind::Kernel,
            of: nest,
            facts,
        };
        assert_eq!(load(&dir, &key), None);
        assert!(!has(&dir, Kind::Kernel, &nest));
        store(&dir, &key, b"object code").unwrap();
        assert_eq!(load(&dir, &key).as_deref(), Some(&b"object code"[..]));
        assert!(has(&dir, Kind::Kernel, &nest));
        assert_eq!(note(&dir, &key), None);
        put_note(&dir, &key, "a note");
        assert_eq!(note(&dir, &key).as_deref(), Some("a note"));
        assert_eq!(load(&dir, &key).as_deref(), Some(&b"object code"[..]));
        let file = file_of(&dir, &key);
        let mut bytes = fs::read(&file).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&file, &bytes).unwrap();
        assert_eq!(load(&dir, &key), None);
        fs::write(&file, &bytes[..10]).unwrap();
        assert_eq!(load(&dir, &key), None);
        fs::remove_dir_all(&dir).unwrap();
    }
}
