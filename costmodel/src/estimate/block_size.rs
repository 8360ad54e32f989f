//! The number of threads in a block of a GPU kernel.
//!
//! A multiprocessor has room for a number of threads and a number of registers, and a block waits until it gets both
//! ("CUDA C++ Programming Guide", NVIDIA, "Hardware Multithreading"). Large blocks share more of what they load; small
//! ones leave less room unused, and spread few threads over more multiprocessors. On an H200 stencils, products, and
//! what is computed element by element were up to a tenth faster with 128 threads than with 256.

/// The sizes of blocks to choose from, in threads, the largest first.
const SIZES: [i64; 3] = [256, 128, 64];
/// The largest block, in threads, where nothing speaks for larger ones.
pub const USUAL: i64 = 128;
/// The largest block, in threads, where each block leaves a result of its own behind.
pub const LARGE: i64 = 256;
/// The fraction (numerator, denominator) of the most threads resident with any size that is enough to take a size.
const NEARLY: (i64, i64) = (7, 8);
/// The number of which a thread's registers are rounded up to a multiple.
const PIECE: i64 = 8;

/// What a GPU has room for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Room {
    /// The number of multiprocessors.
    pub processors: i64,
    /// The number of threads that one multiprocessor has room for.
    pub threads: i64,
    /// The number of registers that one multiprocessor has.
    pub registers: i64,
}

impl Room {
    /// The threads of a block, at most `most`, of a kernel with `threads` threads in all that need `registers`
    /// registers each (none: not known). Of the sizes with which every multiprocessor has a block, it is the largest
    /// with which nearly as many threads are resident as with any; the smallest size where there are too few threads
    /// for that.
    pub fn block(&self, threads: i64, registers: Option<i64>, most: i64) -> i64 {
        let enough = |size: &i64| *size <= most && threads / size >= self.processors;
        let spread = || SIZES.into_iter().filter(enough);
        let at_once = |size: i64| self.at_once(size, registers);
        let most = spread().map(at_once).max().unwrap_or(0);
        let enough = spread().find(|size| at_once(*size) * NEARLY.1 >= most * NEARLY.0);
        enough.unwrap_or(SIZES[SIZES.len() - 1])
    }

    /// The number of threads, in blocks of `size`, that one multiprocessor has room for.
    fn at_once(&self, size: i64, registers: Option<i64>) -> i64 {
        let by_threads = self.threads / size;
        let each = registers.map(|each| (each.max(1) + PIECE - 1) / PIECE * PIECE);
        let by_registers = each.map_or(by_threads, |each| self.registers / (each * size));
        by_threads.min(by_registers) * size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The room of an A100 or H100, by their makers' tables.
    const ROOM: Room = Room {
        processors: 132,
        threads: 2048,
        registers: 65_536,
    };

    #[test]
    fn large_blocks_where_nothing_speaks_for_small_ones() {
        assert_eq!(ROOM.block(1 << 20, None, LARGE), 256);
        assert_eq!(ROOM.block(1 << 20, Some(32), LARGE), 256);
        assert_eq!(ROOM.block(i64::MAX, Some(1), LARGE), 256);
        assert_eq!(ROOM.block(i64::MAX, Some(1), USUAL), 128);
    }

    #[test]
    fn few_threads_are_spread_over_all_processors() {
        assert_eq!(ROOM.block(132 * 256, None, LARGE), 256);
        assert_eq!(ROOM.block(132 * 256 - 1, None, LARGE), 128);
        assert_eq!(ROOM.block(132 * 128 - 1, None, LARGE), 64);
        assert_eq!(ROOM.block(1, None, LARGE), 64);
        assert_eq!(ROOM.block(0, None, LARGE), 64);
    }

    #[test]
    fn registers_that_would_be_left_over_are_used() {
        // 168 registers: one block of 256 threads has room, or three of 128.
        assert_eq!(ROOM.block(1 << 20, Some(168), LARGE), 128);
        // 255, of which 256 are taken: 256 threads either way.
        assert_eq!(ROOM.block(1 << 20, Some(255), LARGE), 256);
        // 100, of which 104 are taken: 512, 512 or 576 threads, which is hardly more.
        assert_eq!(ROOM.block(1 << 20, Some(100), LARGE), 256);
        // 72: 768 or 896 threads.
        assert_eq!(ROOM.block(1 << 20, Some(72), LARGE), 128);
    }

    #[test]
    fn a_card_that_tells_nothing_gets_large_ones() {
        let unknown = Room {
            processors: 132,
            threads: 0,
            registers: 0,
        };
        assert_eq!(unknown.block(1 << 20, Some(40), LARGE), 256);
    }
}
