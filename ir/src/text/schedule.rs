//! The text form of schedules.

use std::fmt;

use crate::model::ids::{AccessId, IdSet, LoopId};
use crate::schedule::{AntiDependenceCopy, GridLoop, RedOp, Schedule, ThreadLoop, Window};
use crate::text::cursor::{Cursor, Read};
use crate::text::error::ReadError;
use crate::text::lines::Lines;
use crate::text::printer::Commas;

impl fmt::Display for RedOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "+",
            Self::Mul => "*",
            Self::Min => "min",
            Self::Max => "max",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Along(var) => return write!(f, "along {var}"),
            Self::Last => "last",
        })
    }
}

impl fmt::Display for Window {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Window {
            axis,
            scale,
            least,
            most,
        } = self;
        write!(f, "axis {axis} scale {scale} from {least} to {most}")
    }
}

/// Writes `copy a1 for x0 x2 reach 1 window axis 0 scale 1 from -1 to 1`.
impl fmt::Display for AntiDependenceCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "copy {} for", self.array)?;
        self.reads.iter().try_for_each(|x| write!(f, " {x}"))?;
        if let Some(reach) = self.reach {
            write!(f, " reach {reach}")?;
        }
        if let Some(window) = self.window {
            write!(f, " window {window}")?;
        }
        Ok(())
    }
}

/// Writes `L0, reduce v3 by +, last v4, private a1, reduce a2 by +`.
impl fmt::Display for ThreadLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)?;
        for (var, op) in &self.reductions {
            write!(f, ", reduce {var} by {op}")?;
        }
        for var in &self.last_values {
            write!(f, ", last {var}")?;
        }
        for array in &self.private {
            write!(f, ", private {array}")?;
        }
        for (array, op) in &self.array_reductions {
            write!(f, ", reduce {array} by {op}")?;
        }
        for copy in &self.anti_dependence_copies {
            write!(f, ", {copy}")?;
        }
        Ok(())
    }
}

/// Writes one line for each mapped loop.
impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for t in &self.threads {
            writeln!(f, "threads {t}")?;
        }
        for (id, lanes) in &self.vector {
            writeln!(f, "vector {id} by {lanes}")?;
        }
        for id in &self.independent {
            writeln!(f, "independent {id}")?;
        }
        for id in &self.lockstep {
            writeln!(f, "lockstep {id}")?;
        }
        for id in &self.split {
            writeln!(f, "peeled {id}")?;
        }
        for g in &self.grid {
            writeln!(f, "grid ({}) {}", Commas(&g.axes), g.mapped)?;
        }
        for id in &self.cooperative {
            writeln!(f, "cooperative {id}")?;
        }
        for id in self.nonempty.iter() {
            writeln!(f, "nonempty {id}")?;
        }
        Ok(())
    }
}

/// Reads a schedule.
///
/// # Errors
/// The first place where the text is not of the form that the module describes.
pub fn read_schedule(text: &str) -> Result<Schedule, ReadError> {
    let mut lines = Lines::of(text)?;
    let mut schedule = Schedule::default();
    while let Some(line) = lines.next() {
        let mut c = Cursor::of(line);
        if line.level > 0 {
            return c.expected("the start of a line before this");
        }
        let word = c.peek();
        c.eat_word(word);
        match word {
            "threads" => schedule.threads.push(threads(&mut c)?),
            "vector" => {
                let id = c.loop_id()?;
                c.expect_word("by")?;
                schedule.vector.push((id, c.int()?));
            }
            "independent" => schedule.independent.push(c.loop_id()?),
            "lockstep" => schedule.lockstep.push(c.loop_id()?),
            "peeled" => schedule.split.push(c.loop_id()?),
            "grid" => {
                c.expect("(")?;
                let axes = c.list(")", Cursor::loop_id)?;
                let mapped = threads(&mut c)?;
                schedule.grid.push(GridLoop { axes, mapped });
            }
            "cooperative" => schedule.cooperative.push(c.loop_id()?),
            "nonempty" => {
                let id = c.loop_id()?;
                if id.index() >= IdSet::<LoopId>::CAPACITY {
                    return c.expected("one of the first 64 loops, before this");
                }
                schedule.nonempty.insert(id);
            }
            _ => return Cursor::of(line).expected("what a loop is mapped to"),
        }
        c.done()?;
    }
    Ok(schedule)
}

fn threads(c: &mut Cursor<'_>) -> Read<ThreadLoop> {
    let mut t = ThreadLoop::plain(c.loop_id()?);
    while c.eat(",") {
        if c.eat_word("reduce") {
            if c.peek_id("v").is_some() {
                let var = c.var()?;
                t.reductions.push((var, combined_by(c)?));
            } else {
                let array = c.array()?;
                t.array_reductions.push((array, combined_by(c)?));
            }
        } else if c.eat_word("last") {
            t.last_values.push(c.var()?);
        } else if c.eat_word("private") {
            t.private.push(c.array()?);
        } else if c.eat_word("copy") {
            t.anti_dependence_copies.push(copy(c)?);
        } else {
            return c.expected("`reduce`, `last`, `private` or `copy`");
        }
    }
    Ok(t)
}

fn combined_by(c: &mut Cursor<'_>) -> Read<RedOp> {
    c.expect_word("by")?;
    if c.eat_word("along") {
        return c.var().map(RedOp::Along);
    }
    let all = [
        RedOp::Add,
        RedOp::Mul,
        RedOp::Min,
        RedOp::Max,
        RedOp::And,
        RedOp::Or,
        RedOp::Xor,
        RedOp::Last,
    ];
    match all.into_iter().find(|op| c.eat(&op.to_string())) {
        Some(op) => Ok(op),
        None => c.expected("how partial values are combined"),
    }
}

fn copy(c: &mut Cursor<'_>) -> Read<AntiDependenceCopy> {
    let array = c.array()?;
    c.expect_word("for")?;
    let mut copy = AntiDependenceCopy {
        array,
        reads: vec![],
        reach: None,
        window: None,
    };
    while c.peek_id("x").is_some() {
        copy.reads.push(c.id("x", "an access").map(AccessId)?);
    }
    if c.eat_word("reach") {
        copy.reach = Some(c.int()?);
    }
    if c.eat_word("window") {
        c.expect_word("axis")?;
        let axis = c.int()?;
        c.expect_word("scale")?;
        let scale = c.int()?;
        c.expect_word("from")?;
        let least = c.int()?;
        c.expect_word("to")?;
        copy.window = Some(Window {
            axis,
            scale,
            least,
            most: c.int()?,
        });
    }
    Ok(copy)
}
