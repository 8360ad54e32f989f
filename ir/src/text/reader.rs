//! Reads nests.

use std::collections::BTreeMap;

use crate::model::fragment::{Effect, Fragment, FragmentForm, FragmentObject, FragmentValue};
use crate::model::ids::{Arena, FragmentId, Id, LoopId, PathId};
use crate::model::liveout::{
    LiveOut, LiveOutKind, MadeArray, MadeField, MadeObject, PartAxis, SameAs,
};
use crate::model::nest::{
    ArrayDecl, ArrayKind, Extent, Length, Nest, ReturnForm, Returns, Stmt, VarDecl,
};
use crate::model::ops::BinOp;
use crate::preconditions::Precondition;
use crate::text::cursor::{Cursor, Read};
use crate::text::error::ReadError;
use crate::text::expr::{named, scalar};
use crate::text::lines::Lines;
use crate::text::stmt::Blocks;
use crate::text::types::Declared;

/// Reads a nest. The nest passes the [`crate::verifier`] only if the text describes such a one.
///
/// # Errors
/// The first place where the text is not of the form that the module describes.
pub fn read(text: &str) -> Result<Nest, ReadError> {
    let mut lines = Lines::of(text)?;
    let mut head = Head::default();
    let mut blocks = None;
    while let Some(line) = lines.peek() {
        if line.level > 0 {
            return Cursor::of(line).expected("a declaration or `top` at the start of a line");
        }
        if matches!(Cursor::of(line).peek(), "top" | "prologue") {
            blocks = Some(body(&mut lines, &head)?);
            break;
        }
        lines.next();
        let mut c = Cursor::of(line);
        head.declaration(&mut c)?;
        c.done()?;
    }
    let Some(body) = blocks else {
        return lines.missing("`top`");
    };
    let mut nest = Nest {
        arrays: head.arrays,
        vars: head.vars,
        loops: dense(body.loops, &lines, "the loops from L0 on")?,
        accesses: dense(body.accesses, &lines, "the accesses from x0 on")?,
        scopes: head.scopes.unwrap_or(body.scopes),
        prologue: body.prologue,
        lengths: head.lengths,
        fragments: head.fragments,
        frames: head.frames,
        texts: head.texts,
        whole: body.whole,
        ..Nest::of(body.top)
    };
    for (id, name) in head.names {
        match nest.loops.get(id) {
            Some(_) => nest.loops[id].name = name,
            None => return lines.missing(&format!("the loop {id}")),
        }
    }
    while let Some(line) = lines.next() {
        let mut c = Cursor::of(line);
        if line.level > 0 {
            return c.expected(
                "`out`, `returns`, `requires` or `interruptible` at the start of a line",
            );
        }
        left_behind(&mut c, &mut nest)?;
        c.done()?;
    }
    Ok(nest)
}

/// The entries by number, if none is missing.
fn dense<I: Id + Ord, T>(all: BTreeMap<I, T>, lines: &Lines<'_>, what: &str) -> Read<Arena<I, T>> {
    let mut arena = Arena::new();
    for (id, entry) in all {
        if arena.push(entry) != id {
            return lines.missing(&format!("{what}, without a gap before {id}"));
        }
    }
    Ok(arena)
}

/// The declarations of a nest.
#[derive(Default)]
struct Head {
    arrays: Arena<crate::ArrayId, ArrayDecl>,
    vars: Arena<crate::VarId, VarDecl>,
    names: Vec<(LoopId, String)>,
    scopes: Option<u32>,
    lengths: Vec<Length>,
    fragments: Arena<FragmentId, Fragment>,
    frames: u32,
    texts: Vec<String>,
}

/// The prologue and the top loop of a nest.
struct Body {
    prologue: Vec<Stmt>,
    top: Stmt,
    whole: Option<crate::VarId>,
    loops: BTreeMap<LoopId, crate::LoopDecl>,
    accesses: BTreeMap<crate::AccessId, crate::Access>,
    scopes: u32,
}

fn body(lines: &mut Lines<'_>, head: &Head) -> Read<Body> {
    let mut blocks = Blocks {
        declared: Declared {
            arrays: &head.arrays,
            vars: &head.vars,
        },
        lines,
        loops: BTreeMap::new(),
        accesses: BTreeMap::new(),
        scopes: 0,
        open: vec![],
    };
    let mut prologue = vec![];
    let mut whole = None;
    while let Some(line) = blocks.lines.next() {
        let mut c = Cursor::of(line);
        if line.level == 0 && c.eat_word("prologue") {
            c.done()?;
            prologue.extend(blocks.block(1)?);
            continue;
        }
        c.expect_word("top")?;
        if c.eat(",") {
            c.expect_word("whole")?;
            c.expect_word("to")?;
            whole = Some(c.var()?);
        }
        c.done()?;
        let mut all = blocks.block(1)?.into_iter();
        return match (all.next(), all.next()) {
            (Some(top), None) => Ok(Body {
                prologue,
                top,
                whole,
                loops: blocks.loops,
                accesses: blocks.accesses,
                scopes: blocks.scopes,
            }),
            _ => Cursor::of(line).expected("one statement, the top loop, below this"),
        };
    }
    blocks.lines.missing("`top`")
}

impl Head {
    fn declaration(&mut self, c: &mut Cursor<'_>) -> Read<()> {
        if c.peek_id("a").is_some() {
            let id = c.array()?;
            if id.index() != self.arrays.len() {
                return c.expected(format!("slot a{} before this", self.arrays.len()));
            }
            self.arrays.push(array(c)?);
        } else if c.peek_id("v").is_some() {
            let id = c.var()?;
            if id.index() != self.vars.len() {
                return c.expected(format!("variable v{} before this", self.vars.len()));
            }
            self.vars.push(var(c)?);
        } else if c.peek_id("L").is_some() {
            let id = c.loop_id()?;
            self.names.push((id, c.name()?));
        } else if c.eat_word("scopes") {
            self.scopes = Some(c.int()?);
        } else if c.eat_word("length") {
            let at: usize = c.int()?;
            if at != self.lengths.len() {
                return c.expected(format!("length {} before this", self.lengths.len()));
            }
            c.expect("=")?;
            self.lengths.push(length(c)?);
        } else if c.eat_word("frames") {
            self.frames = c.int()?;
        } else if c.eat_word("text") {
            self.texts.push(c.name()?);
        } else if c.peek_id("f").is_some() {
            let id = c.id("f", "a fragment")?;
            if id as usize != self.fragments.len() {
                return c.expected(format!("fragment f{} before this", self.fragments.len()));
            }
            self.fragments.push(fragment(c)?);
        } else {
            return c.expected("a declaration, `prologue` or `top`");
        }
        Ok(())
    }
}

fn array(c: &mut Cursor<'_>) -> Read<ArrayDecl> {
    let name = c.name()?;
    c.expect(":")?;
    let kind = c.known("a kind of array", |w| named(ArrayKind::ALL, w))?;
    let storage = c.known("a storage type such as `f64`", scalar)?;
    c.expect_word("as")?;
    let elem = c.ty()?;
    c.expect(",")?;
    c.expect_word("rank")?;
    let rank = c.int()?;
    c.expect(",")?;
    c.expect_word("capture")?;
    let mut decl = ArrayDecl {
        name,
        capture: c.int()?,
        kind,
        storage,
        elem,
        rank,
        read: false,
        written: false,
        like: vec![],
        starts: false,
        moved: false,
        attributes: false,
        list: false,
    };
    while c.eat(",") {
        if c.eat_word("like") {
            c.expect("(")?;
            decl.like = c.list(")", extent)?;
            continue;
        }
        let word = c.peek();
        let property = match word {
            "read" => &mut decl.read,
            "written" => &mut decl.written,
            "starts" => &mut decl.starts,
            "moved" => &mut decl.moved,
            "attributes" => &mut decl.attributes,
            "list" => &mut decl.list,
            _ => return c.expected("a property of an array"),
        };
        *property = true;
        c.eat_word(word);
    }
    Ok(decl)
}

fn var(c: &mut Cursor<'_>) -> Read<VarDecl> {
    let name = c.name()?;
    c.expect(":")?;
    let mut decl = VarDecl {
        name,
        ty: c.ty()?,
        live_in: None,
        range: None,
        np_tag: None,
    };
    if c.eat_word("in") {
        decl.live_in = Some(c.int()?);
    }
    if c.eat_word("range") {
        let least = c.int()?;
        c.expect("..=")?;
        decl.range = Some((least, c.int()?));
    }
    if c.eat_word("tag") {
        decl.np_tag = Some(c.var()?);
    }
    Ok(decl)
}

fn fragment(c: &mut Cursor<'_>) -> Read<Fragment> {
    let span = c.span();
    let text = c.name()?;
    c.expect(":")?;
    let effect = c.known("`pure` or `local`", |word| {
        Some(match word {
            "pure" => Effect::Pure,
            "local" => Effect::Local,
            _ => return None,
        })
    })?;
    let form = match c.peek() {
        "" => FragmentForm::Statement,
        _ => FragmentForm::Value(c.ty()?),
    };
    let mut made = Fragment {
        text,
        form,
        effect,
        objects: vec![],
        values: vec![],
        span,
        point: None,
        looks_inside: false,
        draws: false,
        work: 1.0,
        kept: None,
    };
    while c.eat(",") {
        if c.eat_word("point") {
            made.point = Some(c.int()?);
        } else if c.eat_word("object") {
            made.objects.push(FragmentObject {
                name: c.name()?,
                capture: c.int()?,
                changed: c.eat_word("changed"),
            });
        } else {
            c.expect_word("scalar")?;
            let name = c.peek();
            c.eat_word(name);
            made.values.push(FragmentValue {
                name: name.to_owned(),
                ty: c.ty()?,
            });
        }
    }
    Ok(made)
}

fn extent(c: &mut Cursor<'_>) -> Read<Extent> {
    let capture = |c: &mut Cursor<'_>| {
        c.expect_word("capture")?;
        c.int()
    };
    let plus = |c: &mut Cursor<'_>| match c.eat_word("plus") {
        true => c.int(),
        false => Ok(0),
    };
    if c.eat_word("length") {
        return Ok(Extent::Computed(c.int()?));
    }
    if c.eat_word("dim") {
        c.expect("(")?;
        let of = capture(c)?;
        c.expect(",")?;
        let axis = c.int()?;
        c.expect(")")?;
        return Ok(Extent::Axis {
            capture: of,
            axis,
            plus: plus(c)?,
        });
    }
    if c.peek() == "capture" {
        return Ok(Extent::Value {
            capture: capture(c)?,
            plus: plus(c)?,
        });
    }
    match c.peek().starts_with(|c: char| c.is_ascii_digit()) {
        true => Ok(Extent::Fixed(c.int()?)),
        false => c.expected("an extent"),
    }
}

fn length(c: &mut Cursor<'_>) -> Read<Length> {
    for op in [BinOp::Min, BinOp::Max] {
        if c.eat_word(&op.to_string()) {
            c.expect("(")?;
            let a = extent(c)?;
            c.expect(",")?;
            let b = extent(c)?;
            c.expect(")")?;
            return Ok(Length { op, a, b });
        }
    }
    c.expect("(")?;
    let a = extent(c)?;
    let ops = [BinOp::FloorDiv, BinOp::Add, BinOp::Sub, BinOp::Mul];
    let Some(op) = ops.into_iter().find(|op| c.eat(&op.to_string())) else {
        return c.expected("an operator");
    };
    let b = extent(c)?;
    c.expect(")")?;
    Ok(Length { op, a, b })
}

fn left_behind(c: &mut Cursor<'_>, nest: &mut Nest) -> Read<()> {
    if c.eat_word("out") {
        let path = c.id("p", "an access path").map(PathId)?;
        c.expect("=")?;
        let kind = live_out(c)?;
        let assigned = match c.eat_word("if") {
            true => Some(c.var()?),
            false => None,
        };
        nest.live_outs.push(LiveOut {
            path,
            kind,
            assigned,
        });
    } else if c.eat_word("returns") {
        let form = c.known("`none`, `scalar` or `tuple`", |word| {
            Some(match word {
                "none" => ReturnForm::None,
                "scalar" => ReturnForm::Scalar,
                "tuple" => ReturnForm::Tuple,
                _ => return None,
            })
        })?;
        let vars = match c.is_done() {
            true => vec![],
            false => c.items(Cursor::var)?,
        };
        nest.returns = Some(Returns { vars, form });
    } else if c.eat_word("requires") {
        nest.preconditions.push(precondition(c)?);
    } else if c.eat_word("interruptible") {
        nest.interruptible = c.items(Cursor::loop_id)?;
    } else {
        return c.expected("`out`, `returns`, `requires` or `interruptible`");
    }
    Ok(())
}

fn live_out(c: &mut Cursor<'_>) -> Read<LiveOutKind> {
    if c.peek_id("v").is_some() {
        let var = c.var()?;
        if !c.eat_word("of") {
            return Ok(LiveOutKind::Var(var));
        }
        let tuple = c.eat("(");
        let columns = match tuple {
            true => c.list(")", Cursor::array)?,
            false => c.items(Cursor::array)?,
        };
        return Ok(LiveOutKind::Appended {
            columns,
            count: var,
            tuple,
        });
    }
    if c.eat_word("view") {
        let array = c.array()?;
        c.expect("[")?;
        return Ok(LiveOutKind::View(array, c.list("]", Cursor::var)?));
    }
    if c.eat_word("None") {
        let number = c.eat_word("for").then(|| c.var()).transpose()?;
        return Ok(LiveOutKind::None(number));
    }
    if c.eat_word("slot") {
        return c.array().map(LiveOutKind::Slot);
    }
    if c.eat_word("tuple") {
        c.expect("(")?;
        return Ok(LiveOutKind::Tuple(c.list(")", Cursor::var)?));
    }
    if c.eat_word("object") {
        return made_object(c).map(LiveOutKind::Object);
    }
    if c.eat_word("new") {
        return made(c).map(LiveOutKind::Made);
    }
    if !c.eat_word("part") {
        return c.expected("what an access path holds");
    }
    if c.eat("[") {
        let axes = c.list("]", axis)?;
        c.expect_word("of")?;
        c.expect_word("new")?;
        return Ok(LiveOutKind::MadePart(made(c)?, axes));
    }
    let array = c.array()?;
    c.expect("[")?;
    Ok(LiveOutKind::Part(array, c.list("]", axis)?))
}

fn made_object(c: &mut Cursor<'_>) -> Read<MadeObject> {
    let class = c.int()?;
    let number = c.eat_word("number").then(|| c.var()).transpose()?;
    c.expect("{")?;
    let field = |c: &mut Cursor<'_>| {
        let name = c.name()?;
        c.expect(":")?;
        let field = match c.eat_word("object") {
            true => MadeField::Object(made_object(c)?),
            false => MadeField::Var(c.var()?),
        };
        Ok((name, field))
    };
    let fields = c.list("}", field)?;
    Ok(MadeObject {
        class,
        number,
        fields,
    })
}

fn made(c: &mut Cursor<'_>) -> Read<MadeArray> {
    let array = c.array()?;
    c.expect("[")?;
    let mut made = MadeArray {
        array,
        lens: c.list("]", Cursor::var)?,
        same: vec![],
        viewed: None,
    };
    while c.eat(",") {
        if c.eat_word("a") {
            c.expect_word("view")?;
            c.expect_word("if")?;
            made.viewed = Some(c.var()?);
            continue;
        }
        let other = match c.eat_word("capture") {
            true => SameAs::Entry(c.int()?),
            false => SameAs::Made(c.array()?),
        };
        c.expect_word("if")?;
        made.same.push((c.var()?, other));
    }
    Ok(made)
}

fn axis(c: &mut Cursor<'_>) -> Read<PartAxis> {
    let start = c.var()?;
    if !c.eat("+") {
        return Ok(PartAxis::At(start));
    }
    let len = c.var()?;
    c.expect("*")?;
    Ok(PartAxis::Range {
        start,
        len,
        step: c.int()?,
    })
}

fn precondition(c: &mut Cursor<'_>) -> Read<Precondition> {
    type Of = fn(crate::ArrayId) -> Precondition;
    for (word, of) in [
        ("positive-stride", Precondition::PositiveStride as Of),
        ("row-major", Precondition::RowMajor),
        ("contiguous", Precondition::Contiguous),
    ] {
        if c.eat(word) {
            return c.array().map(of);
        }
    }
    let two = match (c.eat("no-alias"), c.eat("same-shape")) {
        (true, _) => Precondition::NoAlias,
        (_, true) => Precondition::SameShape,
        _ => return c.expected("a precondition"),
    };
    Ok(two(c.array()?, c.array()?))
}
