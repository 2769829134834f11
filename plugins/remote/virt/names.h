/* SPDX-License-Identifier: MIT */
/* Words of the options HostnameFormat, PluginInstanceFormat and ExtraStats, and
 * the names that come of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

enum names_part {
	NAMES_NONE,
	NAMES_HOSTNAME, /* That of this machine. */
	NAMES_NAME,
	NAMES_UUID,
	NAMES_METADATA,
};

#define NAMES_PARTS_MAX 4

struct names_format {
	enum names_part parts[NAMES_PARTS_MAX];
	unsigned len;
};

struct names_guest { /* Strings may be NULL, except name and uuid. */
	const char *hostname, *name, *uuid, *metadata;
};

/* Reads formats such as "name uuid".  On failure 'unknown' gets the word that is not one of this
 * option, or "" if there are too many.  'host': whether it is HostnameFormat, which knows no
 * "none", or PluginInstanceFormat, which knows no "hostname". */
bool names_parse(struct names_format *format, struct mc_strings words, bool host, char *unknown,
		 size_t unknown_size);

/* Parts with ':' between them, cut as collectd cuts, control characters
 * replaced by '_'.  Empty if there are no parts, or none that says anything. */
#define NAMES_SIZE 128
void names_join(const struct names_format *format, const struct names_guest *guest,
		char out[NAMES_SIZE]);

/* Copies a name of libvirt's, cut, with control characters replaced by '_'. */
void names_clean(const char *name, char *out, size_t size);

/* --- ExtraStats ----------------------------------------------------------- */

enum names_extra { /* Bits. */
		   EXTRA_DISK = 1 << 0,
		   EXTRA_PCPU = 1 << 1,
		   EXTRA_CPU_UTIL = 1 << 2,
		   EXTRA_DOMAIN_STATE = 1 << 3,
		   EXTRA_PERF = 1 << 4,
		   EXTRA_VCPUPIN = 1 << 5,
		   EXTRA_DISK_ERR = 1 << 6,
		   EXTRA_FS_INFO = 1 << 7,
		   EXTRA_JOB_COMPLETED = 1 << 8,
		   EXTRA_JOB_BACKGROUND = 1 << 9,
		   EXTRA_DISK_ALLOCATION = 1 << 10,
		   EXTRA_DISK_CAPACITY = 1 << 11,
		   EXTRA_DISK_PHYSICAL = 1 << 12,
		   EXTRA_MEMORY = 1 << 13,
		   EXTRA_VCPU = 1 << 14,
		   /* Not in collectd: */
		   EXTRA_VCPU_DELAY = 1 << 15,
		   EXTRA_IOTHREAD = 1 << 16,
		   EXTRA_BANDWIDTH = 1 << 17,
		   EXTRA_DIRTYRATE = 1 << 18,
		   EXTRA_RESPONSIVE = 1 << 19,
		   EXTRA_DISK_LATENCY = 1 << 20,
		   EXTRA_LIMITS = 1 << 22,
		   /* No word, but the option LatencyHistogram: */
		   EXTRA_HISTOGRAM = 1 << 21,
};

/* Writes all words, with blanks between them, to 'out', which it returns. */
const char *names_extra_list(char *out, size_t size);

/* Reads words such as "disk pcpu" into bits.  On failure 'unknown' gets the
 * word that is not one. */
bool names_parse_extra(struct mc_strings words, unsigned *extra, char *unknown,
		       size_t unknown_size);
