//! Enums whose values have names.

/// Gives an enum all of its values, in order, and the name of each: `names!(Kind: Up = "up", Down = "down")`.
#[macro_export]
macro_rules! names {
    ($Enum:ident: $($Value:ident = $name:literal),+) => {
        impl $Enum {
            /// All of them, in order.
            pub const ALL: [$Enum; [$($name),+].len()] = [$($Enum::$Value),+];

            /// What it is called in files, tables and messages.
            pub const fn name(self) -> &'static str {
                match self {
                    $($Enum::$Value => $name,)+
                }
            }
        }
    };
}
