//! Memory that lists are copied to, kept from one call for the next: the system takes longer to find fresh pages than it takes
//! to copy what goes there.

use std::alloc::{Layout, alloc_zeroed};
use std::sync::{Mutex, PoisonError};

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
