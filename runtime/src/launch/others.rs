//! The other kernels that a launch may go on with.

use std::sync::Arc;

use nestwise_costmodel::{Decision, Seconds};

use crate::host::Host;
use crate::kernel::Kernel;
use crate::launch::outcome::Launch;
use crate::memory::index_facts::Seen;

/// The other kernels that a launch may ask for.
pub trait Others {
    /// A kernel in which comparisons with NaN raise no flag, if there is another one.
    fn quiet(&mut self) -> Option<Arc<Kernel>>;

    /// The change to the optimised code that quick code stands in for, once it is there.
    fn optimised(&mut self, launch: &Launch, host: &dyn Host) -> Option<Change>;

    /// The change to a better kernel from here on, if there is one. The last chunks, `part` of the whole loop (above
    /// 0), took `seconds`.
    fn better(
        &mut self,
        launch: &Launch,
        part: f64,
        seconds: Seconds,
        host: &dyn Host,
    ) -> Option<Change>;
}

/// The kernel with which a launch goes on, and why.
pub struct Change {
    pub kernel: Arc<Kernel>,
    pub decision: Decision,
    /// The array elements that the kernel relies on.
    pub seen: Vec<Seen>,
}
