/* SPDX-License-Identifier: MIT */
/* The agents in guests (qemu-guest-agent), which libvirt asks: file systems, users and load as
 * series; system, host name and addresses as labels.
 *
 * Threads of their own ask them (agent_ask.h), each guest once in GuestAgentInterval, and reads
 * report the answers that have come (agent_put.h).  So an agent that does not answer costs nobody
 * else a value, and is asked ever less often. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/kit/once.h>
#include <collector/plugin.h>

struct guest;
struct mc_quota;

#define AGENT_LABEL_SIZE 128

struct guest_agent {       /* State of a guest's agent. */
	bool asked;        /* Its answer has not come yet. */
	bool answered;     /* Once, since it was met. */
	bool known;        /* Whether it answers is; */
	bool responsive;   /* and it did the last time. */
	mc_time shown;     /* When that was last put. */
	bool slow;         /* It did not answer the last time. */
	unsigned failures; /* Of that kind, in a row. */
	mc_time next;      /* When it is to be asked. */
	struct mc_once trouble, left_out;
	struct mc_quota *quota;
	struct agent_labels { /* "": unknown. */
		char os[AGENT_LABEL_SIZE], kernel[AGENT_LABEL_SIZE], hostname[AGENT_LABEL_SIZE];
		char addresses[2 * AGENT_LABEL_SIZE];
	} * labels; /* NULL: it has not answered. */
};

struct agents;

/* NULL: they are not wanted. */
struct agents *agent_new(const char *uri);

/* Leaves calls that hang to themselves; NULL is fine. */
void agent_free(struct agents *);

/* Puts what has been answered, and has those asked whose time has come.  The reader's thread. */
void agent_report(struct mc_ctx *, struct mc_batch *out);

/* A guest is forgotten, or all are. */
void agent_forget(struct guest *guest);

/* A guest was started: its agent may be another one. */
void agent_begins(struct guest *guest);
