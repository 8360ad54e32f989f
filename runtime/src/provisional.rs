//! Provisional stand-ins.
use nestwise_ir::*;
pub struct Analysis;
impl Analysis {
    pub fn describe(&self, _n: &Nest, _id: LoopId) -> String {
        "serial".into()
    }
    pub fn parallel_roots(&self, _n: &Nest) -> Option<LoopId> {
        None
    }
    pub fn some_innermost_parallel(&self, _n: &Nest) -> bool {
        false
    }
}
pub fn analyse(_n: &Nest, _fp: FpMode) -> Analysis {
    Analysis
}
pub struct UndoSlot {
    pub array: ArrayId,
    pub axis: Option<(u32, i64)>,
}
pub struct UndoPlan {
    slots: Vec<UndoSlot>,
    fire: bool,
}
impl UndoPlan {
    pub fn slots(&self) -> impl Iterator<Item = &UndoSlot> {
        self.slots.iter()
    }
    pub fn may_fire(&self) -> bool {
        self.fire
    }
}
pub fn undo_plan(n: &Nest) -> UndoPlan {
    UndoPlan {
        slots: n
            .arrays
            .iter()
            .filter(|(_, a)| a.written)
            .map(|(id, _)| UndoSlot {
                array: id,
                axis: None,
            })
            .collect(),
        fire: nestwise_analysis::guards::count_set(n) > 0,
    }
}
pub fn warns(n: &Nest) -> bool {
    let mut w = false;
    n.walk_exprs(&mut |e| {
        if e.ty.prov != Prov::Py
            && (e.ty.repr.is_float() || e.ty.repr.is_complex())
            && !matches!(
                e.kind,
                ExprKind::Load { .. } | ExprKind::Var(_) | ExprKind::Const(_)
            )
        {
            w = true
        }
    });
    w
}
pub struct LaunchInfo {
    pub trips: Vec<f64>,
    pub unit_stride: Vec<bool>,
    pub threads: bool,
}
pub fn schedule(n: Nest, _i: &LaunchInfo, _fp: FpMode) -> (Nest, Schedule) {
    (n, Schedule::serial())
}
