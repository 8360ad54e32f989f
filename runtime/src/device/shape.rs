//! How a GPU's threads are laid out: blocks, and threads of each, along the axes of a kernel.

use nestwise_codegen::{BLOCK_THREADS, USUAL_THREADS};
use nestwise_costmodel::estimate::block_size;

/// For one, two and three axes in use: the threads of a block, with neighbours along the innermost. Stencils were 2 to
/// 6 % slower on an H200 where blocks were of 64 by 2, 128 by 1, 32 by 2 or 16 by 8.
const BLOCK: [[i64; 3]; 3] = [[256, 1, 1], [32, 8, 1], [32, 4, 2]];
const _: () = assert!(BLOCK_THREADS == 256 && block_size::LARGE == 256);
const _: () = assert!(USUAL_THREADS as i64 == block_size::USUAL);
/// The most threads of a block along the innermost of two tiled axes: there a product took 1.70 ms in blocks of 128 by
/// 1, and 2.34 in blocks of 32 by 4.
const TILED_ROW: i64 = 128;
/// The number of blocks along an axis whose iterations are not known.
const UNKNOWN_BLOCKS: i64 = 16;
/// The most blocks that any GPU takes along an axis.
const MOST_BLOCKS: i64 = 65_535;

/// The iterations of each axis that a thread runs at once: those of `tile`, as long as `least` threads are left.
pub(super) fn in_tiles(trips: [Option<i64>; 3], tile: [i64; 3], least: i64) -> [i64; 3] {
    let mut taken = [1; 3];
    for (axis, count) in tile.into_iter().enumerate() {
        let before = std::mem::replace(&mut taken[axis], count);
        if trips[axis].is_none() || threads(&trips, taken, 1) < least {
            taken[axis] = before;
        }
    }
    taken
}

/// The number of threads that the axes in use ask for together; no limit where the iterations of one are not known.
pub(super) fn asked(axes: usize, trips: [Option<i64>; 3], tile: [i64; 3]) -> i64 {
    threads(&trips[..axes.min(3)], tile, i64::MAX)
}

fn threads(trips: &[Option<i64>], tile: [i64; 3], unknown: i64) -> i64 {
    let of = |(n, count): (&Option<i64>, i64)| n.map_or(unknown, |n| n.max(0) / count);
    let each = trips.iter().zip(tile).map(of);
    each.fold(1, |all: i64, n| all.saturating_mul(n))
}

/// The blocks, and the threads of each, for a kernel on `axes` axes of `trips` iterations, the innermost first (none:
/// not known), of which a thread runs those of a `tile` at once. A block has at most `most_threads`, the grid
/// `most_blocks`: where more are asked for, threads have several iterations, of outer axes first, between which they
/// keep what the inner ones share. Along a tiled axis every thread has a whole tile, and some an iteration more: a
/// thread without a whole tile would run as many one by one, for which the others would wait.
pub(super) fn shape(
    axes: usize,
    trips: [Option<i64>; 3],
    tile: [i64; 3],
    most_threads: i64,
    most_blocks: i64,
) -> ([i64; 3], [i64; 3]) {
    if axes == 0 {
        return ([1; 3], [1; 3]);
    }
    let last = axes.min(3) - 1;
    let mut threads = BLOCK[last];
    // What does not fit loses the axes first that are not the innermost.
    for axis in [2, 1, 0] {
        while threads[axis] > 1 && threads.iter().product::<i64>() > most_threads {
            threads[axis] /= 2;
        }
    }
    let tiles = trips[0].unwrap_or(i64::MAX) / tile[0];
    while tile[0] > 1 && tile[1] > 1 && threads[1] > 1 && 2 * threads[0] <= tiles.min(TILED_ROW) {
        threads[0] *= 2;
        threads[1] /= 2;
    }
    let mut blocks = [1; 3];
    for (axis, count) in blocks.iter_mut().enumerate().take(last + 1) {
        *count = match trips[axis] {
            Some(trips) => {
                let tiles = trips / (threads[axis] * tile[axis]);
                let all = (trips.max(1) - 1) / threads[axis] + 1;
                let blocks = if tile[axis] > 1 && tiles > 0 {
                    tiles
                } else {
                    all
                };
                blocks.min(MOST_BLOCKS)
            }
            None => UNKNOWN_BLOCKS,
        };
    }
    while blocks.iter().product::<i64>() > most_blocks.max(1) {
        let [innermost, outer @ ..] = &mut blocks;
        let outer = outer.iter_mut().max().filter(|n| **n > 1);
        let most = outer.unwrap_or(innermost);
        *most = (*most + 1) / 2;
    }
    (blocks, threads)
}

/// The blocks of a cooperative kernel, and the threads of each: no more blocks than its largest part asks for with
/// `threads` threads, or than have room at once (`together`).
pub(super) fn cooperative_shape(threads: i64, together: i64) -> ([i64; 3], [i64; 3]) {
    let each = BLOCK_THREADS as i64;
    let wanted = (threads.max(1) - 1) / each + 1;
    ([wanted.min(together.max(1)), 1, 1], [each, 1, 1])
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: [i64; 3] = [1; 3];

    #[test]
    fn blocks_cover_what_is_known_and_fit_the_card() {
        let one = |n: i64| [Some(n), None, None];
        let any = i64::MAX;
        assert_eq!(shape(0, one(1), ONE, 1024, any), ([1; 3], [1; 3]));
        assert_eq!(
            shape(1, one(1000), ONE, 1024, any),
            ([4, 1, 1], [256, 1, 1])
        );
        assert_eq!(shape(1, one(1 << 40), ONE, 1024, 100).0, [64, 1, 1]);
        assert_eq!(
            shape(1, one(1 << 40), ONE, 1024, any).0,
            [MOST_BLOCKS, 1, 1]
        );
        let two = |n: i64, inner| [inner, Some(n), None];
        assert_eq!(
            shape(2, two(17, Some(33)), ONE, 1024, any),
            ([2, 3, 1], [32, 8, 1])
        );
        assert_eq!(
            shape(2, two(17, None), ONE, 1024, any).0,
            [UNKNOWN_BLOCKS, 3, 1]
        );
        let three = [None, Some(9), Some(5)];
        assert_eq!(shape(3, three, ONE, 1024, any).0, [UNKNOWN_BLOCKS, 3, 3]);
        assert_eq!(shape(3, three, ONE, 64, any).1, [32, 2, 1]);
        assert_eq!(shape(1, one(5), ONE, 128, any).1, [128, 1, 1]);
        assert_eq!(shape(1, one(0), ONE, 128, 0), ([1; 3], [128, 1, 1]));
    }

    #[test]
    fn axes_ask_for_threads_together() {
        assert_eq!(asked(2, [Some(5), Some(7), None], ONE), 35);
        assert_eq!(asked(3, [Some(5), Some(7), None], ONE), i64::MAX);
        assert_eq!(
            asked(2, [Some(1 << 40), Some(1 << 40), None], ONE),
            i64::MAX
        );
        assert_eq!(asked(1, [Some(-3), None, None], ONE), 0);
        assert_eq!(asked(0, [None; 3], ONE), 1);
    }

    #[test]
    fn so_many_blocks_leave_records() {
        let square = |n: i64| [Some(n), Some(n), None];
        assert_eq!(
            shape(1, [Some(1 << 40), None, None], ONE, 1024, 1056).0,
            [1024, 1, 1]
        );
        assert_eq!(shape(2, square(900), ONE, 1024, 100).0, [29, 2, 1]);
        assert_eq!(shape(3, [None, Some(9), Some(9)], ONE, 64, 1).0, [1, 1, 1]);
    }

    #[test]
    fn blocks_of_a_cooperative_launch_have_room_at_once() {
        assert_eq!(cooperative_shape(1, 132).0, [1, 1, 1]);
        assert_eq!(cooperative_shape(257, 132), ([2, 1, 1], [256, 1, 1]));
        assert_eq!(cooperative_shape(i64::MAX, 132).0, [132, 1, 1]);
        assert_eq!(cooperative_shape(0, 0).0, [1, 1, 1]);
    }

    #[test]
    fn tiles_are_taken_where_enough_threads_are_left() {
        let square = |n: i64| [Some(n), Some(n), None];
        let tile = [4, 8, 1];
        assert_eq!(in_tiles(square(4000), tile, 30_000), tile);
        assert_eq!(in_tiles(square(402), tile, 30_000), [4, 1, 1]);
        assert_eq!(in_tiles(square(100), tile, 30_000), ONE);
        assert_eq!(in_tiles([None, Some(80), None], tile, 10), [1, 8, 1]);
        assert_eq!(in_tiles([Some(1 << 62), Some(1 << 62), None], ONE, 10), ONE);
    }

    #[test]
    fn blocks_of_two_tiled_axes_are_rows() {
        let threads = |n: i64, tile| shape(2, [Some(n), Some(n), None], tile, 128, i64::MAX).1;
        assert_eq!(threads(2048, [4, 8, 1]), [128, 1, 1]);
        assert_eq!(threads(300, [4, 8, 1]), [64, 2, 1]);
        assert_eq!(threads(2048, [4, 1, 1]), [32, 4, 1]);
        assert_eq!(threads(2048, ONE), [32, 4, 1]);
    }

    #[test]
    fn every_thread_along_a_tiled_axis_has_a_whole_tile() {
        for n in [4, 31, 128, 500, 2000, 2047, 2048] {
            let (trips, tile) = ([Some(n), Some(n), None], [4, 8, 1]);
            let (blocks, threads) = shape(2, trips, tile, 128, i64::MAX);
            for axis in 0..2 {
                let all = blocks[axis] * threads[axis];
                let whole = all * tile[axis] <= n;
                assert!(
                    whole || n < threads[axis] * tile[axis],
                    "{n}: {all} along {axis}"
                );
                assert!(
                    all * tile[axis] > n - threads[axis] * tile[axis],
                    "{n}: {all}"
                );
            }
        }
    }
}
