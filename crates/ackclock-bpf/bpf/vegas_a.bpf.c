/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Vegas and Vegas-A as congestion controls of Linux: when the kernel calls what of vegas.h. The loader writes parameters
 * and name. The kernel does the rest: losses are found and repaired by its own rules.
 */
#include "kernel.h"
#include "vegas.h"

char licence[] SEC("license") = "Dual MIT/GPL";

const volatile struct vegas_parameters parameters = {};

/* Of all connections: decisions at which throughputs were compared, by enum vegas_trend. */
u64 trends[3];

_Static_assert(sizeof(struct vegas_parameters) == 64, "as parameters.rs has it");
_Static_assert(sizeof(struct vegas) <= sizeof(((struct inet_connection_sock *)0)->icsk_ca_priv), "what the kernel has");

/* What the loader has written: the compiler must not take the zeros above for it. */
VEGAS_INLINE const struct vegas_parameters *given(void)
{
	const struct vegas_parameters *p = (const struct vegas_parameters *)&parameters;

	barrier_var(p);
	return p;
}

VEGAS_INLINE struct tcp_sock *tcp(struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

VEGAS_INLINE struct vegas *state(struct sock *sk)
{
	return (struct vegas *)tcp(sk)->inet_conn.icsk_ca_priv;
}

SEC("struct_ops/vegas_start")
void BPF_PROG(vegas_start, struct sock *sk)
{
	struct tcp_sock *tp = tcp(sk);

	vegas_init(state(sk), given(), tp->snd_nxt, tp->tcp_mstamp);
}

/* Called for each acknowledgement, before `cong_avoid`; that is not called in recovery. */
SEC("struct_ops/vegas_sample")
void BPF_PROG(vegas_sample, struct sock *sk, const struct ack_sample *sample)
{
	s32 rtt = sample->rtt_us;

	state(sk)->rtt = rtt > 0 ? rtt : rtt == 0;
}

SEC("struct_ops/vegas_avoid")
void BPF_PROG(vegas_avoid, struct sock *sk, u32 number, u32 acked)
{
	struct tcp_sock *tp = tcp(sk);
	struct vegas *v = state(sk);
	u32 ssthresh = tp->snd_ssthresh;
	struct vegas_ack ack = {
		.now = tp->tcp_mstamp,
		.una = tp->snd_una,
		.nxt = tp->snd_nxt,
		.acked = acked,
		.mss = tp->mss_cache,
		.limit = tp->snd_cwnd_clamp,
		.cwnd = tp->snd_cwnd,
		.ssthresh = ssthresh,
		.draw = bpf_get_prandom_u32(),
	};

	ack.flight = ack.nxt - ack.una + acked * ack.mss;
	/*
	 * What was sent since the round began would be a packet more or less, as one acknowledgement is for two packets and the end
	 * of the round is between them; throughputs would vary by as much as a larger window makes them rise. With a window in use
	 * what is under way is what is sent in a round trip.
	 */
	ack.sent = ack.flight;
	if (v->base == 0 && !v->started) {
		/* Chosen in the middle of a connection: when its first segment was sent is not known. */
		if (v->rtt == 0)
			return;
		v->start = ack.now - v->rtt;
		v->started = 1;
	}
	vegas_on_ack(v, given(), &ack);
	tp->snd_cwnd = v->written;
	if (ack.ssthresh != ssthresh)
		tp->snd_ssthresh = ack.ssthresh;
	if (ack.trend == 1 + UP)
		__sync_fetch_and_add(&trends[UP], 1);
	else if (ack.trend == 1 + DOWN)
		__sync_fetch_and_add(&trends[DOWN], 1);
	else if (ack.trend == 1 + TIE)
		__sync_fetch_and_add(&trends[TIE], 1);
}

SEC("struct_ops/vegas_cut")
u32 BPF_PROG(vegas_cut, struct sock *sk)
{
	return vegas_reduced(tcp(sk)->snd_cwnd);
}

/* A loss that was none: the window is as large as before. */
SEC("struct_ops/vegas_undo")
u32 BPF_PROG(vegas_undo, struct sock *sk)
{
	struct tcp_sock *tp = tcp(sk);

	return tp->snd_cwnd > tp->prior_cwnd ? tp->snd_cwnd : tp->prior_cwnd;
}

SEC("struct_ops/vegas_event")
void BPF_PROG(vegas_event, struct sock *sk, enum tcp_ca_event event)
{
	struct tcp_sock *tp = tcp(sk);
	struct vegas *v = state(sk);
	u32 now = tp->tcp_mstamp;

	if (event == CA_EVENT_LOSS) {
		/* A timeout: `ssthresh` was asked just before, and could not know. */
		tp->snd_ssthresh = vegas_after_timeout(tp->snd_cwnd);
	} else if (event == CA_EVENT_TX_START) {
		/* Nothing was under way. */
		if (!v->started) {
			v->start = now;
			v->begun = now;
			v->last = now;
			v->started = 1;
		} else if (v->base && (u64)(now - v->last) * v->base_count > v->base) {
			/* Longer than a round trip: a pause. A small window whose acknowledgements come together is none. */
			vegas_on_restart(v, tp->snd_nxt, now);
		}
	}
}

SEC("struct_ops/vegas_state")
void BPF_PROG(vegas_state, struct sock *sk, u8 new_state)
{
	if (new_state == TCP_CA_Loss)
		vegas_on_timeout(state(sk), given());
	else if (new_state == TCP_CA_Recovery || new_state == TCP_CA_CWR)
		vegas_on_loss(state(sk), given());
}

SEC(".struct_ops.link")
struct tcp_congestion_ops vegas_ops = {
	.init = (void *)vegas_start,
	.pkts_acked = (void *)vegas_sample,
	.cong_avoid = (void *)vegas_avoid,
	.ssthresh = (void *)vegas_cut,
	.undo_cwnd = (void *)vegas_undo,
	.cwnd_event = (void *)vegas_event,
	.set_state = (void *)vegas_state,
	.flags = TCP_CONG_NON_RESTRICTED,
	.name = "vegas_a",
};

/* One step of vegas.h by itself: the tests load and run it, and nothing else does. */
struct step {
	struct vegas vegas;
	struct vegas_ack ack;
	u32 what;		/* 0: an acknowledgement; 1: a loss; 2: a timeout; 3: begin */
	u32 window;		/* written: after a loss the window, after a timeout ssthresh */
};

SEC("syscall")
int vegas_step(struct step *given_step)
{
	/* The verifier wants the argument itself, and constant distances from it: copied as a whole. */
	struct step step = *given_step;

	if (step.what == 0) {
		vegas_on_ack(&step.vegas, given(), &step.ack);
	} else if (step.what == 1) {
		step.window = vegas_reduced(step.ack.cwnd);
		vegas_on_loss(&step.vegas, given());
	} else if (step.what == 2) {
		step.window = vegas_after_timeout(step.ack.cwnd);
		vegas_on_timeout(&step.vegas, given());
	} else {
		vegas_init(&step.vegas, given(), step.ack.una, step.ack.now);
	}
	*given_step = step;
	return 0;
}
