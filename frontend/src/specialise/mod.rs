//! Surface nest and captures to typed nest.
