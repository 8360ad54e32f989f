//! What making plans and code takes on this machine, learned from all that was made.
//!
//! The profile's `compile` section tells what it takes on the machine where it was measured. [`Making`] tells how many
//! times as long it takes on this one, for each kind of product: the mean of the logarithms of measured over predicted
//! times.

use nestwise_ir::Tier;

use crate::profile::{CompileWeights, MachineProfile};
use crate::units::Seconds;

/// What is made for a nest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Product {
    /// A plan.
    Plan,
    /// Quick code.
    Quick,
    /// Optimised code.
    Optimised,
}

impl From<Tier> for Product {
    fn from(tier: Tier) -> Product {
        match tier {
            Tier::Quick => Product::Quick,
            Tier::Optimised => Product::Optimised,
        }
    }
}

impl Product {
    const ALL: [Product; 3] = [Product::Plan, Product::Quick, Product::Optimised];
}

/// The weight of the profile's word, in measurements.
const PRIOR: f64 = 4.0;
/// The number of measurements that count: older ones fade away.
const MOST: f64 = 64.0;
/// The largest ratio, up or down, that is believed: a measurement beyond it was disturbed, or is of something that no
/// formula knows.
const FARTHEST: f64 = 4.0;

/// What was measured of one product.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
struct Ratio {
    /// The mean of the logarithms of measured time over the profile's.
    log: f64,
    /// The number of measurements, at most [`MOST`].
    count: f64,
}

impl Ratio {
    fn add(&mut self, ratio: f64) {
        let log = ratio.clamp(1.0 / FARTHEST, FARTHEST).ln();
        self.count = (self.count + 1.0).min(MOST);
        self.log += (log - self.log) / self.count;
    }

    fn factor(self) -> f64 {
        (self.log * self.count / (self.count + PRIOR)).exp()
    }
}

/// How many times as long as the profile says each product takes to make.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Making([Ratio; 3]);

impl Making {
    /// Takes in that something took `took` to make for which the profile itself predicts `modelled`.
    pub fn add(&mut self, product: Product, modelled: Seconds, took: Seconds) {
        if modelled.0 > 0.0 && took.0 > 0.0 {
            self.0[product as usize].add(took.0 / modelled.0);
        }
    }

    /// How many times as long as the profile says this product takes to make.
    pub fn factor(&self, product: Product) -> f64 {
        self.0[product as usize].factor()
    }

    /// Whether some factor differs from that of `other` so much (5 %) that it is worth writing a file.
    pub fn differs(&self, other: &Making) -> bool {
        Product::ALL.into_iter().any(|product| {
            let (mine, others) = (self.factor(product), other.factor(product));
            (mine / others).ln().abs() > 0.05
        })
    }

    /// The factors as the text of a file.
    pub fn text(&self) -> String {
        let line = |ratio: &Ratio| format!("{} {}\n", ratio.log, ratio.count);
        self.0.iter().map(line).collect()
    }

    /// Reads the text of a file; none if that is damaged.
    pub fn parse(text: &str) -> Option<Making> {
        let mut ratios = [Ratio::default(); 3];
        let mut lines = text.lines();
        for ratio in &mut ratios {
            let (log, count) = lines.next()?.split_once(' ')?;
            let (log, count): (f64, f64) = (log.parse().ok()?, count.parse().ok()?);
            let sane = log.abs() <= FARTHEST.ln() && (0.0..=MOST).contains(&count);
            *ratio = sane.then_some(Ratio { log, count })?;
        }
        Some(Making(ratios))
    }
}

impl MachineProfile {
    /// This profile for a machine where making things takes that many times as long.
    pub fn making(mut self, making: &Making) -> MachineProfile {
        self.compile.scale(|product| making.factor(product));
        self
    }
}

impl CompileWeights {
    /// Scales what each product takes by its factor. What is done before the first code of a process is scaled as quick
    /// code, which nearly always comes first.
    pub(crate) fn scale(&mut self, factor: impl Fn(Product) -> f64) {
        let products = [
            (Product::Plan, vec![&mut self.plan, &mut self.plan_line]),
            (
                Product::Quick,
                vec![
                    &mut self.first,
                    &mut self.quick_kernel,
                    &mut self.quick_node,
                ],
            ),
            (
                Product::Optimised,
                vec![&mut self.kernel, &mut self.node, &mut self.vector_node],
            ),
        ];
        for (product, weights) in products {
            let factor = factor(product);
            weights.into_iter().for_each(|nanos| *nanos *= factor);
        }
    }

    /// The time that a plan takes of a nest with `lines` lines of text.
    pub fn plan_of(&self, lines: f64) -> Seconds {
        Seconds::from_nanos(self.plan + self.plan_line * lines)
    }

    /// The time that quick code takes of a nest of which only the number of lines is known.
    pub fn quick_of(&self, lines: f64) -> Seconds {
        Seconds::from_nanos(self.quick_kernel + self.quick_node * NODES_IN_A_LINE * lines)
    }
}

/// The number of nodes of a nest for each line of its text, about.
const NODES_IN_A_LINE: f64 = 8.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_tells_what_the_next_takes() {
        let mut making = Making::default();
        assert_eq!(making.factor(Product::Quick), 1.0);
        for _ in 0..60 {
            making.add(Product::Quick, Seconds(2e-3), Seconds(4e-3));
        }
        let factor = making.factor(Product::Quick);
        assert!((1.85..2.0).contains(&factor), "{factor}");
        assert_eq!(making.factor(Product::Plan), 1.0);
        let usual = MachineProfile::default();
        let here = usual.clone().making(&making);
        assert_eq!(here.compile.quick_node, usual.compile.quick_node * factor);
        assert_eq!(here.compile.node, usual.compile.node);
        // One that was disturbed changes little, and the machine's own change much in the end.
        making.add(Product::Quick, Seconds(1e-3), Seconds(1.0));
        assert!(making.factor(Product::Quick) < factor * 1.05);
        for _ in 0..200 {
            making.add(Product::Quick, Seconds(2e-3), Seconds(1e-3));
        }
        assert!(making.factor(Product::Quick) < 0.7);
    }

    #[test]
    fn it_is_kept_as_text() {
        let mut making = Making::default();
        making.add(Product::Plan, Seconds(1e-3), Seconds(1.7e-3));
        making.add(Product::Optimised, Seconds(1e-2), Seconds(0.4e-2));
        assert_eq!(Making::parse(&making.text()), Some(making.clone()));
        assert!(making.differs(&Making::default()));
        assert!(!making.differs(&making));
        for text in [
            "",
            "1 2",
            "0 0\n0 0\nNaN 1\n",
            "0 0\n0 0\n0 1e9\n",
            "9 1\n0 0\n0 0\n",
        ] {
            assert_eq!(Making::parse(text), None, "{text}");
        }
    }
}
