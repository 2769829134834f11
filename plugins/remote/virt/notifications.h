/* SPDX-License-Identifier: MIT */
/* Notifications about guests.  A message is a sentence, then what programs look
 * for: key=value, which are the fields of the notification as well. */
#pragma once

#include <libvirt/libvirt.h>

#include <collector/plugin.h>

struct guest;

struct notifications_threshold { /* The threshold that was passed, by this number of bytes. */
	const char *disk, *path; /* 'path' may be NULL. */
	unsigned long long threshold, excess;
};

/* Of events; the instance is in use until they return.  Thread: any. */
void notifications_lifecycle(struct mc_ctx *, virDomainPtr domain, int event, int detail);

/* A guest that stops otherwise than by a crash is expected to be silent, until it starts again. */
void notifications_end(struct mc_ctx *, virDomainPtr domain, int event, int detail);
void notifications_metadata(struct mc_ctx *, virDomainPtr domain, int type, const char *uri);
void notifications_job(struct mc_ctx *, virDomainPtr domain, const virTypedParameter *params,
		       int params_len);
void notifications_block_job(struct mc_ctx *, virDomainPtr domain, const char *disk, int type,
			     int status);
void notifications_threshold(struct mc_ctx *, virDomainPtr domain,
			     const struct notifications_threshold *);
void notifications_io_error(struct mc_ctx *, virDomainPtr domain, const char *path,
			    const char *alias, const char *reason);
void notifications_watchdog(struct mc_ctx *, virDomainPtr domain, int action);

/* Of the reader. */
void notifications_state(struct mc_ctx *, const struct guest *guest);
/* A threshold was passed without an event. */
void notifications_passed(struct mc_ctx *, const struct guest *guest,
			  const struct notifications_threshold *);
void notifications_stuck(struct mc_ctx *, const struct guest *guest);
