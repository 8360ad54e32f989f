//! The machine that a profile is measured on, as Linux describes it.

use std::fs;
use std::path::Path;

use nestwise_costmodel::profile::Machine;

/// This machine, for a profile. `python` and `numpy` are the versions that measured; `date` is the day.
pub fn here(python: &str, numpy: Option<&str>, date: &str) -> Machine {
    let (card, driver) = card(Path::new("/proc/driver/nvidia"));
    Machine {
        cpu: fs::read_to_string("/proc/cpuinfo").map_or_else(|_| "unknown".into(), |t| cpu(&t)),
        cores: nestwise_runtime::options::cores(),
        smt: read(Path::new("/sys/devices/system/cpu/smt/active")).is_some_and(|t| t == "1"),
        numa_nodes: nodes(Path::new("/sys/devices/system/node")),
        caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
        python: python.into(),
        numpy: numpy.map(Into::into),
        card,
        driver,
        date: date.into(),
    }
}

/// Bytes of the three levels of cache that one core can use, where the machine tells. Of a cache that many cores share
/// at most [`SHARED`] bytes count, since the others want their part.
pub fn cache_sizes() -> Option<[f64; 3]> {
    let found = caches(Path::new("/sys/devices/system/cpu/cpu0/cache"));
    let size = |k: usize| found.get(k).map(|b| *b as f64);
    let (first, second) = (size(0)?, size(1)?);
    let last = size(2).unwrap_or(second).min(SHARED);
    Some([first, second, last.max(second)])
}

/// The most bytes of a shared cache that one process counts on.
const SHARED: f64 = 32e6;

fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok().map(|t| t.trim().to_string())
}

/// The first processor's name in `/proc/cpuinfo`.
fn cpu(text: &str) -> String {
    let mut lines = text.lines().filter_map(|l| l.split_once(':'));
    let name = lines.find(|(key, _)| key.trim() == "model name");
    name.map_or_else(|| "unknown".into(), |(_, name)| name.trim().into())
}

fn nodes(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is = |name: &str| {
        let number = name.strip_prefix("node");
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let count = entries.filter(|e| e.file_name().to_str().is_some_and(is));
    count.count().max(1)
}

/// Bytes of the data caches, the smallest first.
fn caches(folder: &Path) -> Vec<u64> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let size = |folder: &Path| {
        let holds = read(&folder.join("type"))? != "Instruction";
        holds
            .then(|| read(&folder.join("size")))?
            .and_then(|t| bytes(&t))
    };
    let mut found: Vec<u64> = entries.filter_map(|e| size(&e.path())).collect();
    found.sort_unstable();
    found
}

/// The number of bytes of a text like `32K` or `1M`.
fn bytes(text: &str) -> Option<u64> {
    let (number, unit) = match text.as_bytes().last()? {
        b'K' => (&text[..text.len() - 1], 10),
        b'M' => (&text[..text.len() - 1], 20),
        b'G' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    number.parse::<u64>().ok()?.checked_shl(unit)
}

/// The first GPU's name and its driver's version, as the NVIDIA driver's `folder` in `/proc` tells.
fn card(folder: &Path) -> (Option<String>, Option<String>) {
    let cards = fs::read_dir(folder.join("gpus"))
        .into_iter()
        .flatten()
        .flatten();
    let model = |text: String| {
        let line = text.lines().find_map(|l| l.strip_prefix("Model:"))?;
        Some(line.trim().to_string())
    };
    let mut names = cards.filter_map(|e| read(&e.path().join("information")).and_then(model));
    let version = read(&folder.join("version")).and_then(|text| {
        let line = text.lines().next()?;
        let number =
            |w: &&str| w.contains('.') && w.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        line.split_whitespace().find(number).map(str::to_string)
    });
    (names.next(), version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_names() {
        assert_eq!(bytes("48K"), Some(48 << 10));
        assert_eq!(bytes("2M"), Some(2 << 20));
        assert_eq!(bytes("lots"), None);
        let text = "processor\t: 0\nmodel name\t: Some CPU @ 2.50GHz\nmodel name\t: Another\n";
        assert_eq!(cpu(text), "Some CPU @ 2.50GHz");
        assert_eq!(cpu(""), "unknown");
    }

    #[test]
    fn this_machine_has_what_every_machine_has() {
        let here = here("3.11.7", None, "2026-11-22");
        assert!(here.cores >= 1 && here.numa_nodes >= 1);
        assert!(!here.cpu.is_empty());
        assert!(here.differs(&here.clone()).is_empty());
    }
}
