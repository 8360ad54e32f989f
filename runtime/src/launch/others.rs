//! The other kernels that a launch may go on with.

use std::sync::Arc;

use nestwise_costmodel::Decision;

use crate::host::Host;
use crate::kernel::Kernel;
use crate::launch::outcome::Launch;
use crate::memory::index_facts::Seen;

/// What a launch may ask for.
pub trait Others {
    /// A kernel that a NaN in a comparison does not make raise a flag, if there is another one.
    fn quiet(&mut self) -> Option<Arc<Kernel>>;

    /// The optimised code that quick code stands in for, once it is there.
    fn optimised(&mut self, launch: &Launch, host: &dyn Host) -> Option<Change>;

    /// What is better from here on: the last chunks, this part of the whole loop (above 0), took so long.
    fn better(
        &mut self,
        launch: &Launch,
        part: f64,
        seconds: f64,
        host: &dyn Host,
    ) -> Option<Change>;
}

/// How a launch goes on.
pub struct Change {
    pub kernel: Arc<Kernel>,
    pub decision: Decision,
    /// What the kernel relies on.
    pub seen: Vec<Seen>,
}
