//! Arrays of which every iteration of a loop can have a copy of its own: work arrays.
//!
//! An array is privatisable in a loop if no value flows from one iteration to another through it: whatever an iteration
//! reads, it wrote before. What remains are anti and output dependences, which copies do away with (Tu and Padua,
//! "Automatic array privatization", 1993). The array is the caller's, so afterwards it must hold what the last writers
//! left: an element that an iteration writes is written by each later one too, and the last iteration works on the
//! array itself.

use nestwise_ir::model::nest::Nest;
use nestwise_ir::{ArrayId, ArrayKind, LoopId};

use crate::dependence::Tester;
use crate::values::forms::AccessForm;

/// The most accesses to an array in one loop; an array with more is not examined.
const MAX_ACCESSES: usize = 40;

/// Whether the iterations of loop `id` may work on copies of `array`, provided that no subscript of it wraps;
/// `accesses` are the array's accesses in the loop. The last iteration has to work on the array itself.
pub fn privatisable(
    tester: &Tester<'_>,
    id: LoopId,
    array: ArrayId,
    accesses: &[&AccessForm],
) -> bool {
    let writes: Vec<&AccessForm> = accesses.iter().copied().filter(|a| a.store).collect();
    let affine = |a: &&AccessForm| a.index.iter().all(|f| f.affine().is_some());
    copyable(tester.nest, array)
        && accesses.len() <= MAX_ACCESSES
        && accesses.iter().all(affine)
        && accesses
            .iter()
            .filter(|a| !a.store)
            .all(|read| tester.written_before(read, &writes, id))
        && writes.iter().all(|w| tester.written_again(w, &writes, id))
}

/// Whether a slot is memory of fixed size.
fn copyable(nest: &Nest, array: ArrayId) -> bool {
    let decl = nest.arrays.get(array);
    decl.is_some_and(|d| d.kind != ArrayKind::Appended)
}
