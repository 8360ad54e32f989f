//! Compiled nests: made by LLVM, or read from disk without asking the analysis or LLVM anything.

mod about;
pub mod background;
mod build;
pub mod cache;
pub(crate) mod compile;
pub mod get;
pub(crate) mod kernels;
pub mod key;
pub mod making;
pub(crate) mod on_disk;
pub(crate) mod on_grid;
pub(crate) mod order;
pub(crate) mod select;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use nestwise_codegen as codegen;
use nestwise_costmodel::{Device, Priced, Seconds};
use nestwise_ir::{ArrayDecl, Nest, Tier};

use crate::device::cuda::module::Module;
use crate::device::{Code, Grid};
use crate::options::Options;

pub use crate::kernel::about::{About, ONCE, OnGrid};

/// A compiled nest under one schedule, for launches that share all facts it was compiled for.
pub struct Kernel {
    /// The machine code.
    pub code: codegen::Kernel,
    /// The offsets in the kernel's frame.
    pub layout: codegen::abi::FrameLayout,
    /// Everything else that a launch needs to know.
    pub about: About,
    /// The price of the kernel's loops on this machine.
    pub price: Priced,
    /// The kernels for a device, if this one is made for it.
    pub grid: Option<Grid>,
    /// How the kernel came about, until a launch has told.
    news: Mutex<Option<CompileInfo>>,
    has_news: AtomicBool,
}

/// How a kernel came about.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileInfo {
    /// Whether the kernel was made or loaded for this call.
    pub happened: bool,
    /// Whether the kernel came from the cache on disk.
    pub from_disk: bool,
    /// The time from entering the hook until the kernel was there.
    pub time: Duration,
    /// What making its code took, if that was for the host.
    pub made: Option<MadeCode>,
}

/// Code that was made.
#[derive(Clone, Copy, Debug)]
pub struct MadeCode {
    /// The tier of the code.
    pub tier: Tier,
    /// The time that making the code was predicted to take.
    pub predicted: Seconds,
    /// The time that making the code took.
    pub took: Duration,
}

impl Kernel {
    /// The device that the kernel runs on.
    pub fn device(&self) -> Device {
        match (&self.grid, self.about.threaded) {
            (Some(_), _) => Device::Gpu,
            (None, true) => Device::Threads,
            (None, false) => Device::Serial,
        }
    }

    /// Whether the kernel can go on with the frame of another one, between two chunks: the variables and arrays are the
    /// same.
    pub fn continues(&self, other: &Kernel) -> bool {
        let (mine, others) = (&self.about.nest, &other.about.nest);
        let vars = |nest: &Nest| Vec::from_iter(nest.vars.values().map(|v| (v.live_in, v.ty)));
        let array = |a: &ArrayDecl| (a.capture, a.kind, a.storage);
        let arrays = |nest: &Nest| Vec::from_iter(nest.arrays.values().map(array));
        self.layout == other.layout && vars(mine) == vars(others) && arrays(mine) == arrays(others)
    }

    /// Loads the code of a kernel; the error says why it cannot be.
    pub fn load(object: &[u8], about: About, options: &Options) -> Result<Kernel, String> {
        let bad = |e: codegen::CodegenError| e.to_string();
        let Some(on_grid) = &about.grid else {
            return Ok(Kernel::new(
                nestwise_codegen::load(object).map_err(bad)?,
                about,
                options,
            ));
        };
        let parts = object.split_at_checked(on_grid.host);
        let (host, device) = parts.ok_or("a part of the code is missing")?;
        let code = match on_grid.ptx {
            true => {
                let text = std::str::from_utf8(device).map_err(|e| e.to_string())?;
                let module = Module::load(text, &on_grid.kernels);
                Code::Cuda(Arc::new(module.map_err(|reason| reason.to_string())?))
            }
            false => {
                let code = codegen::load_grid(device, on_grid.kernels.len());
                Code::Emulated(Arc::new(code.map_err(bad)?))
            }
        };
        let host = nestwise_codegen::load(host).map_err(bad)?;
        let grid = Grid::new(code, on_grid.kernels.clone());
        Ok(Kernel {
            grid: Some(grid),
            ..Kernel::new(host, about, options)
        })
    }

    /// Puts loaded code and what is known of it together.
    fn new(code: codegen::Kernel, about: About, options: &Options) -> Kernel {
        let (traffic, origin) = (about.traffic.clone(), about.origin.clone());
        Kernel {
            price: Priced::new(&about.shape, traffic, origin, &options.profile.host),
            layout: codegen::abi::FrameLayout::of(&about.nest),
            code,
            about,
            grid: None,
            news: Mutex::default(),
            has_news: AtomicBool::new(false),
        }
    }

    /// Keeps how the kernel came about for the first launch to tell, if it was made `ahead` of any.
    pub(crate) fn tells(&mut self, info: CompileInfo, ahead: bool) {
        *self.news.get_mut().unwrap_or_else(|e| e.into_inner()) = ahead.then_some(info);
        *self.has_news.get_mut() = ahead;
    }

    /// How the kernel came about, for the first caller alone.
    pub(crate) fn news(&self) -> CompileInfo {
        if !self.has_news.swap(false, Ordering::Relaxed) {
            return CompileInfo::default();
        }
        let news = self.news.lock().unwrap_or_else(|e| e.into_inner()).take();
        news.unwrap_or_default()
    }

    /// The kernel stored under `key`, if it is there and undamaged.
    pub fn from_disk(options: &Options, key: &cache::Key) -> Option<Kernel> {
        let stored = cache::load(options.cache_dir.as_deref()?, key)?;
        let (length, rest) = stored.split_first_chunk::<8>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (about, object) = rest.split_at_checked(length)?;
        let about = postcard::from_bytes(about).ok()?;
        Kernel::load(object, about, options).ok()
    }

    /// Has a kernel's parts stored under `key`, once nobody waits for anything. A cache that cannot be written only
    /// costs time.
    pub fn to_disk(options: &Options, key: cache::Key, object: &[u8], about: &About) {
        let (Some(dir), Ok(about)) = (options.cache_dir.clone(), postcard::to_stdvec(about)) else {
            return;
        };
        let length = (about.len() as u64).to_le_bytes();
        let all = [&length, about.as_slice(), object].concat();
        background::later(move || {
            let _ = cache::store(&dir, &key, &all);
        });
    }
}
