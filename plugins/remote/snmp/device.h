/* SPDX-License-Identifier: MIT */
/* A device: whether it is there, and what it is asked.  All devices belong to
 * the one thread of run().
 *
 *   RESOLVING   its name is looked up
 *   CONNECTING  its stream is connected
 *   ASKING      for its engine, with version 3; an answer shows that it lives
 *   PROBING     for its sysUpTime, when it has not answered before
 *   UP          its passes are polled
 *   DOWN        it has not answered, and is probed once an interval */
#pragma once

#include <collector/kit/address.h>
#include <collector/kit/backoff.h>
#include <collector/kit/loop.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

#include "discovery.h"
#include "keys.h"
#include "options.h"
#include "plan.h"
#include "session.h"
#include "table.h"

#define DEVICE_OUTSTANDING_MAX 4

enum device_state {
	DEVICE_RESOLVING,
	DEVICE_CONNECTING,
	DEVICE_ASKING,
	DEVICE_PROBING,
	DEVICE_UP,
	DEVICE_DOWN,
};

struct single {
	uint32_t pass; /* That it was answered in. */
	struct mc_snmp_number number;
	mc_time time;
};

struct pass { /* Over what is due together. */
	const struct plan_group *plan;
	mc_time interval;
	mc_time due;     /* When it is to begin. */
	mc_time started; /* When it did, if it runs. */
	bool running;
	uint32_t number; /* Of this pass. */
	unsigned open;   /* Tasks. */
	struct table *tables;
	struct single *singles;
	struct mc_series **held; /* Of the plan's <Data>. */
	bool failed;             /* To get single values. */
	struct mc_once failing, lacking, slow;
};

struct task { /* Values to read, by one request or several. */
	struct task *next;
	struct pass *pass;
	struct table *table;            /* NULL: single values. */
	plan_columns columns;           /* Of the table, */
	struct mc_object_id from, upto; /* and rows after that, up to this. */
	unsigned first, len;            /* Single values. */
	unsigned limit;                 /* Of rows or values in a request; 0: what fits. */
	unsigned tries;                 /* That had no answer. */
	bool clock;                     /* Asks for sysUpTime, too, */
	bool name;                      /* and with it for sysName. */
	mc_time begun;                  /* First try. */
};

struct request {
	struct device *device;
	struct task *task; /* NULL: it is free, or the probe. */
	bool busy;
	mc_time sent, deadline;
};

struct fleet_counts { /* Of all devices. */
	uint64_t requests, retries, timeouts, strays, rows, passes, late;
	mc_time slowest; /* Pass since the last read(). */
};

struct fleet { /* Shared by devices. */
	struct mc_ctx *ctx;
	const struct snmp_options *options;
	struct keys keys;
	struct fleet_counts counts;
	size_t up;        /* Devices that answer. */
	uint64_t moments; /* See moment.h. */
	struct mc_loop *loop;
};

struct device {
	struct fleet *fleet;
	struct host_options options; /* Complete. */
	struct mc_quota *quota;
	char *host, *port;
	enum host_transport transport;
	int family;
	const struct plan *plan;
	struct pass *passes;

	enum device_state state;
	bool counted_up; /* In the fleet's. */
	struct mc_loop_file file;
	struct mc_loop_timer timer;
	mc_time wake;      /* When it has something to do. */
	mc_time probe_due; /* When it is DOWN. */
	unsigned probes;   /* Without an answer, in a row. */
	struct mc_lookup lookup;
	mc_time looked_up;
	struct sockaddr_storage address;
	struct session session;
	int fd;            /* Before there is a session. */
	uint32_t question; /* Of the engine. */
	struct discovery_engine engine;
	bool engine_is_hint; /* Of hints.h: nobody has answered yet. */

	struct task *tasks, **tasks_end;
	struct request requests[DEVICE_OUTSTANDING_MAX];
	unsigned window; /* How many of them may be used. */
	unsigned busy;
	mc_time opened;                /* The session was. */
	mc_time heard;                 /* An answer was, last. */
	mc_time round_trip, deviation; /* RFC 6298; 0: unknown. */
	uint64_t uptime;               /* sysUpTime, in 0.01 s, */
	mc_time uptime_at;             /* and when; 0: never. */
	unsigned restarts;
	char system_name[MC_SNMP_TEXT_SIZE]; /* sysName; "": it has none, or not known. */
	mc_time named;                       /* When it was asked for that; 0: never. */
	bool failed;                         /* The stream, or the session: it is to be closed. */
	bool lost;                           /* Nothing was answered. */
	bool refused;                        /* It says why. */
	char reason[160];                    /* Of 'failed' or 'refused'. */
	struct mc_once away, sending;
};

/* Is polled in the loop of the fleet from now on. */
void device_init(struct device *, struct fleet *, const struct host_options *, const struct plan *);
void device_done(struct device *);
