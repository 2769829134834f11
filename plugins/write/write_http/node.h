/* SPDX-License-Identifier: MIT */
/* A receiver, and the samples that are on their way to it.  A request that it refuses is sent again
 * in halves, until each bad sample is alone (kit/base/bisection.h).  One thread at a time. */
#pragma once

#include <collector/kit/http_client.h>
#include <collector/writer.h>

#include "kit/base/bisection.h"
#include "kit/base/quarantine.h"

#include "texts.h"

struct node_options {
	const char *name;
	struct mc_http_settings http; /* Without headers. */
	struct mc_strings headers;    /* "Name: value" */
	const char *token;            /* Of InfluxDB; NULL: none. */
	struct texts_options texts;
	int64_t size_max, timeout_ms;
	bool verify_peer, verify_host;
	bool metrics, notifications;
	/* Accepted alone: */
	const char *ca_path, *key_password, *ssl_version;
	int64_t low_speed_limit;
	bool log_http_error;
	struct mc_configs statistics;
};

struct node {
	struct mc_ctx *ctx;
	const struct node_options *options;
	size_t number; /* Of all; ... */
	size_t len;    /* ... and their number. */
	struct mc_http_settings http;
	char **words; /* Names and values of headers. */
	struct mc_http_client *client;
	struct mc_http_stream values, notices;

	const struct mc_sample **samples; /* Of the batch under way. */
	size_t samples_len, samples_room;
	struct mc_bisection bisection;
	struct mc_buffer body;
	struct mc_quarantine quarantine;
	mc_time refusal_logged;

	struct node_counts { /* Any thread reads them. */
		_Atomic uint64_t sent, refused, requests, bytes;
	} counts;
};

/* 0, or what mc_fail() returned; node_done() follows in any case. */
int node_init(struct node *, struct mc_ctx *, const struct node_options *, size_t refused_max);
void node_done(struct node *);

/* For renew(): the next request has files as they are then.  Thread: any. */
void node_renew(struct node *);

/* Begins with the samples of a batch, which lives until all are delivered. */
void node_begin(struct node *, const struct mc_batch *);

/* Whether some are under way. */
static inline bool node_goes_on(const struct node *node)
{
	return node->bisection.len > 0;
}

/* Sends, and waits for the answers.  True when all are delivered, or refused for good; else
 * node->values.reply says why not.  'keeps': the texts of a series are kept in its slot. */
bool node_go_on(struct node *, bool keeps);

/* Sends a notification. */
bool node_notify(struct node *, const struct mc_notification *);

/* mc_fail() with the last reply. */
int node_fail(struct node *, const struct mc_http_stream *, int errnum);

/* For forget(). */
void node_forget(void *slot);
