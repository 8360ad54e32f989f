//! Python source text of one site to an untyped loop nest, or the reason why not.
