//! Saving what a loop on threads is about to write, for the loads that are to find what was there before.

/// Copies a part of an array to `to`: all of it but along `axis`, where `count` subscripts from `first` on are copied.
/// The copy is contiguous, in C order; the tags of the elements, where they have some, lie behind it.
///
/// # Safety
///
/// `slot` has an address, `rank` extents, as many strides and, if `tagged`, the address of tags, of an array of
/// elements of `size` bytes in which the subscripts are; there is room at `to`, which is not in the array.
#[allow(clippy::too_many_arguments)] // the kernel ABI's
pub(crate) unsafe extern "C" fn nw_save_copy(
    size: i64,
    tagged: i64,
    rank: i64,
    slot: *const u8,
    axis: i64,
    first: i64,
    count: i64,
    to: *mut u8,
) {
    let (size, rank, axis) = (size as usize, rank as usize, axis as usize);
    // SAFETY: the fields of a slot lie one behind the other.
    let (base, extents, strides, tags) = unsafe {
        let fields = slot.cast::<i64>();
        let tags = (tagged != 0).then(|| *fields.add(1 + 2 * rank).cast::<*const u8>());
        (
            *slot.cast::<*const u8>(),
            std::slice::from_raw_parts(fields.add(1), rank),
            std::slice::from_raw_parts(fields.add(1 + rank), rank),
            tags,
        )
    };
    let mut counts = extents.to_vec();
    counts[axis] = count;
    let start = first * strides[axis];
    let total = counts.iter().product::<i64>();
    if total <= 0 {
        return;
    }
    // SAFETY: as promised by the caller; a tag lies where its element does, an eighth as far.
    unsafe {
        copy(base.offset(start as isize), &counts, strides, size, to);
        if let Some(tags) = tags {
            let strides: Vec<i64> = strides.iter().map(|s| s >> 3).collect();
            let to = to.add(total as usize * size);
            copy(tags.offset((start >> 3) as isize), &counts, &strides, 1, to);
        }
    }
}

/// # Safety
/// There are so many elements of `size` bytes at `from`, and room for them at `to`.
unsafe fn copy(from: *const u8, counts: &[i64], strides: &[i64], size: usize, mut to: *mut u8) {
    let (Some((n, outer)), Some((step, steps))) = (counts.split_last(), strides.split_last())
    else {
        return;
    };
    let n = *n as usize;
    for row in 0..outer.iter().product::<i64>() {
        let (mut rest, mut at) = (row, 0);
        for (count, stride) in outer.iter().zip(steps).rev() {
            at += rest % count * stride;
            rest /= count;
        }
        // SAFETY: as promised by the caller.
        unsafe {
            let from = from.offset(at as isize);
            if *step == size as i64 {
                std::ptr::copy_nonoverlapping(from, to, n * size);
            } else {
                for k in 0..n {
                    let element = from.offset((k as i64 * step) as isize);
                    std::ptr::copy_nonoverlapping(element, to.add(k * size), size);
                }
            }
            to = to.add(n * size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns 1 and 2 of a transposed matrix, elements and tags.
    #[test]
    fn a_part_of_a_strided_array() {
        let memory: Vec<f64> = (0..12).map(f64::from).collect();
        let tags: Vec<u8> = (100..112).collect();
        // `[3, 4]`, columns adjacent: element `[i, j]` is `3 * j + i`.
        let slot: [i64; 6] = [memory.as_ptr() as i64, 3, 4, 8, 24, tags.as_ptr() as i64];
        let mut copy = [0u64; 7];
        let to = copy.as_mut_ptr().cast::<u8>();
        // SAFETY: six elements of eight bytes and their tags fit.
        unsafe { nw_save_copy(8, 1, 2, slot.as_ptr().cast(), 1, 1, 2, to) };
        let values: Vec<f64> = copy[..6].iter().map(|v| f64::from_bits(*v)).collect();
        assert_eq!(values, [3.0, 6.0, 4.0, 7.0, 5.0, 8.0]);
        assert_eq!(copy[6].to_le_bytes()[..6], [103, 106, 104, 107, 105, 108]);
    }
}
