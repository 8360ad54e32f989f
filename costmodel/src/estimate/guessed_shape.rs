//! The shape that a kernel will likely have, before there is one: what the nest does, as if every operation were one
//! of the machine's.

use nestwise_ir::machine_shape::{Body, LoopShape, Op, Part, Width};

use crate::features::{Counts, Features, LoopFeatures};
use crate::profile::host::OTHER;

/// The shape of a kernel of the nest in which innermost loops run `lanes` iterations at once.
pub fn shape(features: &Features, lanes: u32) -> Body {
    Body {
        inner: vec![of_loop(&features.top, lanes)],
        ..Body::default()
    }
}

fn of_loop(l: &LoopFeatures, lanes: u32) -> LoopShape {
    let stride = if l.inner.is_empty() { lanes } else { 1 };
    LoopShape {
        id: Some(l.id),
        stride,
        part: Part::All,
        copied: false,
        reached: l.reached as f32,
        threads: false,
        body: Body {
            inner: l.inner.iter().map(|l| of_loop(l, lanes)).collect(),
            ..of_body(&l.body, stride)
        },
    }
}

fn of_body(c: &Counts, stride: u32) -> Body {
    let width = if stride > 1 {
        Width::Vector
    } else {
        Width::Scalar
    };
    let mut body = Body::default();
    let mut add = |op, n: f64| body.ops.add(op, width, n as f32);
    add(Op::Float, c.simple_ops);
    add(Op::FloatDiv, c.slow_ops);
    add(Op::Load, c.accesses);
    // The counter's step and test.
    body.ops.add(Op::Int, Width::Scalar, 1.0);
    body.ops.add(Op::Branch, Width::Scalar, 1.0);
    let wide = c.vector_calls + c.vector_numpy_calls;
    let alone = (c.calls - c.vector_calls) + (c.numpy_calls - c.vector_numpy_calls);
    let calls = wide + alone * f64::from(stride) + c.host_calls;
    if calls > 0.0 {
        body.calls.push((OTHER.into(), calls as f32));
    }
    body
}
