/* SPDX-License-Identifier: MIT */
/* The calls to libvirt that reads make, each to be run by connection_call(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libvirt/libvirt.h>

#include "connection.h"
#include "describe.h"
#include "names.h"

/* --- Statistics of all guests, or of some --------------------------------- */

struct calls_bulk {
	struct connection_job job;
	unsigned groups;                  /* VIR_DOMAIN_STATS_... */
	bool waits;                       /* For guests that another call holds. */
	virDomainStatsRecordPtr *records; /* Until the job is freed. */
	size_t records_len;
	unsigned host_cpus; /* Of the machine with the guests. */
	size_t only_len;    /* 0: all guests. */
	unsigned char only[][VIR_UUID_BUFLEN];
};

struct calls_bulk *calls_bulk_new(unsigned groups, bool waits, size_t only_len);

/* --- What guests are ------------------------------------------------------ */

struct calls_item {
	unsigned char uuid[VIR_UUID_BUFLEN];
	bool found; /* Else it was gone, and the rest is zero. */
	bool persistent;
	struct describe xml;       /* Of a guest that runs. */
	char metadata[NAMES_SIZE]; /* Of HostnameMetadataXPath. */
	unsigned char *pins;       /* vcpus_len maps of pins_size bytes. */
	unsigned vcpus_len, pins_size;
};

struct calls_describe {
	struct connection_job job;
	char *metadata_ns, *metadata_xpath; /* NULL: not wanted. */
	bool pins;                          /* Wanted. */
	mc_time until; /* Guests not reached by then are left as they are, ... */
	bool ended;    /* ... and this says so. */
	size_t items_len;
	struct calls_item items[];
};

struct calls_describe *calls_describe_new(size_t items_len, const char *ns, const char *xpath,
					  bool pins, mc_time until);

/* --- Calls of libvirt about one guest at a time ---------------------------- */

enum calls_kind { CALLS_DISK_ERROR, CALLS_JOB, CALLS_FILE_SYSTEM };

struct calls_fact {
	size_t guest; /* Index in only[]. */
	enum calls_kind kind;
	char name[VIR_TYPED_PARAM_FIELD_LENGTH]; /* Disk, or field. */
	char text[512];                          /* For a notification, if not "". */
	int64_t number;
};

struct calls_each {
	struct connection_job job;
	unsigned extra; /* Of EXTRA_DISK_ERR, _JOB_..., _FS_INFO. */
	mc_time until;  /* Guests that are not reached by then are left out. */
	size_t reached; /* How many were asked. */
	struct calls_fact *facts;
	size_t facts_len, facts_size; /* Used, allocated. */
	size_t only_len;
	struct calls_one {
		unsigned char uuid[VIR_UUID_BUFLEN];
		bool runs; /* Its agent may answer. */
	} only[];
};

struct calls_each *calls_each_new(unsigned extra, size_t only_len, mc_time until);

/* Whether an int64_t holds it; not for NaN. */
static inline bool calls_is_number(double value)
{
	return value > -9e18 && value < 9e18;
}

/* Frees a job of any kind; NULL is fine. */
void calls_free(struct connection_job *job);

/* A reply of libvirt takes 96 bytes for each value of each guest, on the heap
 * of the helper thread, for a moment: gives back to the system what was freed,
 * but at the end of a heap, of which the daemon keeps little. */
void calls_tidy(void);
