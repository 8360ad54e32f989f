//! Memory of the nest's own for arrays that operations make: for the time of a statement, or under a name.

use nestwise_ir::model::nest::{CmpOp, Expr, ExprKind};
use nestwise_ir::{ArrayDecl, ArrayId, ArrayKind, BinOp, Extent, Scalar, Span, Ty, Work};

use crate::lowering::arrays::elementwise::{Elementwise, Like, Node, unsupported};
use crate::lowering::arrays::offsets;
use crate::lowering::arrays::view::{self, Axis, Section};
use crate::lowering::lower::Lower;
use crate::lowering::types::kinds::Kind;
use crate::lowering::types::live_ranges::WebId;
use crate::lowering::{R, build, refuse};
use crate::refusal::Refusal;
use crate::site::captures::Capture;

/// What is known of the array that a web's assignments make.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Made {
    pub storage: Scalar,
    pub like: Like,
    /// The web has a value at entry, a captured array of the same shape: the memory begins as a copy of that.
    pub starts: Option<u32>,
    /// It is a list, of elements of this type.
    pub list: Option<Ty>,
}

impl Lower<'_> {
    /// Memory for an array of this shape until it is released.
    pub fn temporary(
        &mut self,
        like: Option<Like>,
        shape: &[Expr],
        storage: Scalar,
        span: Span,
    ) -> R<Section> {
        let like = like.ok_or_else(|| no_size(span))?;
        let made = Made {
            storage,
            like,
            starts: None,
            list: None,
        };
        let array = self.temporary_array(&made, span)?;
        self.first_of_array(array, &made.like, shape, span)
    }

    /// Memory until it is released.
    pub fn temporary_array(&mut self, made: &Made, span: Span) -> R<ArrayId> {
        let mut free = self.temporaries.iter();
        let free = free.find(|(of, array)| of == made && !self.in_use.contains(array));
        let array = match free {
            Some((_, array)) => *array,
            None => {
                let array = self.own_array(made, "a result", span)?;
                self.temporaries.push((made.clone(), array));
                array
            }
        };
        self.in_use.insert(array);
        Ok(array)
    }

    /// That memory may be used for something else.
    pub fn release(&mut self, part: &Section) {
        self.in_use.remove(&part.array);
    }

    /// Memory of the nest's own.
    fn own_array(&mut self, made: &Made, name: &str, span: Span) -> R<ArrayId> {
        // The arrays that it is as large as have slots.
        for extent in &made.like {
            self.slots_of(*extent, span)?;
        }
        Ok(self.arrays.push(ArrayDecl {
            name: name.into(),
            capture: made.starts.unwrap_or_default(),
            kind: ArrayKind::Scratch,
            storage: made.storage,
            elem: made.list.unwrap_or(Ty::np(made.storage)),
            rank: made.like.len() as u32,
            read: false,
            written: false,
            like: made.like.clone(),
            starts: made.starts.is_some(),
            moved: false,
            attributes: false,
            list: made.list.is_some(),
        }))
    }

    fn slots_of(&mut self, extent: Extent, span: Span) -> R<()> {
        match extent {
            Extent::Axis { capture, .. } => self.slot(capture, span).map(|_| ()),
            Extent::Computed(which) => {
                let length = self.facts.lengths.borrow().get(which as usize).copied();
                let parts = length.map(|l| [l.a, l.b]);
                let mut parts = parts.into_iter().flatten();
                parts.try_for_each(|part| self.slots_of(part, span))
            }
            Extent::Fixed(_) | Extent::Value { .. } => Ok(()),
        }
    }

    /// As many elements of it as an array of this shape has; an event if it is not large enough.
    fn first_of_array(
        &mut self,
        array: ArrayId,
        like: &Like,
        shape: &[Expr],
        span: Span,
    ) -> R<Section> {
        let mut axes = Vec::with_capacity(shape.len());
        for (own, (len, axis)) in shape.iter().zip(like).enumerate() {
            // What is known of the one array's extent is known of the other's, unless the array has changed places.
            let room = match axis {
                Extent::Fixed(n) => Expr::int((*n).into(), span),
                Extent::Axis {
                    capture,
                    axis,
                    plus: 0,
                } if !self.trades_places(*capture) => {
                    let model = self.slot(*capture, span)?;
                    build::dim(model, *axis as usize, span)
                }
                _ => build::dim(array, own, span),
            };
            let as_made = self.exact_extent(len) == Some(*axis);
            let fits = as_made || offsets::same(len, &room) || offsets::is_less(len, &room);
            if !fits {
                let fits = build::compare(CmpOp::Le, len.clone(), room, Ty::PY_BOOL, span);
                self.emit_check(fits);
            }
            axes.push(Axis::Range {
                start: Expr::int(0, span),
                len: len.clone(),
                step: 1,
            });
        }
        Ok(Section {
            capture: self.arrays[array].capture,
            array,
            axes,
        })
    }

    /// The array of a web that assignments make.
    pub fn made_array(&mut self, web: WebId, span: Span) -> R<Option<(ArrayId, Made)>> {
        let Some(made) = self.facts.webs.get(web).and_then(|f| f.made.clone()) else {
            return Ok(None);
        };
        let array = match self.made.get(&web) {
            Some(array) => *array,
            None => {
                let name = self.web_name(web);
                let array = self.own_array(&made, &name, span)?;
                self.made.insert(web, array);
                array
            }
        };
        Ok(Some((array, made)))
    }

    /// The web's array at entry, if it has one: the type of its elements, its axes, and itself.
    fn at_start(&self, web: WebId) -> Option<(Scalar, Like, u32)> {
        let local = self.webs.entry.get(web).copied().flatten()?;
        let capture = self.hir.locals.get(local)?.capture?;
        match self.captures.get(capture as usize)? {
            Capture::Array {
                kind: ArrayKind::Ndarray,
                storage,
                rank,
                ..
            } => {
                let axis = |axis| Extent::Axis {
                    capture,
                    axis,
                    plus: 0,
                };
                Some((*storage, (0..*rank).map(axis).collect(), capture))
            }
            _ => None,
        }
    }

    /// All of an array that begins as a copy of a captured one.
    pub fn all_of(&mut self, array: ArrayId, span: Span) -> R<Section> {
        let (capture, rank) = (self.arrays[array].capture, self.arrays[array].rank);
        let model = self.slot(capture, span)?;
        let axis = |k: usize| Axis::Range {
            start: Expr::int(0, span),
            len: build::dim(model, k, span),
            step: 1,
        };
        Ok(Section {
            capture,
            array,
            axes: (0..rank as usize).map(axis).collect(),
        })
    }

    /// Computes an array into the memory of a web; none: its type is not known in this round.
    pub fn make(&mut self, web: WebId, tree: &Elementwise, span: Span) -> R<Option<Section>> {
        if matches!(&tree.node, Node::Part(section) if self.arrays[section.array].list) {
            return self.make_list(web, tree, span);
        }
        let turned = tree.node.turns() || matches!(tree.node, Node::Turned(_));
        if turned && tree.shape.len() > 1 {
            return Err(unsupported(
                "a name of a transposed array, or of what is computed of one",
                span,
            ));
        }
        if tree.lent {
            return Err(unsupported(
                "a name of a view of an array that nothing names",
                span,
            ));
        }
        let Some(kind) = self.element_kind(tree, span)? else {
            return Ok(None);
        };
        let Kind::Np(storage) = kind else {
            return Err(no_size(span));
        };
        if self.facts.webs[web].made.is_none() {
            let made = match self.at_start(web) {
                Some((storage, like, capture)) => Made {
                    storage,
                    like,
                    starts: Some(capture),
                    list: None,
                },
                None => Made {
                    storage,
                    like: tree.like.clone().ok_or_else(|| no_size(span))?,
                    starts: None,
                    list: None,
                },
            };
            self.facts.restart |= made.starts.is_some();
            self.facts.webs[web].made = Some(made);
            self.facts.changed = true;
        }
        let Some((array, made)) = self.made_array(web, span)? else {
            return Ok(None);
        };
        if made.list.is_some() || made.storage != storage || made.like.len() != tree.shape.len() {
            return Err(self.type_changes(web, span));
        }
        let to = match made.starts {
            Some(_) => {
                let whole = self.all_of(array, span)?;
                for (x, y) in whole.shape().iter().zip(&tree.shape) {
                    self.check_alike(x, y, span);
                }
                whole
            }
            None => {
                let shape: Vec<Expr> = tree.shape.iter().map(|e| self.length(e)).collect();
                self.first_of_array(array, &made.like, &shape, span)?
            }
        };
        self.may_be_made(array, &made, span)?;
        self.made_anew(web, span);
        let viewed = tree.viewed.then(|| build::boolean(true, Ty::PY_BOOL, span));
        self.note_viewed(web, viewed, span);
        self.not_empty_of(&tree.node, storage, &tree.shape, span);
        let operations = tree.node.operations() + f64::from(u8::from(tree.fresh));
        self.tally(Work::ArrayCall, operations);
        let mut apart = true;
        tree.node.sections(&mut |source, here| {
            apart &= source.array != array || here && view::keep_apart(&to, source);
        });
        if apart {
            self.store_all(&to, false, &tree.node, operations, span)?;
            return Ok(Some(to));
        }
        self.store_afterwards(&to, Some(made.like), false, &tree.node, operations, span)?;
        Ok(Some(to))
    }

    /// Whether memory may get other contents: no loop that is open runs over what is there, or, the outermost one, over what the
    /// name held at entry. That would be looked for under the name again when native code goes on after an event.
    pub fn may_be_made(&self, array: ArrayId, made: &Made, span: Span) -> R<()> {
        let entry = made.starts.and_then(|capture| self.slots.get(&capture));
        let mut arrays = entry.into_iter().chain([&array]);
        match arrays.any(|array| self.iterated.contains(array)) {
            true => Err(unsupported(
                "an array made anew inside a loop over it",
                span,
            )),
            false => Ok(()),
        }
    }

    /// How many elements there are along an axis, as the program may see it.
    pub fn axis_length(&mut self, tree: &Elementwise, axis: usize) -> Expr {
        let length = self.length(&tree.shape[axis]);
        if let (ExprKind::Var(var), Some(like)) = (&length.kind, &tree.like) {
            self.lengths.insert(*var, like[axis]);
        }
        length
    }

    /// A number of elements, evaluated: never below zero.
    fn length(&mut self, e: &Expr) -> Expr {
        if self.never_negative(e) {
            return self.spill_long(e.clone());
        }
        let zero = Expr::int(0, e.span);
        let span = e.span;
        let e = build::binary(BinOp::Max, e.clone(), zero, Ty::PY_INT, false, span);
        self.spill(e)
    }
}

pub(crate) fn no_size(span: Span) -> nestwise_ir::WithSpan<Refusal> {
    let what = "an array made of nothing that tells its size at most".into();
    refuse(span, Refusal::Unsupported { what })
}
