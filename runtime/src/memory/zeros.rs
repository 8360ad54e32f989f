//! Arrays that nobody has written to since the system gave the process their memory: they hold zeros, which need not
//! cross to a device, and pages that are not even read need not be found twice.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

use crate::memory::overlap::ArrayView;
use crate::memory::pages;

/// The part of an array that holds nothing but zeros, since nobody has touched any page there: the addresses of its
/// first byte and behind its last one, of whole pages. None if there are touched pages between, if the array is small,
/// if the memory is not the process's alone, or if the system does not tell.
pub fn zeros(view: &ArrayView) -> Option<(i64, i64)> {
    let ((first, end), page) = (view.range(), pages::page_bytes());
    if pages::untouched(view) < 1.0 {
        return None;
    }
    let (from, to) = ((first + page - 1) / page * page, end / page * page);
    (is_anonymous(from, to)? && is_free(from, to, page)?).then_some((from, to))
}

/// Whether nothing but this process's own writing could have put anything at these addresses.
fn is_anonymous(from: i64, to: i64) -> Option<bool> {
    let maps = File::open("/proc/self/maps").ok()?;
    let mut asked = Mapping {
        size: size_of::<Mapping>() as u64,
        address: from as u64,
        ..Mapping::default()
    };
    // SAFETY: a struct as the system has it, alive for the call.
    let code = unsafe { libc::ioctl(maps.as_raw_fd(), QUERY, &raw mut asked) };
    (code == 0).then(|| {
        let whole = asked.first <= from as u64 && to as u64 <= asked.end;
        whole && asked.flags & SHARED == 0 && asked.inode == 0 && asked.device == [0; 2]
    })
}

/// Whether none of these pages is in memory or swapped out (Linux, Documentation/admin-guide/mm/pagemap.rst).
fn is_free(from: i64, to: i64, page: i64) -> Option<bool> {
    let mut entries = vec![0u8; usize::try_from((to - from) / page).ok()? * ENTRY];
    // Opened each time: a child that was forked would read its parent's.
    let map = File::open("/proc/self/pagemap").ok()?;
    map.read_exact_at(&mut entries, (from / page) as u64 * ENTRY as u64)
        .ok()?;
    // The highest two bits.
    Some(entries.chunks_exact(ENTRY).all(|e| e[ENTRY - 1] >> 6 == 0))
}

/// Bytes of an entry of `pagemap`, one for each page; the lowest byte comes first.
const ENTRY: usize = 8;

/// The mapping that an address is in: `struct procmap_query` (Linux, include/uapi/linux/fs.h).
#[repr(C)]
#[derive(Default)]
struct Mapping {
    size: u64,
    query: u64,
    address: u64,
    first: u64,
    end: u64,
    flags: u64,
    page: u64,
    offset: u64,
    inode: u64,
    device: [u32; 2],
    name_size: u32,
    build_id_size: u32,
    name: u64,
    build_id: u64,
}

/// The request `PROCMAP_QUERY`, which Linux has since 6.11: `_IOWR('f', 17, struct procmap_query)`.
const QUERY: libc::c_ulong =
    3 << 30 | (size_of::<Mapping>() as libc::c_ulong) << 16 | (b'f' as libc::c_ulong) << 8 | 17;
/// The flag `PROCMAP_QUERY_VMA_SHARED`.
const SHARED: u64 = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::pages::tests::Mapped;

    #[test]
    fn what_nobody_touched_is_zeros() {
        let memory = Mapped::new(1 << 20);
        if zeros(&memory.view()).is_none() {
            return; // a kernel before 6.11 does not tell
        }
        let first = memory.0 as i64;
        assert_eq!(zeros(&memory.view()), Some((first, first + (1 << 20))));
        // As NumPy's arrays lie: behind a header.
        let mut behind = memory.view();
        // SAFETY: inside of the mapping.
        behind.ptr = unsafe { memory.0.add(64) };
        behind.extents[0] -= 20;
        memory.touch(0, 1);
        assert_eq!(
            zeros(&behind),
            Some((first + 4096, first + (1 << 20) - 4096))
        );
        memory.touch(40 * 4096, 40 * 4096 + 1);
        assert_eq!(zeros(&behind), None);
        // Zeros that were read are somebody's.
        let read = Mapped::new(1 << 20);
        // SAFETY: inside of the mapping.
        assert_eq!(unsafe { read.0.add(100 * 4096).read_volatile() }, 0);
        assert_eq!(zeros(&read.view()), None);
        let mut small = memory.view();
        small.extents[0] = 1000;
        assert_eq!(zeros(&small), None);
    }

    #[test]
    fn what_a_file_holds_is_no_zeros() {
        let path = std::env::temp_dir().join(format!("nestwise-zeros-{}", std::process::id()));
        std::fs::write(&path, vec![7u8; 1 << 20]).expect("a file");
        let file = File::open(&path).expect("the file");
        for (kind, access) in [
            (libc::MAP_PRIVATE, libc::PROT_READ | libc::PROT_WRITE),
            (libc::MAP_SHARED, libc::PROT_READ),
        ] {
            // SAFETY: a mapping of its own, given back when dropped.
            let memory = unsafe { Mapped::of(1 << 20, access, kind, file.as_raw_fd()) };
            assert_eq!(zeros(&memory.view()), None);
        }
        // Nor is what processes have in common.
        let shared = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        // SAFETY: as above.
        let memory = unsafe { Mapped::of(1 << 20, libc::PROT_READ | libc::PROT_WRITE, shared, -1) };
        assert_eq!(zeros(&memory.view()), None);
        std::fs::remove_file(path).expect("the file");
    }
}
