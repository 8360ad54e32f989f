//! Keeps freed memory for its next user, since the system takes longer to provide fresh pages than it takes to write
//! there: the memory that lists are copied to, from one call to the next, and a whole program's heap.

use std::alloc::{Layout, alloc_zeroed};
use std::sync::{Mutex, PoisonError};

use pyo3::pyfunction;

/// The least number of words that are worth keeping: smaller memory is provided at once.
const LEAST: usize = 8 << 10;
/// The most words that are kept in all.
const MOST: usize = 8 << 20;
/// The most pieces of memory that are kept.
const PIECES: usize = 8;

static SPARE: Mutex<Vec<Vec<u64>>> = Mutex::new(Vec::new());

/// Memory of at least as many words as were asked for, with unspecified contents.
pub struct Memory(Vec<u64>);

impl Memory {
    /// Memory of at least `words` words; `None` where there is not so much.
    pub fn of(words: usize) -> Option<Memory> {
        let kept = (words >= LEAST).then(|| kept(words)).flatten();
        kept.or_else(|| fresh(words)).map(Memory)
    }

    /// The address of the first word.
    pub fn as_ptr(&self) -> *const u64 {
        self.0.as_ptr()
    }

    /// The address of the first word, for writing.
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

/// The smallest kept piece that has at least `words` words.
fn kept(words: usize) -> Option<Vec<u64>> {
    let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    let fitting = spare.iter().enumerate().filter(|(_, p)| p.len() >= words);
    let (at, _) = fitting.min_by_key(|(_, p)| p.len())?;
    Some(spare.swap_remove(at))
}

/// New zeroed memory, whose pages take no time until they are touched. A vector's own zeroing would end the process
/// where there is not so much memory.
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

/// Bytes at the end of the heap that stay there when it is cut, which happens when twice as many are free, and that are
/// asked for in addition when it grows.
const SPARE_HEAP: i32 = 64 << 20;
/// The size in bytes from which a block has pages of its own: the most that glibc allows.
const OWN_PAGES: i32 = 32 << 20;

/// Has the heap keep memory that the program frees. NumPy's temporary arrays come and go with each operation, and glibc
/// gives the end of its heap back when more than some 256 KB, or twice the largest block so far, are free there:
/// depending on how a program has filled its heap, the same pages are asked for in each operation, which takes longer
/// than the operation. Does nothing where the user has settings of their own, or limits that kept memory would count
/// towards.
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

/// Whether the environment sets how glibc manages memory.
fn has_own_settings() -> bool {
    let of_malloc = |name: &str| name.starts_with("MALLOC_") && name.ends_with('_');
    std::env::vars_os().any(|(name, value)| match name.to_str() {
        Some("GLIBC_TUNABLES") => value.to_string_lossy().contains("glibc.malloc"),
        Some(name) => of_malloc(name),
        None => false,
    })
}

/// Whether the process has a limit on its memory.
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
