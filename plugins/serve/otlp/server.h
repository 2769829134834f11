/* SPDX-License-Identifier: MIT */
/* What all requests of an instance share. */
#ifndef OTLP_SERVER_H
#define OTLP_SERVER_H

#include <stdatomic.h>

#include <collector/otlp.h>

#include "address.h"
#include "client.h"
#include "label.h"
#include "pending.h"
#include "sender.h"
#include "stream.h"
#include "template.h"
#include "watch.h"

struct server {
	struct mc_ctx *ctx;
	mc_time interval;              /* Of senders that do not say theirs. */
	size_t body_max, inflated_max; /* Bytes of one request. */
	size_t pool_max;               /* Bytes of all bodies together, inflated
					* ones included. */
	struct streams streams;
	struct senders senders;
	struct pending pending;
	struct clients clients;
	struct watch watch;
	struct labels labels;
	struct templates templates;
	atomic_size_t pool;             /* Bytes of bodies now, likewise. */
	_Atomic uint64_t requests;      /* Taken. */
	_Atomic uint64_t refused;       /* Answered with another status. */
	_Atomic uint64_t refused_hosts; /* Of these, because of ClientHosts. */
	_Atomic uint64_t rejected;      /* Points, of requests taken. */
	/* Connections that were refused, by reason. */
	_Atomic uint64_t kept_out[ADDRESS_VERDICTS];
};

#endif
