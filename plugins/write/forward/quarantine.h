/* SPDX-License-Identifier: MIT */
/* Requests that a receiver has refused for good, as files for a person to look at: the newest of
 * them, in a folder of their own.  One thread at a time. */
#pragma once

#include <collector/plugin.h>

struct quarantine {
	char *folder;       /* "INSTANCE.refused", in BaseDir; owned. */
	const char *suffix; /* Of the files: ".otlp". */
	size_t len_max;     /* Files; 0: none are kept. */
	unsigned len;       /* Names that were tried. */
};

/* The folder is made when it is needed.  'suffix' is not copied. */
void quarantine_init(struct quarantine *, const char *instance, const char *suffix, size_t len_max);
void quarantine_done(struct quarantine *);

/* Keeps a request, in a file whose name has the time 'wall' and the part after the last '/' of
 * 'path', and removes the oldest if there are too many.  0; -ENOENT: none are kept; else another
 * negative errno. */
int quarantine_keep(struct quarantine *, mc_time wall, const char *path, const void *body,
		    size_t size);
