/* SPDX-License-Identifier: MIT */
/* kit/base/quarantine.h - requests that a receiver has refused for good, as files for a person to
 * look at: the newest of them, in a folder of their own.  In libkit.  One thread at a time. */
#pragma once

#include <collector/plugin.h>

/* The row of an option table. */
#define MC_REFUSED_OPTION(self, field)                                                             \
	{                                                                                          \
		"RefusedRequests", MC_OPT_INT(self, field),                                        \
			.default_value = "16",                                                     \
			.help = "Number of finally refused requests that are kept as files, the "  \
				"newest ones; 0: none.",                                           \
			.max = 10000                                                               \
	}

struct mc_quarantine {
	char *folder;       /* "INSTANCE.refused", in BaseDir; owned. */
	const char *suffix; /* Of the files: ".otlp". */
	size_t len_max;     /* Files; 0: none are kept. */
	unsigned len;       /* Names that were tried. */
};

/* The folder is made when it is needed.  'suffix' is not copied. */
void mc_quarantine_init(struct mc_quarantine *, const char *instance, const char *suffix,
			size_t len_max);
void mc_quarantine_done(struct mc_quarantine *);

/* Keeps a request, in a file whose name has the time 'wall' and the part after the last '/' of
 * 'path', and removes the oldest if there are too many.  0; -ENOENT: none are kept; else another
 * negative errno. */
int mc_quarantine_keep(struct mc_quarantine *, mc_time wall, const char *path, const void *body,
		       size_t size);
