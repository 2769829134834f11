/* SPDX-License-Identifier: MIT */
/* Reads what the program of a module prints, line by line: collectd.py and collectd.pl say which
 * lines there are.  Pure functions. */
#pragma once

#include <collector/plugin.h>

enum reply_verb {
	REPLY_PLAIN, /* A line of the plain text protocol. */
	REPLY_DONE,
	REPLY_FAILED,
	REPLY_REGISTER,
	REPLY_UNREGISTER,
	REPLY_CONFIGURED,
	REPLY_LOG,
	REPLY_TYPE,
};

enum reply_kind { /* Of callbacks. */
		  REPLY_READ,
		  REPLY_WRITE,
		  REPLY_FLUSH,
		  REPLY_LOGGING,
		  REPLY_NOTIFICATION,
		  REPLY_KINDS,
};

struct reply {
	enum reply_verb verb;
	uint64_t number;      /* DONE, FAILED: of the request; CONFIGURED: of the
			       * block. */
	uint64_t count;       /* FAILED: the failure. */
	enum reply_kind kind; /* REGISTER, UNREGISTER. */
	mc_time interval;     /* REGISTER read; 0: that of the plugin. */
	enum mc_level level;  /* LOG. */
	const char *text;     /* FAILED: why; of a read its callback; LOG; TYPE:
			       * its name.  Lies in the line. */
};

/* Reads a line; false, and 'reply' is undefined, if it is invalid. */
bool reply_read(const char *line, struct reply *reply);
