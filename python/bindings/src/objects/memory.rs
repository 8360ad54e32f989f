//! Memory that is kept for what needs some next: the system takes longer to find fresh pages than it takes to write there.
//! Memory that lists are copied to, from one call to the next, and a whole program's heap.

use std::alloc::{Layout, alloc_zeroed};
use std::sync::{Mutex, PoisonError};

use pyo3::pyfunction;

/// Words of what is kept: smaller memory is there at once.
const LEAST: usize = 8 << 10;
/// Words that are kept in all, and in how many pieces.
const MOST: usize = 8 << 20;
const PIECES: usize = 8;

static SPARE: Mutex<Vec<Vec<u64>>> = Mutex::new(Vec::new());

/// At least as many words as were asked for, of any content.
pub struct Memory(Vec<u64>);

impl Memory {
    /// None: there is not so much memory.
    pub fn of(words: usize) -> Option<Memory> {
        let kept = (words >= LEAST).then(|| kept(words)).flatten();
        kept.or_else(|| fresh(words)).map(Memory)
    }

    pub fn as_ptr(&self) -> *const u64 {
        self.0.as_ptr()
    }

    pub fn as_mut_ptr(&mut self) -> *mut u64 {
        self.0.as_mut_ptr()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.0.len() < LEAST {
            return;
        }
        let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
        let words: usize = spare.iter().map(Vec::len).sum();
        if spare.len() < PIECES && words + self.0.len() <= MOST {
            spare.push(std::mem::take(&mut self.0));
        }
    }
}

/// The smallest piece that is large enough.
fn kept(words: usize) -> Option<Vec<u64>> {
    let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    let fitting = spare.iter().enumerate().filter(|(_, p)| p.len() >= words);
    let (at, _) = fitting.min_by_key(|(_, p)| p.len())?;
    Some(spare.swap_remove(at))
}

/// As the system has it: pages that nobody has touched take no time yet. A vector's own way to get zeros would end the process
/// where there are none.
fn fresh(words: usize) -> Option<Vec<u64>> {
    if words == 0 {
        return Some(Vec::new());
    }
    let layout = Layout::array::<u64>(words).ok()?;
    // SAFETY: a size above 0; zeros are words, and the layout is a vector's of so many.
    unsafe {
        let memory = alloc_zeroed(layout).cast::<u64>();
        (!memory.is_null()).then(|| Vec::from_raw_parts(memory, words, words))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_memory_is_kept_for_what_fits_into_it() {
        let size = LEAST + 4321;
        let mut first = Memory::of(size).expect("memory");
        let at = first.as_mut_ptr();
        drop(first);
        let second = Memory::of(size - 7).expect("memory");
        assert_eq!(second.as_ptr(), at.cast_const());
        let third = Memory::of(size - 7).expect("memory");
        assert_ne!(third.as_ptr(), at.cast_const());
        assert!(Memory::of(usize::MAX / 16).is_none());
    }
}

/// Bytes at the end of the heap that stay there when it is cut, which it is from twice as many on, and that more is asked for when
/// it grows.
const SPARE_HEAP: i32 = 64 << 20;
/// Bytes from which a block has pages of its own: the most that glibc allows.
const OWN_PAGES: i32 = 32 << 20;

/// Has the heap of a program keep what it is given back. Temporary arrays of NumPy's come and go with each operation, and glibc
/// gives the end of its heap back when more than some 256 KB, or twice the largest block so far, are free there: by how a program
/// happens to have filled its heap, the same pages are asked for in each operation, which takes longer than the operation. Not
/// where the user has settings of their own, or limits that what is kept would count towards.
#[pyfunction]
pub fn keep_heap() {
    #[cfg(target_env = "gnu")]
    if !has_own_settings() && !is_limited() {
        // SAFETY: settings of the allocator.
        unsafe {
            libc::mallopt(libc::M_MMAP_THRESHOLD, OWN_PAGES);
            libc::mallopt(libc::M_TRIM_THRESHOLD, 2 * SPARE_HEAP);
            libc::mallopt(libc::M_TOP_PAD, SPARE_HEAP);
        }
    }
}

/// Whether the environment says how memory is to be managed.
fn has_own_settings() -> bool {
    let of_malloc = |name: &str| name.starts_with("MALLOC_") && name.ends_with('_');
    std::env::vars_os().any(|(name, value)| match name.to_str() {
        Some("GLIBC_TUNABLES") => value.to_string_lossy().contains("glibc.malloc"),
        Some(name) => of_malloc(name),
        None => false,
    })
}

/// Whether the process may not have as much memory as there is.
fn is_limited() -> bool {
    [libc::RLIMIT_AS, libc::RLIMIT_DATA].into_iter().any(|of| {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: a place to write to.
        let told = unsafe { libc::getrlimit(of, &raw mut limit) } == 0;
        !told || limit.rlim_cur != libc::RLIM_INFINITY
    })
}
