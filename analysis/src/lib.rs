//! What each loop of a nest may do: dependences, reductions, legality of schedules.
