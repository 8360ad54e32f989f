//! The sites of this process, for the report. The statistics of a site whose code is gone are kept, summed by its loop:
//! a program may give ever new functions to `nestwise.jit`.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Weak};

use nestwise_costmodel::record::NestRecord;
use nestwise_runtime::report::Stats;

use crate::site::Site;

/// The file and line of a loop.
type Place = (String, u32);

#[derive(Default)]
struct Sites {
    /// The living sites by their addresses, each with its number in the order in which sites were made.
    alive: HashMap<usize, (u64, Weak<Site>)>,
    gone: HashMap<Place, (u64, Stats)>,
    /// The recordings of sites that are gone, with the sites' numbers.
    recorded: Vec<(u64, NestRecord)>,
    made: u64,
}

static SITES: LazyLock<Mutex<Sites>> = LazyLock::new(Mutex::default);

fn sites() -> MutexGuard<'static, Sites> {
    SITES.lock().unwrap_or_else(|e| e.into_inner())
}

/// Adds `stats` of the `number`-th site to what is known of its loop.
fn sum(into: &mut HashMap<Place, (u64, Stats)>, number: u64, stats: Stats) {
    match into.entry((stats.file.clone(), stats.line)) {
        Entry::Occupied(mut known) => {
            let (first, sum) = known.get_mut();
            *first = number.min(*first);
            sum.add(&stats);
        }
        Entry::Vacant(place) => {
            place.insert((number, stats));
        }
    }
}

/// Adds the site to the report. Returns how many sites were added before.
pub fn add(site: &Arc<Site>) -> u64 {
    let mut sites = sites();
    let number = sites.made;
    sites.made += 1;
    let address = Arc::as_ptr(site) as usize;
    let weak = Arc::downgrade(site);
    sites.alive.insert(address, (number, weak));
    number
}

impl Drop for Site {
    fn drop(&mut self) {
        let stats = self.stats();
        let recorded = self.recorded();
        let mut sites = sites();
        let address = std::ptr::from_ref(self) as usize;
        if let Some((number, _)) = sites.alive.remove(&address)
            && stats.calls > 0
        {
            let recorded = recorded.into_iter().map(|nest| (number, nest));
            sites.recorded.extend(recorded);
            sum(&mut sites.gone, number, stats);
        }
    }
}

impl Sites {
    /// The living sites, in the order in which they were made. The result must not be dropped while the lock is held,
    /// since a site that is dropped takes the lock.
    fn alive(&self) -> Vec<(u64, Arc<Site>)> {
        let of = |(number, site): &(u64, Weak<Site>)| Some((*number, site.upgrade()?));
        let mut alive: Vec<_> = self.alive.values().filter_map(of).collect();
        alive.sort_by_key(|(number, _)| *number);
        alive
    }
}

/// Ends all sites when the program is over: each stores for other processes what it lost, and drops its inline-cached
/// calls, which hold objects.
pub fn let_go() {
    let alive = sites().alive();
    alive.iter().for_each(|(_, site)| site.end());
}

/// The recordings of all nests' calls, in the order in which the nests were first met.
pub fn recorded() -> Vec<NestRecord> {
    let locked = sites();
    let mut all = locked.recorded.clone();
    let alive = locked.alive();
    drop(locked);
    for (number, site) in &alive {
        let nests = site.recorded().into_iter().map(|nest| (*number, nest));
        all.extend(nests);
    }
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, nest)| nest).collect()
}

/// The statistics of each loop that was entered and is `asked` for, by file and line, in the order in which the loops
/// were first met.
pub fn report(asked: impl Fn(&str, u32) -> bool) -> Vec<Stats> {
    let locked = sites();
    let mut all = locked.gone.clone();
    let alive = locked.alive();
    drop(locked);
    all.retain(|(file, line), _| asked(file, *line));
    for (number, site) in &alive {
        let (file, line) = site.place();
        if !asked(file, line) {
            continue;
        }
        let stats = site.stats();
        if stats.calls > 0 {
            sum(&mut all, *number, stats);
        }
    }
    let mut all: Vec<(u64, Stats)> = all.into_values().collect();
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, stats)| stats).collect()
}
