//! How a mechanism from outside begins: what the `Custom` member of each family holds. And how the member is called that the state of a
//! family is.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// What a mechanism is called, and the function that begins it. Equal if both are the same.
pub(crate) struct Factory<F: ?Sized> {
    name: Arc<str>,
    start: Arc<F>,
}

impl<F: ?Sized> Factory<F> {
    /// Begins what `start` returns.
    pub(crate) fn new(name: impl Into<Arc<str>>, start: Arc<F>) -> Factory<F> {
        Factory { name: name.into(), start }
    }

    /// What the mechanism is called.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl<F: ?Sized> Deref for Factory<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.start
    }
}

impl<F: ?Sized> Clone for Factory<F> {
    fn clone(&self) -> Factory<F> {
        Factory { name: self.name.clone(), start: self.start.clone() }
    }
}

impl<F: ?Sized> fmt::Debug for Factory<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Factory({:?})", self.name)
    }
}

impl<F: ?Sized> PartialEq for Factory<F> {
    fn eq(&self, other: &Factory<F>) -> bool {
        self.name == other.name && Arc::ptr_eq(&self.start, &other.start)
    }
}

/// Methods of the state of a family: each calls that of the member that it is, through the macro `dispatch` of the family.
macro_rules! dispatched {
    () => {};
    (
        $(#[$how:meta])* fn $name:ident(&mut $self:ident $(, $given:ident: $Given:ty)*) $(-> $Output:ty)?;
        $($others:tt)*
    ) => {
        $(#[$how])*
        fn $name(&mut $self $(, $given: $Given)*) $(-> $Output)? {
            dispatch!($self, member => member.$name($($given),*))
        }
        crate::factory::dispatched! { $($others)* }
    };
    (
        $(#[$how:meta])* fn $name:ident(&$self:ident $(, $given:ident: $Given:ty)*) $(-> $Output:ty)?;
        $($others:tt)*
    ) => {
        $(#[$how])*
        fn $name(&$self $(, $given: $Given)*) $(-> $Output)? {
            dispatch!($self, member => member.$name($($given),*))
        }
        crate::factory::dispatched! { $($others)* }
    };
}
pub(crate) use dispatched;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factory_is_equal_to_its_copies_alone() {
        let factory = |offset: u32| Factory::<dyn Fn(u32) -> u32>::new("sum", Arc::new(move |number| number + offset));
        let (one, other) = (factory(1), factory(1));
        assert_eq!(one(2), 3);
        assert!(one == one.clone() && one != other);
    }
}
