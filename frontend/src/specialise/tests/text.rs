//! Source and captures to the text form.

use nestwise_ir::Scalar as S;

use super::*;

#[test]
fn try_out() {
    println!("{}", show("for i in range(4):\n    t += (1 - a0[-1])\n    u = min(max(300, s), (-0.5))\n    u, u = np.isnan(t), abs(i)\n", &[("a0", nd(S::U64,1)), ("s", Is::Scalar(Ty::NP_BOOL)), ("t", INT)]));
}
