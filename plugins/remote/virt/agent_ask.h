/* SPDX-License-Identifier: MIT */
/* Threads that ask libvirt about agents in guests, and the questions that they are given.
 *
 * No more than AGENT_CALLS_MAX calls wait for agents at a time, and only one for an agent that did
 * not answer the last time.  Calls that hang are left to themselves. */
#pragma once

#include <stdbool.h>

#include <libvirt/libvirt.h>

#include <collector/plugin.h>

#include "agent_facts.h"

#define AGENT_CALLS_MAX 2 /* At a time, besides ... */
#define AGENT_HUNG_MAX 2  /* ... calls that even libvirt does not end. */

/* Seconds for which libvirt waits for an answer to each of a guest's commands. */
#define AGENT_TIMEOUT 5

/* An agent that has failed after this long is slow. */
#define AGENT_SLOW MC_SECOND

#define AGENT_REASON_SIZE 256

enum agent_outcome {
	AGENT_ANSWER,
	AGENT_FAILURE, /* Of this guest. */
	AGENT_GONE,    /* There is no such guest any more. */
	AGENT_AWAY,    /* There is no connection. */
};

struct agent_question {
	struct agent_question *next;
	unsigned char uuid[VIR_UUID_BUFLEN];
	bool suspect; /* Its agent did not answer the last time. */

	/* The answer: */
	enum agent_outcome outcome;
	bool absent; /* No agent is connected. */
	mc_time took;
	char reason[AGENT_REASON_SIZE];
	struct agent_facts facts;
};

struct agent_ask;

struct agent_ask *agent_ask_new(const char *uri);
void agent_ask_free(struct agent_ask *);

/* Adds questions to the end of the queue, which owns them then.  Thread: the reader's, as of all
 * functions below. */
void agent_ask_add(struct agent_ask *, struct agent_question *first);

/* Questions that have their answers, to be freed by the caller; NULL: no new ones. */
struct agent_question *agent_ask_take(struct agent_ask *);
void agent_ask_free_questions(struct agent_question *first);

/* Begins threads if questions wait and as many are free to begin; never waits. */
void agent_ask_begin(struct mc_ctx *, struct agent_ask *);
