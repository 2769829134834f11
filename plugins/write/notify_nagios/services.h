/* SPDX-License-Identifier: MIT */
/* Services that Nagios takes passive results of, as its object cache lists them: the file that it
 * writes at each start, with its objects in the language of its configuration (Nagios Core, "Object
 * Definitions").  Thread: one at a time. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include <collector/kit/map.h>
#include <collector/plugin.h>

struct services {
	struct mc_map all;
	bool known;            /* The file was read. */
	struct timespec taken; /* Time of the file, */
	ino_t inode;           /* and its number. */
	off_t size;
	mc_time look; /* Monotonic: when the file is looked at again. */
	int fault;    /* The result of the last look. */
};

/* Reads the file if it is another one than before; looks at it every five seconds at most.  0, or
 * the negative errno of the last look; services that were read before stay. */
int services_renew(struct services *, const char *path, mc_time now);

/* Whether there is such a service; true if none is known, as there was no file. */
bool services_has(const struct services *, const char *host, const char *service);

void services_done(struct services *);
