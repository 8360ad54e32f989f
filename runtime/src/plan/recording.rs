//! The record of a nest's calls, kept for other machines to price them.

use std::sync::Mutex;

use nestwise_costmodel::record::{CallRecord, NestRecord};

use crate::lock::lock;

/// What the prices of a nest's calls depended on, for other machines to price them.
///
/// Calls write it where that is asked for; the end of the process reads it.
#[derive(Default)]
pub struct Recording(Mutex<Option<Box<NestRecord>>>);

impl Recording {
    /// Adds a call to the record, which `empty` begins.
    pub(crate) fn add(&self, call: CallRecord, empty: impl FnOnce() -> NestRecord) {
        let mut record = lock(&self.0);
        record.get_or_insert_with(|| Box::new(empty())).add(call);
    }

    /// A copy of the record; none if no call was added.
    pub(crate) fn get(&self) -> Option<NestRecord> {
        lock(&self.0).as_deref().cloned()
    }
}
