/* SPDX-License-Identifier: MIT */
/* Shared by all requests of an instance. */
#pragma once

#include <stdatomic.h>

#include <collector/kit/http_server.h>
#include <collector/private/otlp.h>

#include "client.h"
#include "identity.h"
#include "kit/series/host_labels.h"
#include "kit/series/otlp_templates.h"
#include "sender.h"
#include "stream.h"

/* Hosts that a client may send. */
enum listen_hosts { LISTEN_ANY, LISTEN_OWN };

struct listen_options {              /* Of a Listen block. */
	struct mc_httpd_listen http; /* The first: see mc_httpd_listener(). */
	int hosts;                   /* enum listen_hosts */
};

struct server {
	struct mc_ctx *ctx;
	mc_time interval; /* Of senders that do not say theirs. */
	struct streams streams;
	struct senders senders;
	struct clients clients;
	struct mc_host_labels labels;
	struct mc_otlp_templates templates;
	struct identities identities;
	struct mc_otlp_naming naming;   /* By these. */
	_Atomic uint64_t requests;      /* Taken. */
	_Atomic uint64_t refused_hosts; /* Refused because of ClientHosts. */
	_Atomic uint64_t rejected;      /* Points, of requests taken. */
};
