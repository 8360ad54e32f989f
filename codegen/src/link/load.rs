//! Loads a relocatable x86-64 ELF object into memory and links it against the helpers.
//!
//! A kernel is one object with a text section, constants, and calls of a short list of symbols, so a linker of this
//! size does, without LLVM: a cached kernel starts within the time of a file read. Formats and relocations: the System
//! V ABI, AMD64 supplement, chapter 4.
//!
//! LLVM's JITLink links the object of a product of matrices (4 KB) in 23 µs against 13 µs here, medians of 1,000 times
//! each in turn (`examples/loaders.rs`), and a process first spends 0.5 ms on an LLJIT. ORC would also add 1.0 MB to
//! the code of the extension module, so these 470 lines stay.

use crate::abi::{ENTRY_SYMBOL, Entry, GridThread};
use crate::error::{CodegenError, Result};
use crate::link::helpers;

/// A loaded kernel. Its memory is unmapped on drop.
pub struct Kernel {
    image: Image,
    entry: Entry,
}

impl Kernel {
    /// The entry point; see [`crate::abi`].
    pub fn entry(&self) -> Entry {
        self.entry
    }
    /// Bytes of memory the kernel occupies.
    pub fn size(&self) -> usize {
        self.image.len
    }
    /// Runs top iterations `lo..hi` on `frame`.
    ///
    /// # Safety
    /// `frame` must be laid out by [`crate::abi::FrameLayout`] for the kernel's nest, its descriptors must
    /// describe valid memory, and the launch must keep what the kernel was compiled for (disjointness, unit
    /// strides, operations without guard that cannot fail).
    pub unsafe fn run(&self, frame: *mut u8, lo: i64, hi: i64) {
        unsafe { (self.entry)(frame, lo, hi) }
    }
}

/// Links an object file made by [`crate::compile`].
pub fn load(object: &[u8]) -> Result<Kernel> {
    let (image, entries) = Linker::new(object)?.link(&[ENTRY_SYMBOL.to_owned()])?;
    // The section was checked to be executable and to contain this address.
    let entry: Entry = unsafe { std::mem::transmute(entries[0]) };
    Ok(Kernel { image, entry })
}

/// The kernels of an emulated device. Their memory is unmapped on drop.
pub struct GridCode {
    kernels: Vec<GridThread>,
    _image: Image,
}

impl GridCode {
    /// The kernel of a number, as one thread runs it.
    pub fn kernel(&self, number: usize) -> Option<GridThread> {
        self.kernels.get(number).copied()
    }
}

/// Links the device's part of `kernels` kernels ([`crate::DeviceCode::Object`]).
pub fn load_grid(object: &[u8], kernels: usize) -> Result<GridCode> {
    let names: Vec<String> = (0..kernels).map(crate::grid::kernel_name).collect();
    let (image, entries) = Linker::new(object)?.link(&names)?;
    let kernel = |at: *mut u8| -> GridThread {
        // As above.
        unsafe { std::mem::transmute(at) }
    };
    Ok(GridCode {
        kernels: entries.into_iter().map(kernel).collect(),
        _image: image,
    })
}

/// Memory that is mapped for loaded code.
struct Image {
    base: *mut u8,
    len: usize,
}

// The memory is only written while the linker owns it.
unsafe impl Send for Image {}
unsafe impl Sync for Image {}

impl Drop for Image {
    fn drop(&mut self) {
        unsafe { libc::munmap(self.base.cast(), self.len) };
    }
}

impl Image {
    fn new(len: usize) -> Result<Image> {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let base = unsafe { libc::mmap(std::ptr::null_mut(), len, access, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return bad(format!("no memory: {}", std::io::Error::last_os_error()));
        }
        Ok(Image {
            base: base.cast(),
            len,
        })
    }
    fn write(&mut self, at: usize, bytes: &[u8]) -> Result<()> {
        if at.checked_add(bytes.len()).is_none_or(|end| end > self.len) {
            return bad("a write outside the image");
        }
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.base.add(at), bytes.len()) };
        Ok(())
    }
    fn protect(&self, from: usize, to: usize, access: i32) -> Result<()> {
        if to > from
            && unsafe { libc::mprotect(self.base.add(from).cast(), to - from, access) } != 0
        {
            return bad(format!("mprotect: {}", std::io::Error::last_os_error()));
        }
        Ok(())
    }
}

fn bad<T>(message: impl Into<String>) -> Result<T> {
    Err(CodegenError::Object(message.into()))
}

const PAGE: usize = 4096;
const SHT_RELA: u32 = 4;
const SHT_NOBITS: u32 = 8;
const SHT_SYMTAB: u32 = 2;
const SHF_WRITE: u64 = 1;
const SHF_ALLOC: u64 = 2;
const SHF_EXEC: u64 = 4;
const SHN_UNDEF: u16 = 0;
const SHN_ABS: u16 = 0xfff1;

#[derive(Clone, Copy, Default)]
struct Section {
    kind: u32,
    flags: u64,
    offset: usize,
    size: usize,
    link: u32,
    info: u32,
    align: usize,
    /// Offset in the image, if it is loaded.
    place: Option<usize>,
}

struct Linker<'a> {
    file: &'a [u8],
    sections: Vec<Section>,
    /// Resolved external symbols, each with a stub and a table entry.
    externals: Vec<(u32, usize)>,
}

/// Where the parts of the image begin.
struct Plan {
    stubs: usize,
    table: usize,
    data: usize,
    len: usize,
    writable: bool,
}

const STUB: usize = 16;

impl<'a> Linker<'a> {
    fn bytes<const N: usize>(&self, at: usize) -> Result<[u8; N]> {
        match at
            .checked_add(N)
            .and_then(|end| self.file.get(at..end))
            .and_then(|s| s.try_into().ok())
        {
            Some(b) => Ok(b),
            None => bad("truncated"),
        }
    }
    fn u16(&self, at: usize) -> Result<u16> {
        Ok(u16::from_le_bytes(self.bytes(at)?))
    }
    fn u32(&self, at: usize) -> Result<u32> {
        Ok(u32::from_le_bytes(self.bytes(at)?))
    }
    fn u64(&self, at: usize) -> Result<u64> {
        Ok(u64::from_le_bytes(self.bytes(at)?))
    }
    fn size(&self, at: usize) -> Result<usize> {
        usize::try_from(self.u64(at)?).or_else(|_| bad("a size beyond the address space"))
    }

    fn new(file: &'a [u8]) -> Result<Linker<'a>> {
        let mut l = Linker {
            file,
            sections: Vec::new(),
            externals: Vec::new(),
        };
        let magic: [u8; 6] = l.bytes(0)?;
        let (kind, machine) = (l.u16(16)?, l.u16(18)?);
        if magic != [0x7f, b'E', b'L', b'F', 2, 1] || kind != 1 || machine != 62 {
            return bad("not a relocatable x86-64 ELF file");
        }
        let (table, each, count) = (l.size(0x28)?, l.u16(0x3a)? as usize, l.u16(0x3c)? as usize);
        let inside = |offset: usize, size: usize| {
            offset
                .checked_add(size)
                .is_some_and(|end| end <= file.len())
        };
        if each < 64 || !inside(table, each * count) {
            return bad("section headers out of range");
        }
        for i in 0..count {
            let h = table + i * each;
            let section = Section {
                kind: l.u32(h + 4)?,
                flags: l.u64(h + 8)?,
                offset: l.size(h + 24)?,
                size: l.size(h + 32)?,
                link: l.u32(h + 40)?,
                info: l.u32(h + 44)?,
                align: l.size(h + 48)?.max(1),
                place: None,
            };
            // Offsets into sections that are in the file cannot overflow from here on.
            if section.kind != SHT_NOBITS && !inside(section.offset, section.size) {
                return bad("a section out of range");
            }
            l.sections.push(section);
        }
        Ok(l)
    }

    fn section(&self, index: usize) -> Result<Section> {
        self.sections
            .get(index)
            .copied()
            .map_or_else(|| bad("no such section"), Ok)
    }

    fn symbol_table(&self) -> Result<Section> {
        let found = self.sections.iter().find(|s| s.kind == SHT_SYMTAB);
        found.copied().map_or_else(|| bad("no symbol table"), Ok)
    }

    /// Gives the loaded sections that are (not) executable an offset from `at` on; returns the end, and whether one of
    /// them is writable.
    fn place(&mut self, mut at: usize, exec: bool) -> Result<(usize, bool)> {
        let mut writable = false;
        let loaded = |s: &&mut Section| s.flags & SHF_ALLOC != 0 && s.size > 0;
        for s in self.sections.iter_mut().filter(loaded) {
            if (s.flags & SHF_EXEC != 0) == exec {
                if s.align > PAGE || !s.align.is_power_of_two() || s.size > 1 << 30 {
                    return bad("an impossible section");
                }
                at = at.next_multiple_of(s.align);
                s.place = Some(at);
                at += s.size;
                writable |= s.flags & SHF_WRITE != 0;
            }
        }
        Ok((at, writable))
    }

    /// Lays out the image: executable sections first, then stubs; the rest and the address table behind a page
    /// boundary.
    fn plan(&mut self) -> Result<Plan> {
        let (end, _) = self.place(0, true)?;
        let stubs = end.next_multiple_of(STUB);
        let data = (stubs + STUB * self.externals.len()).next_multiple_of(PAGE);
        let (end, writable) = self.place(data, false)?;
        let table = end.next_multiple_of(8);
        let len = (table + 8 * self.externals.len()).next_multiple_of(PAGE);
        Ok(Plan {
            stubs,
            table,
            data,
            len,
            writable,
        })
    }

    fn name(&self, strings: Section, at: u32) -> Result<&'a str> {
        let text = strings
            .offset
            .checked_add(at as usize)
            .and_then(|start| self.file.get(start..))
            .and_then(|s| s.iter().position(|b| *b == 0).and_then(|end| s.get(..end)))
            .and_then(|s| std::str::from_utf8(s).ok());
        text.map_or_else(|| bad("a symbol without name"), Ok)
    }

    /// Entry `index` of the symbol table: name, section, value.
    fn symbol(&self, index: u32) -> Result<(&'a str, u16, usize)> {
        let symbols = self.symbol_table()?;
        let strings = self.section(symbols.link as usize)?;
        let Some(at) = (index as usize)
            .checked_mul(24)
            .filter(|o| *o < symbols.size)
        else {
            return bad("no such symbol");
        };
        let at = match symbols.offset.checked_add(at) {
            Some(at) => at,
            None => return bad("no such symbol"),
        };
        Ok((
            self.name(strings, self.u32(at)?)?,
            self.u16(at + 6)?,
            self.size(at + 8)?,
        ))
    }

    fn resolve_externals(&mut self) -> Result<()> {
        let count = self.symbol_table()?.size / 24;
        for index in 1..count as u32 {
            let (name, section, _) = self.symbol(index)?;
            if section == SHN_UNDEF && !name.is_empty() {
                match helpers::address(name) {
                    Some(address) => self.externals.push((index, address)),
                    None => return bad(format!("unknown symbol {name}")),
                }
            }
        }
        Ok(())
    }

    /// The image, and where the named functions are in it.
    fn link(mut self, names: &[String]) -> Result<(Image, Vec<*mut u8>)> {
        self.resolve_externals()?;
        let plan = self.plan()?;
        if plan.len == 0 {
            return bad("empty");
        }
        let mut image = Image::new(plan.len)?;
        for s in &self.sections {
            if let (Some(place), true) = (s.place, s.kind != SHT_NOBITS) {
                let Some(bytes) = s
                    .offset
                    .checked_add(s.size)
                    .and_then(|end| self.file.get(s.offset..end))
                else {
                    return bad("truncated");
                };
                image.write(place, bytes)?;
            }
        }
        for (k, (_, address)) in self.externals.iter().enumerate() {
            // jmp [rip + 0]; the address follows.
            image.write(plan.stubs + k * STUB, &[0xff, 0x25, 0, 0, 0, 0])?;
            image.write(plan.stubs + k * STUB + 6, &address.to_le_bytes())?;
            image.write(plan.table + k * 8, &address.to_le_bytes())?;
        }
        for s in self.sections.iter().filter(|s| s.kind == SHT_RELA) {
            if let Some(place) = self.section(s.info as usize)?.place {
                self.relocate(&mut image, &plan, *s, place)?;
            }
        }
        let entry = |name: &String| self.entry(&image, name);
        let entries = names.iter().map(entry).collect::<Result<_>>()?;
        Ok((self.seal(image, &plan)?, entries))
    }

    fn relocate(&self, image: &mut Image, plan: &Plan, rela: Section, place: usize) -> Result<()> {
        for k in 0..rela.size / 24 {
            let at = rela.offset.saturating_add(k * 24);
            let (offset, info, addend) =
                (self.size(at)?, self.u64(at + 8)?, self.u64(at + 16)? as i64);
            let (kind, symbol) = (info as u32, (info >> 32) as u32);
            let Some(target) = place.checked_add(offset) else {
                return bad("a relocation out of range");
            };
            let here = (image.base as i64).wrapping_add(target as i64);
            let external = self.externals.iter().position(|(s, _)| *s == symbol);
            let value = |direct: bool| -> Result<i64> {
                match external {
                    Some(k) if direct => Ok(self.externals[k].1 as i64),
                    Some(k) => Ok(image.base as i64 + (plan.stubs + k * STUB) as i64),
                    None => self.defined(image, symbol),
                }
            };
            match kind {
                0 => {}
                1 => image.write(target, &(value(true)?.wrapping_add(addend)).to_le_bytes())?,
                24 => {
                    let v = value(true)?.wrapping_add(addend).wrapping_sub(here);
                    image.write(target, &v.to_le_bytes())?;
                }
                2 | 4 => {
                    let v = value(false)?.wrapping_add(addend).wrapping_sub(here);
                    image.write(target, &small(v)?.to_le_bytes())?;
                }
                9 | 41 | 42 => {
                    let Some(k) = external else {
                        return bad("an address table entry of our own symbol");
                    };
                    let entry = image.base as i64 + (plan.table + k * 8) as i64;
                    let v = entry.wrapping_add(addend).wrapping_sub(here);
                    image.write(target, &small(v)?.to_le_bytes())?;
                }
                _ => return bad(format!("relocation type {kind}")),
            }
        }
        Ok(())
    }

    fn defined(&self, image: &Image, symbol: u32) -> Result<i64> {
        let (name, section, value) = self.symbol(symbol)?;
        if section == SHN_ABS {
            return Ok(value as i64);
        }
        match self.section(section as usize)?.place {
            Some(place) => Ok((image.base as i64 + place as i64).wrapping_add(value as i64)),
            None => bad(format!("symbol {name} is not loaded")),
        }
    }

    fn entry(&self, image: &Image, wanted: &str) -> Result<*mut u8> {
        let count = self.symbol_table()?.size / 24;
        for index in 1..count as u32 {
            let (name, section, value) = self.symbol(index)?;
            if name == wanted && section != SHN_UNDEF {
                let s = self.section(section as usize)?;
                let place = s
                    .place
                    .filter(|_| s.flags & SHF_EXEC != 0 && value < s.size);
                if let Some(place) = place {
                    return Ok(unsafe { image.base.add(place + value) });
                }
            }
        }
        bad("no entry point")
    }

    fn seal(&self, image: Image, plan: &Plan) -> Result<Image> {
        image.protect(0, plan.data, libc::PROT_READ | libc::PROT_EXEC)?;
        let access = if plan.writable {
            libc::PROT_READ | libc::PROT_WRITE
        } else {
            libc::PROT_READ
        };
        image.protect(plan.data, plan.len, access)?;
        Ok(image)
    }
}

fn small(v: i64) -> Result<i32> {
    i32::try_from(v).or_else(|_| bad("a relocation beyond 2 GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A section header table that points beyond the file, and every truncation of a sound header.
    #[test]
    fn headers_are_bounded() {
        let mut file = [0u8; 64];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[16] = 1;
        file[18] = 62;
        file[0x28..0x30].copy_from_slice(&u64::MAX.to_le_bytes());
        file[0x3a] = 64;
        file[0x3c] = 3;
        for end in 0..=file.len() {
            assert!(matches!(load(&file[..end]), Err(CodegenError::Object(_))));
        }
    }

    #[test]
    fn rubbish_is_an_error() {
        for bytes in [
            &b""[..],
            b"\x7fELF",
            b"not an object file at all, but long enough to be one...............",
        ] {
            assert!(matches!(load(bytes), Err(CodegenError::Object(_))));
        }
    }
}
