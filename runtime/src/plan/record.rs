//! A run as other machines could price it.

use nestwise_costmodel::Device;
use nestwise_costmodel::record::{CallRecord, KernelRecord, NestRecord, Parallel};
use nestwise_ir::LoopId;

use crate::options::{Options, options};
use crate::pipeline::HasValue;
use crate::plan::{Plan, Sizes, lock};
use crate::reason::Reason;

impl Plan {
    /// Keeps what the price of a call depends on.
    pub fn record<V: HasValue>(&self, captures: &[V]) -> Result<(), Reason> {
        let mut sizes = self.resolve(self.launch_values(captures)?, false)?;
        self.guess(&mut sizes, captures);
        sizes.untouched = self.untouched(captures);
        let options = options();
        let call = self.call(&sizes, captures, &options);
        let mut record = lock(&self.record);
        let record = record.get_or_insert_with(|| Box::new(self.empty_record(&sizes, &options)));
        record.add(call);
        Ok(())
    }

    /// What was kept of the nest that stands there, its kernels as they are now.
    pub fn recorded(&self, file: &str, line: u32) -> Option<NestRecord> {
        let kept = lock(&self.record).clone()?;
        let kernel = |k: &std::sync::Arc<crate::plan::Kernel>| KernelRecord {
            shape: k.about.shape.clone(),
            traffic: k.about.traffic.clone(),
            origin: k.about.origin.clone(),
        };
        Some(NestRecord {
            file: file.into(),
            line,
            kernels: [Device::Serial, Device::Threads]
                .map(|device| lock(&self.made)[device.kind()].as_ref().map(kernel)),
            ..*kept
        })
    }

    fn empty_record(&self, sizes: &Sizes, options: &Options) -> NestRecord {
        let source = self.priced_by.clone();
        NestRecord {
            file: String::new(),
            line: 0,
            features: source.features,
            traffic: source.traffic,
            grid: self
                .axes(sizes, options)
                .iter()
                .map(|a| a.1.clone())
                .collect(),
            lanes: source.lanes,
            kernels: [None, None],
            calls: Vec::new(),
            folded: 0,
        }
    }

    fn call<V: HasValue>(&self, sizes: &Sizes, captures: &[V], options: &Options) -> CallRecord {
        let one = self.native(None, self.verdicts.has_parallel(), sizes);
        let around = self.launch_work(sizes, captures, one.total());
        let ids: Vec<LoopId> = self.nest.loops.ids().collect();
        let parallel = self.parallel(sizes, u32::MAX, options);
        CallRecord {
            times: 1,
            trips: ids.iter().map(|id| sizes.expected(*id)).collect(),
            // What index arrays hold moves no memory.
            values: nestwise_analysis::LaunchValues {
                contents: Vec::new(),
                ..sizes.values.clone()
            },
            bind: around.bind,
            convert: around.convert,
            undo: around.undo,
            fresh: self.fresh(sizes),
            copies: self.copies(sizes),
            parallel: Parallel {
                // A number that every reader of JSON has.
                most: parallel.most.min(i32::MAX as u32),
                ..parallel
            },
        }
    }
}
