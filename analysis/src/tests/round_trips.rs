//! The text form says all of every random nest, of its rewritings, and of their schedules.

use nestwise_ir::FpMode;
use nestwise_ir::testing::assert_round_trip;
use nestwise_ir::text::read_schedule;
use proptest::prelude::*;

use crate::schedule::candidates;
use crate::testing::{
    affine_case, beside, case, choices, counting_case, distances, neighbours, split_case, work_case,
};
use crate::{LaunchInfo, analyse, prove};

fn check(nest: &nestwise_ir::Nest) {
    assert_round_trip(nest);
    let mut nest = nest.clone();
    prove(&mut nest);
    assert_round_trip(&nest);
    let analysis = analyse(&nest, FpMode::Fast);
    let mut info = LaunchInfo::guess(&nest, FpMode::Fast);
    info.eager = true;
    for c in candidates(&nest, &analysis, &info) {
        c.nest.iter().for_each(assert_round_trip);
        assert_eq!(read_schedule(&c.schedule.to_string()), Ok(c.schedule));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn random_nests_are_read_as_they_are_printed(
        bytes in prop::collection::vec(any::<u8>(), 0..90),
        more in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        check(&affine_case(&bytes).1);
        for make in [case, neighbours, choices, distances, counting_case, work_case, split_case] {
            check(&make(&bytes).nest);
        }
        check(&beside(&bytes, &more).nest);
    }
}
