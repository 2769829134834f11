/* SPDX-License-Identifier: MIT */
/* How busy and how full a host is, as its series say: a few figures that are the same for all
 * hosts, so that they can be compared.  Names of series are those of the plugins cpu, memory, df
 * and load, here as in collectd. */
#pragma once

#include <collector/control.h>

enum host_value {
	HOST_CPU,    /* Per cent of all processors that are not idle. */
	HOST_WAIT,   /* Per cent of the time in which they wait for a disk. */
	HOST_MEMORY, /* Per cent in use, without buffers and caches. */
	HOST_DISK,   /* Per cent in use of the fullest file system. */
	HOST_LOAD,   /* Of one minute. */
	HOST_VALUES_LEN,
};

#define HOST_FILE_SYSTEMS_MAX 64 /* Of a host; further ones are not looked at. */

/* Sums over the series of a host, in any order; NULL at first. */
struct host_sums;

/* Adds a series of the host and its last sample.  The series lives as long as the sums.
 * Thread: the owner's of the sums. */
void host_values_add(struct host_sums **, const struct mc_series *, const struct mc_latest *);

/* The figures, NaN where the host has none; frees the sums.  Thread: as above. */
void host_values_end(struct host_sums *, double values[HOST_VALUES_LEN]);
