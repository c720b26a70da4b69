//! How a mechanism from outside begins: what the `Custom` member of each family holds. And how the member is called that the state of a
//! family is.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The function that begins a mechanism. Equal if it is the same one.
pub(crate) struct Factory<F: ?Sized>(Arc<F>);

impl<F: ?Sized> Factory<F> {
    /// Begins what `start` returns.
    pub(crate) fn new(start: Arc<F>) -> Factory<F> {
        Factory(start)
    }
}

impl<F: ?Sized> Deref for Factory<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.0
    }
}

impl<F: ?Sized> Clone for Factory<F> {
    fn clone(&self) -> Factory<F> {
        Factory(self.0.clone())
    }
}

impl<F: ?Sized> fmt::Debug for Factory<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Factory")
    }
}

impl<F: ?Sized> PartialEq for Factory<F> {
    fn eq(&self, other: &Factory<F>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
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
        let factory = |offset: u32| Factory::<dyn Fn(u32) -> u32>::new(Arc::new(move |number| number + offset));
        let (one, other) = (factory(1), factory(1));
        assert_eq!(one(2), 3);
        assert!(one == one.clone() && one != other);
    }
}
