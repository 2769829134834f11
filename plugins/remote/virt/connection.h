/* SPDX-License-Identifier: MIT */
/* A connection to libvirt on which a call may hang.
 *
 * Every call is made on a helper thread and waited for, but not longer than its limit.  A call that
 * has not come back is left on its connection, which is busy until it does; nothing else is sent
 * over it, because libvirtd serves only a few calls of one client at a time.
 *
 * A connection opens with its first call, and again after it broke: a call that fails because
 * libvirtd was restarted is made once more.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include <libvirt/libvirt.h>

#include <collector/plugin.h>

struct link;

#define LINK_REASON_SIZE 256

/* Reads for which libvirt answers, but lets nobody write, until we go on with reading. */
#define LINK_REFUSALS_MAX 3

/* A task for the helper thread.  To be embedded at the start of a struct of its own allocation;
 * connection_call() takes it over until it returns 0 or an error, but for -ETIMEDOUT: then it is
 * freed, sooner or later, by its own free(). */
struct connection_job {
	/* Returns 0 or -errno, and then says why with connection_explain().
	 * 'fresh': whether the connection was opened for this call. */
	int (*run)(struct connection_job *job, virConnectPtr conn, bool fresh);
	/* Frees the job and all it holds, when the link is not busy any more.  On any thread. */
	void (*free)(struct connection_job *job);
	bool only_open; /* Not to be run if the connection must be opened. */
	/* Set by connection_call(), 0 at first: the guest that a job about
	 * several of them has come to. */
	atomic_size_t *step;
	char reason[LINK_REASON_SIZE];
};

/* Writes "what: " and libvirt's last error to job->reason. */
int connection_explain(struct connection_job *job, const char *what);

/* 'uri' may be NULL: libvirt's default.  'writes': not read-only. */
struct link *connection_new(const char *uri, bool writes);

/* Closes it, or leaves that to the call that hangs on it; NULL is fine. */
void connection_free(struct mc_ctx *, struct link *link);

/* Whether a call hangs on it; whether that still waits to be connected. */
bool connection_busy(const struct link *link);
bool connection_dials(const struct link *link);

/* Whether it is connected.  Not while it is busy. */
bool connection_open(const struct link *link);

/* How far the last job on the link has come. */
size_t connection_step(const struct link *link);

/* CPU time that all jobs on it took, but those that hang. */
mc_time connection_cpu(const struct link *link);

/* Notes which guest the call that hangs on it is about. */
void connection_blame(struct link *link, const unsigned char uuid[VIR_UUID_BUFLEN]);

/* Whether on one of these, of which some may be NULL, a call about that guest still hangs. */
bool connection_blames(struct link *const *links, unsigned links_len,
		       const unsigned char uuid[VIR_UUID_BUFLEN]);

/* Returns what job->run() returned; or -ETIMEDOUT; or -EIO if there is no
 * connection; or -EAGAIN if it cannot be tried now.  Not while it is busy. */
int connection_call(struct mc_ctx *, struct link *link, struct connection_job *job, mc_time limit);
