/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Vegas and Vegas-A in whole numbers: the same rules as crates/ackclock/src/tcp/cc/vegas.rs and vegas_a.rs, once for
 * the kernel (vegas_a.bpf.c) and once for the tests, which compile this file for an ordinary program.
 * Sources: [VEGAS-A] §4.1; [NS2] §2, §3; docs/live-vegas-a.md has what is different from the simulator.
 *
 * Neither the kernel nor BPF has floating point. Means, rates and the packets that wait are fractions, and what the
 * rules need of them are comparisons: each is made by multiplying both sides out, in 128 bits where 64 are too few. So
 * no comparison is rounded. Only the window is: it is kept in parts of a packet (ONE).
 *
 * Units: octets, microseconds, packets. Thresholds are thousandths of packets.
 */
#ifndef ACKCLOCK_VEGAS_H
#define ACKCLOCK_VEGAS_H

#define VEGAS_INLINE static __attribute__((always_inline)) inline
/* Once in the object, however often it is called: what the tests run is then what the kernel runs. */
#define VEGAS_ONCE static __attribute__((noinline))

/* A packet, in the unit of the window: Vegas adds 1/cwnd per acknowledgement. */
#define ONE (1ull << 32)
#define MIN_WINDOW 2u
/* Larger than any window of TCP, and small enough for the products below. */
#define MAX_WINDOW (1u << 24)
/* The floor of alpha: without it both thresholds fall below zero while a path is longer than it was. */
#define MIN_ALPHA 1000u
#define MAX_THRESHOLD 1000000000u
/* A round trip of 134 s is none. With this and the number of samples a sum stays below 2^47. */
#define MAX_RTT (1u << 27)
#define MAX_SAMPLES (1u << 20)

enum vegas_increase { AT_ONCE, SPREAD, SPREAD_AT_FLOOR };
enum vegas_trend { UP, DOWN, TIE };

/* The choices of a connection. `parameters.rs` writes them: 64 octets, in this order. */
struct vegas_parameters {
	u64 tie_up;		/* of 2^32 equal throughputs this many count as risen ... */
	u64 tie_down;		/* ... and this many as fallen */
	u32 adaptive;		/* 1: Vegas-A; 0: Vegas */
	u32 alpha, beta, gamma;
	u32 alpha_max;
	u32 increase;		/* enum vegas_increase */
	u32 reset_th_on_loss;
	u32 reset_ab_on_rto;
	u32 th_tolerance;	/* throughputs that differ by no more than this part of 65536 are equal */
	u32 reserved[3];
};

/* The state of a connection; the kernel has 104 octets for it. */
struct vegas {
	u64 cwnd;		/* in parts of ONE */
	u64 increment;		/* growth per packet acknowledged, in parts of ONE */
	u64 sum;		/* of the round trips measured in this round */
	u64 base;		/* the shortest round trip is base/base_count; 0: none yet */
	u64 th_sent;		/* the throughput of the round before is th_sent/th_time; */
	u64 th_time;		/* 0: undefined */
	u32 base_count;
	u32 count;		/* of the round trips in sum */
	u32 end;		/* the round ends when this octet is acknowledged */
	u32 begun;		/* when it began */
	u32 start;		/* when the connection sent its first segment */
	u32 alpha, beta;
	u32 written;		/* the window that was last written, packets: recovery may have written another */
	u32 rtt;		/* the sample of the acknowledgement that is being handled; 0: none */
	u32 last;		/* when the last acknowledgement came */
	u8 grows;		/* slow start grows in every other round */
	u8 sampling;		/* segments sent later than the first ones have been acknowledged */
	u8 started;
	u8 timed_out;		/* since the last acknowledgement */
};

/* An acknowledgement of new data, outside recovery. */
struct vegas_ack {
	u32 now;
	u32 una, nxt;		/* first octet not acknowledged now; next octet to send */
	u32 flight;		/* octets under way just before it */
	u32 sent;		/* octets sent in this round, if it ends it */
	u32 acked;		/* packets that it acknowledges */
	u32 mss;
	u32 limit;		/* packets: the window is no larger */
	u32 cwnd;		/* packets */
	u32 ssthresh;		/* packets; written */
	u32 draw;		/* decides a tie */
	u32 trend;		/* written: 1 + enum vegas_trend where throughputs were compared, else 0 */
	u32 drawn;		/* written: whether `draw` was looked at */
};

/* One round trip, as it is at its end: `sum/count` is the mean of what was measured. */
struct vegas_round {
	u64 sum;
	u32 count;
	u32 sent;		/* octets */
	u32 flight;		/* octets under way just before the acknowledgement that ends it */
	u32 mss;
};

/* Compares a·b with c·d. */
VEGAS_ONCE int compare_products(u64 a, u64 b, u64 c, u64 d)
{
	u64 m, high[2], low[2];
	u64 x[2] = { a, c }, y[2] = { b, d };

#pragma unroll
	for (int i = 0; i < 2; i++) {
		u64 x0 = (u32)x[i], x1 = x[i] >> 32, y0 = (u32)y[i], y1 = y[i] >> 32;

		m = (x0 * y0 >> 32) + (u32)(x0 * y1) + (u32)(x1 * y0);
		high[i] = x1 * y1 + (x0 * y1 >> 32) + (x1 * y0 >> 32) + (m >> 32);
		low[i] = m << 32 | (u32)(x0 * y0);
	}
	if (high[0] != high[1])
		return high[0] < high[1] ? -1 : 1;
	if (low[0] != low[1])
		return low[0] < low[1] ? -1 : 1;
	return 0;
}

/* Compares the packets that wait in queues, flight − sent·base/rtt, with thousandths of packets. */
VEGAS_INLINE int compare_diff(const struct vegas *v, const struct vegas_round *round, s64 thousandths)
{
	/* (flight − threshold) · rtt against sent · base, each times 1000, and times the numbers of samples. */
	s64 rest = (s64)round->flight * 1000 - thousandths * (s64)round->mss;

	if (rest < 0)
		return -1;
	return compare_products((u64)rest * v->base_count, round->sum, (u64)round->sent * 1000 * round->count, v->base);
}

/* The same as if they were rounded as ns-2 does, half a packet up and then towards zero: more than the threshold? */
VEGAS_INLINE int rounded_above(const struct vegas *v, const struct vegas_round *round, u32 thousandths)
{
	return compare_diff(v, round, (s64)(thousandths / 1000) * 1000 + 500) >= 0;
}

/* And less? */
VEGAS_INLINE int rounded_below(const struct vegas *v, const struct vegas_round *round, u32 thousandths)
{
	if (thousandths == 0)
		return compare_diff(v, round, -1500) <= 0;
	return compare_diff(v, round, (s64)((thousandths + 999) / 1000) * 1000 - 500) < 0;
}

VEGAS_INLINE void vegas_init(struct vegas *v, const struct vegas_parameters *p, u32 una, u32 now)
{
	*v = (struct vegas){ .end = una, .start = now, .begun = now, .last = now, .grows = 1 };
	v->alpha = p->alpha;
	v->beta = p->beta;
}

/* How the throughput of the round compares with that of the round before. */
VEGAS_INLINE u32 trend(const struct vegas *v, const struct vegas_parameters *p, const struct vegas_round *round,
		       struct vegas_ack *ack)
{
	u32 found = TIE;

	if (v->th_time) {
		u64 sent = (u64)round->sent * round->count;

		/* sent/sum against th_sent/th_time, which is a little more or less. */
		if (compare_products(sent, v->th_time << 16, v->th_sent, round->sum * (65536 + p->th_tolerance)) > 0)
			found = UP;
		else if (compare_products(sent, v->th_time << 16, v->th_sent, round->sum * (65536 - p->th_tolerance)) < 0)
			found = DOWN;
	}
	if (found == TIE) {
		ack->drawn = 1;
		if (ack->draw < p->tie_up)
			found = UP;
		else if (ack->draw < p->tie_up + p->tie_down)
			found = DOWN;
	}
	ack->trend = 1 + found;
	return found;
}

/* 1/cwnd, rounded up: a round of them is a packet. */
VEGAS_INLINE u64 share_of_window(const struct vegas *v)
{
	return ~0ull / v->cwnd + 1;
}

VEGAS_INLINE void one_less(struct vegas *v)
{
	v->cwnd = v->cwnd > (MIN_WINDOW + 1) * ONE ? v->cwnd - ONE : MIN_WINDOW * ONE;
}

/* cwnd + 1; returns the growth per packet acknowledged in the next round. */
VEGAS_INLINE u64 one_more(struct vegas *v, const struct vegas_parameters *p)
{
	if (p->increase == SPREAD)
		return share_of_window(v);
	v->cwnd += ONE;
	return 0;
}

VEGAS_INLINE void set_alpha(struct vegas *v, const struct vegas_parameters *p, u32 alpha)
{
	v->alpha = alpha;
	v->beta = alpha + (p->beta - p->alpha);
}

/* cwnd − 1, and the thresholds are lowered. */
VEGAS_INLINE void shrink(struct vegas *v, const struct vegas_parameters *p)
{
	one_less(v);
	set_alpha(v, p, v->alpha > MIN_ALPHA + 1000 ? v->alpha - 1000 : MIN_ALPHA);
}

/* The thresholds are raised. */
VEGAS_INLINE void raise(struct vegas *v, const struct vegas_parameters *p)
{
	set_alpha(v, p, v->alpha + 1000 < p->alpha_max ? v->alpha + 1000 : p->alpha_max);
}

/* Congestion avoidance of Vegas at the end of a round; returns the growth per packet acknowledged in the next. */
VEGAS_INLINE u64 avoid_vegas(struct vegas *v, const struct vegas_parameters *p, const struct vegas_round *round)
{
	if (rounded_above(v, round, p->beta))
		one_less(v);
	else if (rounded_below(v, round, p->alpha))
		return share_of_window(v);
	return 0;
}

/* That of Vegas-A. All comparisons are strict. */
VEGAS_INLINE u64 avoid_vegas_a(struct vegas *v, const struct vegas_parameters *p, const struct vegas_round *round,
			       struct vegas_ack *ack)
{
	int to_alpha = compare_diff(v, round, v->alpha), to_beta = compare_diff(v, round, v->beta);

	if (to_alpha > 0 && to_beta < 0) {
		/* Lines 1 to 9. */
		if (trend(v, p, round, ack) == UP) {
			raise(v, p);
			return one_more(v, p);
		}
	} else if (to_alpha < 0) {
		/* Lines 10 to 19. */
		if (v->alpha <= MIN_ALPHA) {
			/* As Vegas: the throughput is not compared. */
			if (p->increase == SPREAD_AT_FLOOR)
				return share_of_window(v);
			return one_more(v, p);
		}
		u32 found = trend(v, p, round, ack);

		if (found == UP)
			return one_more(v, p);
		if (found == DOWN)
			shrink(v, p);
	} else if (to_beta > 0) {
		/* Lines 20 to 22. */
		shrink(v, p);
	}
	/* Lines 23 to 25: at alpha or at beta nothing changes. */
	return 0;
}

/* Slow start or congestion avoidance, once per round trip. */
VEGAS_INLINE void on_end_of_round(struct vegas *v, const struct vegas_parameters *p, struct vegas_ack *ack)
{
	struct vegas_round round = { .sum = v->sum, .count = v->count, .sent = ack->sent,
				     .flight = ack->flight, .mss = ack->mss };

	if (round.count == 0) {
		u32 since = ack->now - v->begun;

		round.sum = since == 0 ? 1 : since < MAX_RTT ? since : MAX_RTT;
		round.count = 1;
	}
	/* With a single packet in a round there is no queue of one's own: the only way in which base can grow. */
	if (round.sent <= round.mss || round.sum * v->base_count < v->base * round.count) {
		v->base = round.sum;
		v->base_count = round.count;
	}
	v->sum = 0;
	v->count = 0;
	v->end = ack->nxt;
	v->begun = ack->now;

	if (v->cwnd < ack->ssthresh * ONE) {
		v->grows = !v->grows;
		if (!v->grows) {
			v->increment = 0;
		} else if (rounded_above(v, &round, p->gamma)) {
			ack->ssthresh = MIN_WINDOW;
			v->cwnd -= v->cwnd / 8;
			if (v->cwnd < MIN_WINDOW * ONE)
				v->cwnd = MIN_WINDOW * ONE;
			v->increment = 0;
		} else {
			v->increment = ONE;
		}
	} else if (p->adaptive) {
		v->increment = avoid_vegas_a(v, p, &round, ack);
	} else {
		v->increment = avoid_vegas(v, p, &round);
	}
	v->th_sent = (u64)round.sent * round.count;
	v->th_time = round.sum;
}

/* New data is acknowledged: the window in v->written. */
VEGAS_ONCE void vegas_on_ack(struct vegas *v, const struct vegas_parameters *p, struct vegas_ack *ack)
{
	ack->trend = 0;
	ack->drawn = 0;
	if (ack->cwnd != v->written) {
		/* After a timeout Linux has one packet under way; the window is two. */
		u32 cwnd = v->timed_out && ack->cwnd < MIN_WINDOW ? MIN_WINDOW : ack->cwnd;

		v->cwnd = (cwnd < MAX_WINDOW ? cwnd : MAX_WINDOW) * ONE;
	}
	v->timed_out = 0;
	if (v->base == 0) {
		/* The first acknowledgement of all. */
		u32 since = ack->now - v->start;

		v->base = since == 0 ? 1 : since < MAX_RTT ? since : MAX_RTT;
		v->base_count = 1;
		v->begun = v->start;
	}
	if ((s32)(ack->una - v->end) > 0)
		on_end_of_round(v, p, ack);

	if (v->increment == ONE) {
		/* Slow start: a packet for each that is acknowledged, up to ssthresh. */
		u64 ssthresh = ack->ssthresh * ONE;

		if (v->cwnd >= ssthresh)
			v->increment = 0;
		else if (ack->acked > 1 && (ssthresh - v->cwnd + ONE - 1) / ONE < ack->acked)
			ack->acked = (ssthresh - v->cwnd + ONE - 1) / ONE;
	}
	/* Not a window that is not used: cwnd − flight is at most two packets. */
	if (v->increment && v->cwnd <= ack->flight * ONE / ack->mss + 2 * ONE) {
		v->cwnd += v->increment * ack->acked;
		if (v->cwnd > MAX_WINDOW * ONE)
			v->cwnd = MAX_WINDOW * ONE;
	}
	/* The sample counts for the next round. Segments sent at the very start are none, as in ns-2. */
	if (v->rtt) {
		if (!v->sampling)
			v->sampling = ack->now - v->start > v->rtt;
		if (v->sampling && v->rtt <= MAX_RTT && v->count < MAX_SAMPLES) {
			v->sum += v->rtt;
			v->count++;
			if ((u64)v->rtt * v->base_count < v->base) {
				v->base = v->rtt;
				v->base_count = 1;
			}
		}
	}
	v->rtt = 0;
	v->last = ack->now;
	v->written = v->cwnd / ONE;
	if (v->written > ack->limit)
		v->written = ack->limit;
}

/* The window after a loss, packets: a quarter less. */
VEGAS_INLINE u32 vegas_reduced(u32 cwnd)
{
	return cwnd <= 3 ? MIN_WINDOW : cwnd - cwnd / 4;
}

/* ssthresh after a timeout, packets. */
VEGAS_INLINE u32 vegas_after_timeout(u32 cwnd)
{
	return cwnd / 2 < MIN_WINDOW ? MIN_WINDOW : cwnd / 2;
}

/* The window was cut: the next throughput says nothing. */
VEGAS_INLINE void vegas_on_loss(struct vegas *v, const struct vegas_parameters *p)
{
	if (p->reset_th_on_loss)
		v->th_time = 0;
}

VEGAS_INLINE void vegas_on_timeout(struct vegas *v, const struct vegas_parameters *p)
{
	vegas_on_loss(v, p);
	v->timed_out = 1;
	if (p->reset_ab_on_rto) {
		v->alpha = p->alpha;
		v->beta = p->beta;
	}
}

/* Data is sent after a pause, from `nxt` on: the round that was interrupted measured nothing. */
VEGAS_INLINE void vegas_on_restart(struct vegas *v, u32 nxt, u32 now)
{
	v->sum = 0;
	v->count = 0;
	v->end = nxt;
	v->begun = now;
	v->th_time = 0;
}

#endif
