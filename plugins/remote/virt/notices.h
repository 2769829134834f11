/* SPDX-License-Identifier: MIT */
/* Notifications about guests.  A message is a sentence, then what programs look
 * for: key=value, which are the fields of the notification as well. */
#ifndef VIRT_NOTICES_H
#define VIRT_NOTICES_H

#include <libvirt/libvirt.h>

#include <collector/plugin.h>

struct guest;

struct notices_threshold {       /* That was passed, by so many bytes. */
	const char *disk, *path; /* 'path' may be NULL. */
	unsigned long long threshold, excess;
};

/* Of events; the instance is in use until they return.  Any thread. */
void notices_lifecycle(struct mc_ctx *, virDomainPtr domain, int event,
		       int detail);
void notices_metadata(struct mc_ctx *, virDomainPtr domain, int type,
		      const char *uri);
void notices_job(struct mc_ctx *, virDomainPtr domain,
		 const virTypedParameter *params, int params_len);
void notices_block_job(struct mc_ctx *, virDomainPtr domain, const char *disk,
		       int type, int status);
void notices_threshold(struct mc_ctx *, virDomainPtr domain,
		       const struct notices_threshold *);
void notices_io_error(struct mc_ctx *, virDomainPtr domain, const char *path,
		      const char *alias, const char *reason);
void notices_watchdog(struct mc_ctx *, virDomainPtr domain, int action);

/* Of the reader. */
void notices_state(struct mc_ctx *, const struct guest *guest);
/* A threshold was passed, and no event told. */
void notices_passed(struct mc_ctx *, const struct guest *guest,
		    const struct notices_threshold *);
void notices_stuck(struct mc_ctx *, const struct guest *guest);

#endif
