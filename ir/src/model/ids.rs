//! Ids of a nest's entities, `u32` newtypes whose `Display` is the text form, and [`Arena`], the table they index.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// A typed index into an [`Arena`].
pub trait Id: Copy + Eq + fmt::Display {
    /// The id of the arena's `index`th entry.
    fn new(index: usize) -> Self;
    /// The position in its arena.
    fn index(self) -> usize;
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);
        impl Id for $name {
            fn new(index: usize) -> Self {
                Self(index as u32)
            }
            fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl $name {
            /// The position in its arena.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

id!(
    /// An access path of the surface nest: a name, or an attribute of an access path.
    PathId, "p"
);
id!(
    /// A local of an inlined function or a hidden temporary of the surface nest.
    NameId, "n"
);
id!(
    /// A scalar variable of a typed nest.
    VarId, "v"
);
id!(
    /// An array slot of a typed nest.
    ArrayId, "a"
);
id!(
    /// A loop, numbered in source order.
    LoopId, "L"
);
id!(
    /// A piece of Python that CPython evaluates for a nest.
    FragmentId, "f"
);
id!(
    /// One textual read or write of an array element.
    AccessId, "x"
);
id!(
    /// A clause of the conditions under which loops of a nest may run in parallel.
    ClauseId, "c"
);
id!(
    /// A property of an index array that such conditions require.
    PropertyId, "q"
);
id!(
    /// A block that [`crate::StmtKind::Leave`] may leave.
    ScopeId, "s"
);

/// A growing table indexed by its own id type.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Arena<I, T> {
    items: Vec<T>,
    #[serde(skip)]
    marker: PhantomData<I>,
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Self {
            items: Vec::new(),
            marker: PhantomData,
        }
    }
}

impl<I: Id, T> Arena<I, T> {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }
    /// Appends `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }
    /// The number of entries.
    pub fn len(&self) -> usize {
        self.items.len()
    }
    /// Whether the table has no entry.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
    /// Entries with their ids, in order.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.items.iter().enumerate().map(|(i, t)| (I::new(i), t))
    }
    /// The ids, in order.
    pub fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        (0..self.items.len()).map(I::new)
    }
    /// The entries, in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }
    /// The entry, if the id is one of this table.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }
}

impl<I: Id, T> From<Vec<T>> for Arena<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self {
            items,
            marker: PhantomData,
        }
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

/// A set of ids, a bit each in one word: it is copied like a number, and never allocates.
///
/// Ids from [`IdSet::CAPACITY`] on are in no set. So a set says what is known of entities; of those beyond it nothing
/// is known.
#[derive(Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct IdSet<I> {
    bits: u64,
    #[serde(skip)]
    marker: PhantomData<I>,
}

impl<I: Id> IdSet<I> {
    /// The number of ids that a set has room for.
    pub const CAPACITY: usize = u64::BITS as usize;

    /// The empty set.
    pub const fn new() -> Self {
        IdSet {
            bits: 0,
            marker: PhantomData,
        }
    }

    /// The first `count` ids, as far as there is room for them.
    pub fn first(count: usize) -> Self {
        (0..count.min(Self::CAPACITY)).map(I::new).collect()
    }

    /// All ids that there is room for.
    pub fn all() -> Self {
        Self::first(Self::CAPACITY)
    }

    fn bit(id: I) -> u64 {
        1u64.checked_shl(id.index() as u32).unwrap_or(0)
    }

    /// Whether `id` is in the set.
    pub fn contains(self, id: I) -> bool {
        self.bits & Self::bit(id) != 0
    }

    /// Adds `id`, if there is room for it.
    pub fn insert(&mut self, id: I) {
        self.bits |= Self::bit(id);
    }

    /// Removes `id`.
    pub fn remove(&mut self, id: I) {
        self.bits &= !Self::bit(id);
    }

    /// Whether no id is in the set.
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// The number of ids in the set before the first one that is not.
    pub fn leading(self) -> usize {
        self.bits.trailing_ones() as usize
    }

    /// The ids in the set, in order.
    pub fn iter(self) -> impl Iterator<Item = I> {
        (0..Self::CAPACITY)
            .map(I::new)
            .filter(move |id| self.contains(*id))
    }
}

impl<I: Id> Default for IdSet<I> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Id> FromIterator<I> for IdSet<I> {
    fn from_iter<T: IntoIterator<Item = I>>(ids: T) -> Self {
        let mut set = Self::new();
        ids.into_iter().for_each(|id| set.insert(id));
        set
    }
}

impl<I: Id> fmt::Debug for IdSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(|id| id.to_string()))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_what_there_is_room_for() {
        let mut set = IdSet::<LoopId>::first(2);
        set.insert(LoopId(63));
        set.insert(LoopId(64));
        set.remove(LoopId(0));
        set.remove(LoopId(200));
        assert_eq!(set.iter().collect::<Vec<_>>(), [LoopId(1), LoopId(63)]);
        assert!(!set.contains(LoopId(64)) && !set.contains(LoopId(0)) && !set.is_empty());
        assert_eq!(
            IdSet::<LoopId>::all().iter().count(),
            IdSet::<LoopId>::CAPACITY
        );
        assert_eq!(format!("{set:?}"), r#"{"L1", "L63"}"#);
    }
}
