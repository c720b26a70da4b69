//! Words of the field that `ackclock explain` defines.

/// Terms of the field that the program uses and does not define elsewhere: the words for each, and what they mean, in a sentence and
/// more below it.
pub(super) fn terms() -> impl Iterator<Item = (Vec<&'static str>, &'static str)> {
    TERMS.split("\n\n").map(|term| {
        let (words, text) = term.split_once(": ").expect("words and their meaning");
        (words.split(", ").collect(), text)
    })
}

const TERMS: &str = "\
bdp, bandwidth-delay-product: bandwidth-delay product, a unit of `buffer`, as in \"1 bdp\"
    The rate of a port times the longest round trip of the flows that cross it, without queues: the data that fill the path.

rtt, round-trip: round-trip time
    From the transmission of a segment to the arrival of its acknowledgement, queues included. The option `--rtt` of
    `quick` is the round trip without queues.

percentile, p50, p95, p99, median, quantile: a percentile of several values
    The p-th percentile is a value that p per cent of them do not exceed. p50 is the median; one value in a hundred is
    larger than p99.

confidence-interval, +/-: the 95 % confidence interval of a mean over several seeds, as mean +/- half its width
    By Student's t: 95 of a hundred such intervals contain the mean over all seeds. `ci95` in result.json.

bootstrap, bca: confidence intervals without an assumption on how the values are distributed: `sweep --interval bca`
    The mean of many lists drawn from the values with replacement, between its percentiles 2.5 and 97.5; BCa corrects
    these for bias and skewness. It needs ten seeds or more to mean much.

jain: Jain's index of fairness
    (sum of x)^2 / (n * sum of x^2) over the goodputs x of n flows: 1 is equal shares, 1/n is one flow with everything.

acr, allowed-cell-rate: allowed cell rate of an ABR source
    The rate at which the source may send now, RM cells included. It begins at ICR and stays between MCR and PCR.

rm, rm-cell, rm-cells, frm, brm, forward-rm-cell, backward-rm-cell, resource-management-cell: resource management cell of an ABR connection
    A source sends a forward RM cell (FRM) with every Nrm cells. The destination returns it as a backward RM cell (BRM).
    Switches on its way lower the rate in it (ER) or set CI; the source follows.

er, explicit-rate: explicit rate, a field of RM cells
    The source asks for PCR, switches lower it to what they can carry, and ACR is never more than the last one returned.

erq: explicit rate for the queue of a port, of `capc`
    The one rate that the port offers to all connections; it rises while the load is below its target, else it falls.

ccr, current-cell-rate: current cell rate, a field of RM cells
    ACR of the source when it sent the RM cell.

ci, ni: congestion indication and no increase, bits of RM cells
    CI: the source lowers ACR by RDF times ACR. NI: it does not raise ACR.

crm, missing-rm-cell-count: missing RM cell count, TBE over Nrm
    After so many forward RM cells without one that returns, ACR falls by CDF times ACR at each further one.

tcr, tagged-cell-rate, out-of-rate: tagged cell rate, 10 cells per second
    A source whose ACR is below it sends an RM cell every 100 ms, out of rate (CLP = 1), so that it may learn a rate again.

max-min-share: max-min share of a connection
    Every link is shared equally by the connections that it limits: no share can grow unless one that is no larger shrinks.

pcr, peak-cell-rate: peak cell rate of a connection
    No source sends faster: ACR of ABR is at most PCR, and UBR spaces its cells at PCR.

mrm: a number of the source rules of ABR: 2
    The source sends a forward RM cell once Trm has passed since the last one and it has sent Mrm other cells.

in-rate: cells that an ABR source sends within its ACR: data cells and most RM cells
    RM cells that are out of rate are sent beside them, at TCR.

bn, becn, dir, ql, sn: fields of RM cells
    DIR: whether the cell is a forward or a backward one. BN: a switch or the destination made it; here none does, so it
    is 0. QL and SN are not used by ABR of the ATM Forum, and are left out.

pti, payload-type-indication: payload type indication, three bits in the header of a cell
    They say whether the cell is one of data or of management, whether data have met congestion (EFCI), and whether a
    data cell is the last one of its AAL5 frame.

clp, cell-loss-priority: cell loss priority, a bit in the header of a cell
    RM cells that are out of rate have CLP = 1, all other cells 0. No queue reads it: such cells are refused like others.

turn-around: what the destination of an ABR connection does with a forward RM cell
    It returns the cell as a backward one, with CI set if the last data cell had EFCI. A cell that still waits to be sent
    is replaced by the next one.

t0, qdlf: parameters of the queue control of `erica-plus` and `simplified-erica-plus`
    T0, the key `target_delay`: the queueing delay at which the target rate is the rate of the link. QDLF, queue drain
    limit factor, the key `drain_limit`: the least part of that rate which is the target while a queue is drained.

fair-share: the rate that ERICA offers each connection at least: target rate over the number of active connections
    Connections that use less leave the rest to others, see max-min-share.

tm4, tm-4.0, traffic-management: ATM Forum, Traffic Management Specification Version 4.0, of 1996
    It defines the services of ATM, UBR and ABR among them, with the rules of ABR sources, destinations and switches.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_say_one_thing_in_a_line_and_the_rest_below() {
        for (words, text) in terms() {
            assert!(words.iter().all(|word| *word == word.to_lowercase()) && text.ends_with('.'), "{words:?}");
            assert!(text.lines().skip(1).all(|line| line.starts_with("    ")), "{words:?}");
        }
    }
}
