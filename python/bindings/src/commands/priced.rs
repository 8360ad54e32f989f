//! The predicted price of a call of stated sizes on each device, term by term.

use std::fmt::Write;

use nestwise_analysis::explain::stated_sizes::Stated;
use nestwise_costmodel::{Device, Estimate};
use nestwise_frontend::site::captures::Capture;
use nestwise_ir::Nest;
use nestwise_runtime::{DeviceChoice, Options};

use crate::commands::fp_gain;

/// The text after the stage `price`: a line for each device, the cheapest first, by the profile in force and before
/// there is a kernel. Where not all sizes are stated, the text says what is missing.
pub fn text(nest: &Nest, captures: &[Capture], stated: &Stated, options: &Options) -> String {
    let options = Options {
        device: DeviceChoice::Auto,
        prices: true,
        ..options.clone()
    };
    let priced = || {
        let values = fp_gain::values(captures, stated)?;
        fp_gain::decision(nest, &values, &options)
    };
    let Some(decision) = priced() else {
        return "a price needs all sizes: --sizes names each int and array that is captured\n"
            .into();
    };
    let mut out = format!("prices by {}\n", options.profile.name);
    for (device, estimate) in &decision.ranked {
        let _ = writeln!(
            out,
            "{:<12} {}",
            device.to_string(),
            terms(*device, estimate)
        );
    }
    out
}

fn terms(device: Device, estimate: &Estimate) -> String {
    if estimate.total().0.is_infinite() {
        return match device {
            Device::Gpu => {
                "not here: the profile has no card, or nothing of the nest is for one".into()
            }
            _ => "no loop for it".into(),
        };
    }
    let all = estimate.terms().into_iter().filter(|t| t.1.0 > 0.0);
    let all: Vec<String> = all.map(|(name, time)| format!("{name} {time}")).collect();
    format!("{:>10}: {}", estimate.total().to_string(), all.join(", "))
}
