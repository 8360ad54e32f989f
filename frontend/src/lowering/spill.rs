//! Values that are evaluated where they stand, because something behind them may change what they are made of.
