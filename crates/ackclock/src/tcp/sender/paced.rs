//! What a sender does beside when its congestion control needs rates of delivery, or sets a pace: it measures deliveries, and delays
//! segments.
//! Source: \[BBR1\] §4.2.1.

use super::Sender;
use crate::packet::SackBlock;
use crate::tcp::cc::CongestionControl;
use crate::tcp::pacer::Pace;
use crate::tcp::recovery::Recovery;
use crate::units::Time;

impl Sender {
    /// An acknowledgement comes that recovery has not yet seen.
    #[inline(never)]
    pub(super) fn record_delivery(&mut self, now: Time, ack: u64, blocks: &[SackBlock]) {
        let in_flight = self.in_flight();
        let Some(deliveries) = self.extra.as_mut().and_then(|extra| extra.deliveries.as_mut()) else { return };
        deliveries.record_delivery(now, ack, blocks, &self.flight, in_flight);
    }

    /// After recovery, congestion control gets the acknowledgement with what is delivered, and sets the window.
    pub(super) fn report_delivery(&mut self) {
        let in_flight = self.in_flight();
        if let Some(deliveries) = self.extra.as_mut().and_then(|extra| extra.deliveries.as_mut()) {
            deliveries.update_congestion_control(
                &mut self.congestion_control,
                &self.recovery,
                (&self.flight, in_flight),
                &mut self.window,
            );
        }
    }

    /// The `len` bytes at `seq` are sent; `idle`: nothing was outstanding before.
    #[inline(never)]
    pub(super) fn remember(&mut self, now: Time, seq: u64, len: u64, idle: bool) {
        let in_flight = self.in_flight();
        let Some(extra) = self.extra.as_deref_mut() else { return };
        if let Some(times) = &mut extra.times {
            times.on_sent(now, seq);
        }
        if let Some(pauses) = &mut extra.pauses {
            pauses.last_sent = now;
        }
        extra.held.on_sent(now, len);
        if let Some(pace) = &mut extra.pace {
            pace.on_sent(now, len, extra.held.rate_or(self.congestion_control.pacing_rate()));
        }
        if let Some(deliveries) = &mut extra.deliveries {
            deliveries.on_sent(now, (seq, len), idle, in_flight, self.window.cwnd);
        }
    }

    /// Bytes that are believed to be in the network: by recovery, if it knows.
    pub(super) fn in_flight(&self) -> u64 {
        let outstanding = self.flight.nxt - self.flight.una;
        self.recovery.loss_detection().map_or(outstanding, |detection| detection.in_flight(&self.flight))
    }

    /// Whether the pace allows nothing yet; then the sender is woken when it does.
    #[inline(never)]
    pub(super) fn waits(&mut self, now: Time) -> bool {
        let Some(extra) = self.extra.as_deref() else { return false };
        let own = extra.pace.as_ref().filter(|_| !extra.held.is_paced()).map_or(Time::ZERO, Pace::next);
        let after_mark = extra.ecn.as_ref().map_or(Time::ZERO, |ecn| ecn.not_before);
        let next = own.max(extra.held.next()).max(after_mark);
        if next <= now {
            return false;
        }
        self.ask_for_recovery(next);
        true
    }

    /// The timer expired.
    pub(super) fn deliveries_on_timeout(&mut self, now: Time) {
        if let Some(deliveries) = self.extra.as_mut().and_then(|extra| extra.deliveries.as_mut()) {
            deliveries.on_timeout(now, &self.flight, &mut self.congestion_control);
        }
    }

    /// Recovery has found losses without an acknowledgement.
    pub(super) fn deliveries_on_losses(&mut self, now: Time) {
        if let Some(deliveries) = self.extra.as_mut().and_then(|extra| extra.deliveries.as_mut()) {
            deliveries.report_losses(now, &self.recovery, &self.flight, &mut self.congestion_control);
        }
    }

    /// The application has nothing to send.
    pub(super) fn has_no_data(&mut self) {
        let in_flight = self.in_flight();
        if let Some(deliveries) = self.extra.as_mut().and_then(|extra| extra.deliveries.as_mut()) {
            deliveries.on_no_data(in_flight);
        }
    }

    /// Whether segments leave at a pace, or what is delivered of them is measured.
    pub(super) fn is_paced(&self) -> bool {
        self.extra.as_ref().is_some_and(|extra| extra.is_paced())
    }
}
