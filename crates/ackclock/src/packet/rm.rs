//! Resource-management (RM) cells of ABR, which carry rates between the ends of a connection.
//! Source: \[TM4\] §5.10.3.1. Rates are in cells of 424 bits per second.

/// What an RM cell says. The fields QL and SN, which ABR of the ATM Forum does not use, are left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RmCell {
    /// ER, explicit rate: what the source may send at most. Switches only lower it.
    pub er: f64,
    /// CCR, current cell rate: the ACR of the source when it sent the cell. Nobody changes it.
    pub ccr: f64,
    /// MCR, minimum cell rate of the connection.
    pub mcr: f64,
    /// CI, congestion indication: the source reduces its rate.
    pub ci: bool,
    /// NI, no increase: the source does not raise its rate.
    pub ni: bool,
    /// BN: a switch or a destination generated the cell, no source did.
    pub bn: bool,
    /// CLP: the cell is out of rate.
    pub clp: bool,
}
