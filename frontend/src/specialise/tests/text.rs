//! Source and captures to the text form.

use nestwise_ir::Scalar as S;

use super::*;

#[test]
fn try_out() {
    println!("{}", show("for i in range(4):\n    u = (a0[i] or u)\n    if a0[i] < 2:\n        t = a1[i]\n    else:\n        u = (u >> i)\n    u += (i // i)\n", &[("a0", nd(S::I8,1)), ("a1", nd(S::U64, 1))]));
}
