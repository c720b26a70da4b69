/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * The state of each TCP connection of chosen network namespaces at each segment that it receives, whatever its congestion
 * control: the tracepoint tcp_probe, before the segment is processed.
 */
#include "kernel.h"

char licence[] SEC("license") = "Dual MIT/GPL";

/* `probe.rs` reads it: 48 octets, in this order. */
struct event {
	u64 time;		/* CLOCK_MONOTONIC, nanoseconds */
	u32 namespace;
	u16 local_port, remote_port;
	u32 cwnd, ssthresh;	/* packets */
	u32 srtt;		/* microseconds */
	u32 snd_una, snd_nxt;
	u32 packets_out;
	u32 peer_window;	/* octets */
	u32 state;		/* enum tcp_ca_state */
};

_Static_assert(sizeof(struct event) == 48, "as probe.rs has it");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 22);
} events SEC(".maps");

/* The inodes of the namespaces that are looked at. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u8);
} namespaces SEC(".maps");

/* Events for which there was no room. */
u64 lost;

SEC("tp_btf/tcp_probe")
int BPF_PROG(trace, struct sock *sk)
{
	struct tcp_sock *tp = (struct tcp_sock *)sk;
	u32 namespace = sk->__sk_common.skc_net.net->ns.inum;
	struct event *event;

	if (!bpf_map_lookup_elem(&namespaces, &namespace))
		return 0;
	event = bpf_ringbuf_reserve(&events, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&lost, 1);
		return 0;
	}
	event->time = bpf_ktime_get_ns();
	event->namespace = namespace;
	event->local_port = sk->__sk_common.skc_num;
	event->remote_port = __builtin_bswap16(sk->__sk_common.skc_dport);
	/* The argument is known as a socket only: what of it is TCP's is read as memory. */
	event->cwnd = BPF_CORE_READ(tp, snd_cwnd);
	event->ssthresh = BPF_CORE_READ(tp, snd_ssthresh);
	event->srtt = BPF_CORE_READ(tp, srtt_us) >> 3;
	event->snd_una = BPF_CORE_READ(tp, snd_una);
	event->snd_nxt = BPF_CORE_READ(tp, snd_nxt);
	event->packets_out = BPF_CORE_READ(tp, packets_out);
	event->peer_window = BPF_CORE_READ(tp, snd_wnd);
	event->state = BPF_CORE_READ_BITFIELD_PROBED(&tp->inet_conn, icsk_ca_state);
	bpf_ringbuf_submit(event, 0);
	return 0;
}
