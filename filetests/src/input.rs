//! The nest, the site and the analysis that a pass is given.

use nestwise_analysis::guards::cleared;
use nestwise_analysis::parallelism::legality::Given;
use nestwise_analysis::parallelism::verdict::{Analysis, Options, analyse_with};
use nestwise_frontend::testing::{Script, options};
use nestwise_ir::testing::assert_round_trip;
use nestwise_ir::verifier::verify;
use nestwise_ir::{FpMode, IdSet, Nest};

use crate::file::FileTest;

impl FileTest {
    /// The freedom in floating-point arithmetic that the test allows.
    pub(crate) fn fp(&self) -> FpMode {
        match (self.has("fp=fast"), self.has("fp=faithful")) {
            (true, _) => FpMode::Fast,
            (_, true) => FpMode::Faithful,
            _ => FpMode::Strict,
        }
    }

    /// The site, and the values that its names have.
    pub(crate) fn script(&self) -> Script {
        // Comments and empty lines keep their places, so that lines count as in the file.
        Script::new(&self.given, &self.input)
    }

    /// The typed nest of Python text.
    pub(crate) fn lowered(&self) -> Result<Nest, String> {
        let settings = nestwise_frontend::lowering::Options {
            fp: self.fp(),
            ..options()
        };
        let nest = self.script().nest(settings);
        nest.map_err(|e| format!("refused {}: {e}", e.error.code()))
    }

    /// The typed nest: the one whose text is read, or the one that Python text is lowered to, with every guard cleared
    /// as if proven.
    pub(crate) fn nest(&self) -> Result<Nest, String> {
        let nest = match self.is_python {
            true => cleared(&self.lowered()?),
            false => nestwise_ir::text::read(&self.input).map_err(|e| e.to_string())?,
        };
        verify(&nest)?;
        assert_round_trip(&nest);
        Ok(nest)
    }

    /// The analysis of a nest, assuming that loops which are entered run at least once, and that slots are different
    /// memory.
    pub(crate) fn analysis(&self, nest: &Nest) -> Analysis {
        let nonempty = if self.has("perhaps-empty") {
            IdSet::new()
        } else {
            IdSet::all()
        };
        let options = Options {
            nonempty,
            ..Options::new(self.fp())
        };
        analyse_with(nest, options)
    }

    /// What the legality of a rewriting is judged by; chunks are rolled back unless the test says `no-undo`.
    pub(crate) fn given<'a>(&self, nest: &'a Nest, analysis: &'a Analysis) -> Given<'a> {
        Given {
            nest,
            analysis,
            disjoint: true,
            undo: !self.has("no-undo"),
        }
    }
}
