/* SPDX-License-Identifier: MIT */
/* Requests that a receiver has refused for good, as files for a person to look
 * at: the newest of them, in a folder of their own. */
#ifndef FORWARD_QUARANTINE_H
#define FORWARD_QUARANTINE_H

#include <stddef.h>

#include <collector/plugin.h>

struct quarantine {
	char *folder;   /* Owned; in the working directory, BaseDir. */
	size_t len_max; /* Files; 0: none are kept. */
	unsigned len;   /* Names that were tried. */
};

/* The folder is made when it is needed. */
void quarantine_init(struct quarantine *, const char *instance, size_t len_max);
void quarantine_done(struct quarantine *);

/* Keeps the body of a request to that path, and removes the oldest if there are
 * too many.  0; -ENOENT: none are kept; else another negative errno. */
int quarantine_keep(struct quarantine *, mc_time now, const char *path,
		    const void *body, size_t size);

#endif
