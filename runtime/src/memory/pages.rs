//! Memory that nobody has touched yet: the operating system finds a page for it when somebody does, which may take
//! longer than the loop that does.

use crate::memory::overlap::ArrayView;

/// Bytes of the smallest arrays whose pages are asked about: smaller ones mostly lie where others have been.
const LEAST: i64 = 128 << 10;
/// Where in an array the system is asked about a page, as shares of the array: at `MIDDLE` and, where that is
/// untouched, at `OTHERS`.
const MIDDLE: f64 = 0.5;
const OTHERS: [f64; 4] = [0.1, 0.3, 0.7, 0.9];

/// Bytes of the smallest and largest parts of arrays whose pages are found at once. Chunks write less than the least of
/// that; of larger parts they may write little, and the rest is to stay without memory.
const FOUND: std::ops::RangeInclusive<i64> = 16 << 10..=16 << 20;
/// Bytes of the smallest and largest whole arrays whose pages are found at once: nobody is to wait for the system for
/// more than some 50 ms.
const FOUND_WHOLE: std::ops::RangeInclusive<i64> = 16 << 10..=256 << 20;

/// The share of an array's pages that are still untouched, about; 0 for a small array.
pub fn untouched(view: &ArrayView) -> f64 {
    let (first, end) = view.range();
    match end - first < LEAST {
        true => 0.0,
        false => untouched_between(first, end),
    }
}

fn untouched_between(first: i64, end: i64) -> f64 {
    let page = page_bytes();
    let is_untouched = |share: &f64| {
        let place = first + ((end - first) as f64 * share) as i64;
        !is_there(place / page * page)
    };
    if !is_untouched(&MIDDLE) {
        return 0.0;
    }
    let others = OTHERS.iter().filter(|share| is_untouched(share)).count();
    (1 + others) as f64 / (1 + OTHERS.len()) as f64
}

/// Has the system find all pages of an array at once that is going to be written as a whole, which takes less than half
/// as long as finding one whenever an element is the first on it.
pub fn find_all(view: &ArrayView) {
    let (first, end) = view.range();
    let bytes = end - first;
    if !FOUND_WHOLE.contains(&bytes) || view.len() * view.size < bytes {
        return;
    }
    populate(first, end);
}

/// Finds the pages of an array that is read first and written then, such as one that is saved before a chunk.
///
/// Untouched memory that is read is a page of zeros that all such memory shares; when it is written another page takes
/// its place, for which every core with a thread of the process is interrupted. Where cores are virtual, that takes
/// longer than the loop: a loop over 280 such pages took two threads 4 ms, and takes them 1 ms if the pages are found
/// before. Where the system cannot do that, pages are found one by one, as ever.
pub fn find(view: &ArrayView) {
    let (first, end) = view.range();
    let dense = view.len() * view.size > (end - first) / 2;
    if !dense || !FOUND.contains(&(end - first)) || untouched_between(first, end) == 0.0 {
        return;
    }
    populate(first, end);
}

/// Has the system find the pages of a range of addresses; where it cannot, nothing changes.
fn populate(first: i64, end: i64) {
    let page = page_bytes();
    let first = first / page * page;
    let bytes = (end - first) as usize;
    // SAFETY: pages of an array that is alive; what they hold stays.
    unsafe { libc::madvise(first as *mut libc::c_void, bytes, libc::MADV_POPULATE_WRITE) };
}

pub(crate) fn page_bytes() -> i64 {
    // SAFETY: asks for a number.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    bytes.max(1)
}

/// Whether the page at this address is in memory; true where the system does not tell.
fn is_there(page: i64) -> bool {
    let mut state = 1u8;
    // SAFETY: one byte of the caller's for one page; nothing is read at the address.
    let told = unsafe { libc::mincore(page as *mut libc::c_void, 1, (&raw mut state).cast()) };
    told != 0 || state & 1 == 1
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Memory straight from the system.
    pub(crate) struct Mapped(pub(crate) *mut u8, usize);

    impl Mapped {
        pub(crate) fn new(bytes: usize) -> Mapped {
            let access = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: memory of nobody else's.
            unsafe { Mapped::of(bytes, access, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1) }
        }

        /// # Safety
        /// As of `mmap`, anywhere.
        pub(crate) unsafe fn of(bytes: usize, access: i32, kind: i32, file: i32) -> Mapped {
            // SAFETY: a mapping of its own, given back when dropped.
            let place = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, kind, file, 0) };
            assert_ne!(place, libc::MAP_FAILED);
            Mapped(place.cast(), bytes)
        }

        pub(crate) fn touch(&self, from: usize, to: usize) {
            for at in (from..to).step_by(4096) {
                // SAFETY: inside of the mapping.
                unsafe { self.0.add(at).write_volatile(1) };
            }
        }

        pub(crate) fn view(&self) -> ArrayView {
            ArrayView {
                ptr: self.0,
                tags: std::ptr::null_mut(),
                rank: 1,
                extents: [self.1 as i64 / 8, 0, 0, 0, 0, 0, 0, 0],
                strides: [8, 0, 0, 0, 0, 0, 0, 0],
                size: 8,
            }
        }
    }

    impl Drop for Mapped {
        fn drop(&mut self) {
            // SAFETY: what `new` mapped.
            unsafe { libc::munmap(self.0.cast(), self.1) };
        }
    }

    #[test]
    fn what_was_touched_is_there() {
        let memory = Mapped::new(1 << 20);
        assert_eq!(untouched(&memory.view()), 1.0);
        memory.touch(0, 1 << 18);
        // A quarter of it: one of five places.
        assert_eq!(untouched(&memory.view()), 0.8);
        memory.touch(0, 1 << 20);
        assert_eq!(untouched(&memory.view()), 0.0);
    }

    #[test]
    fn pages_are_found_and_hold_what_they_held() {
        let memory = Mapped::new(1 << 20);
        memory.touch(0, 4096);
        find(&memory.view());
        // A kernel before 5.14 finds none.
        if untouched(&memory.view()) == 0.0 {
            let is_there = |at: usize| is_there(memory.0 as i64 + at as i64);
            assert!((0..1 << 20).step_by(4096).all(is_there));
        }
        // SAFETY: inside of the mapping.
        let bytes = unsafe { std::slice::from_raw_parts(memory.0, 1 << 20) };
        assert!(bytes[0] == 1 && bytes[1..].iter().all(|b| *b == 0));
        // One column of many: not worth its neighbours.
        let memory = Mapped::new(1 << 20);
        let mut column = memory.view();
        (column.extents[0], column.strides[0]) = (256, 4096);
        find(&column);
        assert_eq!(untouched(&memory.view()), 1.0);
    }

    #[test]
    fn whole_arrays_have_all_their_pages_then() {
        let memory = Mapped::new(20 << 20);
        // Every other element: what lies between is somebody else's.
        let mut half = memory.view();
        (half.extents[0], half.strides[0]) = (half.extents[0] / 2, 16);
        find_all(&half);
        assert_eq!(untouched(&memory.view()), 1.0);
        find_all(&memory.view());
        let probe = Mapped::new(1 << 20);
        find(&probe.view());
        // A kernel before 5.14 finds none.
        assert_eq!(untouched(&memory.view()), untouched(&probe.view()));
    }

    #[test]
    fn backwards_and_small_ones() {
        let memory = Mapped::new(1 << 20);
        let mut backwards = memory.view();
        let last = backwards.extents[0] - 1;
        // SAFETY: inside of the mapping.
        backwards.ptr = unsafe { memory.0.add(8 * last as usize) };
        backwards.strides[0] = -8;
        assert_eq!(untouched(&backwards), 1.0);
        let mut small = memory.view();
        small.extents[0] = 100;
        assert_eq!(untouched(&small), 0.0);
    }
}
