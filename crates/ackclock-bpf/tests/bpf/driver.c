/*
 * vegas.h in an ordinary program: reads a sequence of steps from standard input, writes the state after each to standard
 * output. `sequences.rs` has the same layouts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;
#include "vegas.h"

#define DRAWS 4096

struct head {
	struct vegas_parameters parameters;
	struct vegas vegas;
	u32 cwnd, ssthresh;	/* packets */
	u32 steps;
	u32 padding;
	u32 draws[DRAWS];
};

struct step {
	u32 what;		/* 0: an acknowledgement; 1: a loss; 2: a timeout; 3: the connection begins */
	u32 now, una, nxt, flight, acked, mss, limit, rtt;
	u32 cwnd;		/* what recovery has set the window to; 0: nothing */
};

struct after {
	struct vegas vegas;
	u32 cwnd, ssthresh;	/* packets */
	u32 trend, padding;
};

static void read_all(void *to, size_t octets)
{
	if (fread(to, 1, octets, stdin) != octets)
		exit(1);
}

int main(void)
{
	static struct head head;
	struct step step;
	u32 drawn = 0;

	read_all(&head, sizeof(head));
	for (u32 at = 0; at < head.steps; at++) {
		struct after after = { 0 };

		read_all(&step, sizeof(step));
		if (step.what == 0) {
			struct vegas_ack ack = { .now = step.now, .una = step.una, .nxt = step.nxt, .flight = step.flight,
						 .acked = step.acked, .mss = step.mss, .limit = step.limit };

			ack.cwnd = step.cwnd ? step.cwnd : head.cwnd;
			ack.ssthresh = head.ssthresh;
			ack.draw = head.draws[drawn % DRAWS];
			ack.sent = step.nxt - head.vegas.end;
			head.vegas.rtt = step.rtt;
			vegas_on_ack(&head.vegas, &head.parameters, &ack);
			head.cwnd = head.vegas.written;
			head.ssthresh = ack.ssthresh;
			drawn += ack.drawn;
			after.trend = ack.trend;
		} else if (step.what == 1) {
			head.ssthresh = vegas_reduced(head.cwnd);
			vegas_on_loss(&head.vegas, &head.parameters);
		} else if (step.what == 2) {
			head.ssthresh = vegas_after_timeout(head.cwnd);
			/* Linux has one segment under way then. */
			head.cwnd = 1;
			vegas_on_timeout(&head.vegas, &head.parameters);
		} else {
			vegas_init(&head.vegas, &head.parameters, step.una, step.now);
		}
		after.vegas = head.vegas;
		after.cwnd = head.cwnd;
		after.ssthresh = head.ssthresh;
		if (fwrite(&after, sizeof(after), 1, stdout) != 1)
			return 1;
	}
	return 0;
}
