/* SPDX-License-Identifier: MIT */
/* The calls to libvirt that reads make, each to be run by connection_call(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libvirt/libvirt.h>

#include "connection.h"
#include "describe.h"
#include "guest_limits.h"
#include "histogram.h"
#include "names.h"

/* --- Statistics of all guests, or of some --------------------------------- */

struct calls_bulk {
	struct connection_job job;
	unsigned groups;                  /* VIR_DOMAIN_STATS_... */
	unsigned spared;                  /* Of these, also not asked of the quiet guests. */
	bool waits;                       /* For guests that another call holds. */
	virDomainStatsRecordPtr *records; /* Until the job is freed. */
	size_t records_len;
	/* Of those guests but the quiet ones, VIR_DOMAIN_STATS_BLOCK and what is spared, in the
	 * order of records[], or NULL; NULL: it is in records[], if it was asked for. */
	virDomainStatsRecordPtr *disks;
	virDomainStatsRecordPtr *disk_records;   /* The same, without gaps. */
	unsigned char (*quiet)[VIR_UUID_BUFLEN]; /* Guests whose disks are not asked for, */
	size_t quiet_len;                        /* or 0. */
	unsigned host_cpus;                      /* Of the machine with the guests. */
	size_t only_len;                         /* 0: all guests. */
	unsigned char only[][VIR_UUID_BUFLEN];
};

struct calls_bulk *calls_bulk_new(unsigned groups, bool waits, size_t only_len);

/* Adds a guest whose disks are not to be asked for; at most quiet_max. */
void calls_bulk_omit(struct calls_bulk *bulk, const unsigned char uuid[VIR_UUID_BUFLEN],
		     size_t quiet_max);

/* --- What guests are ------------------------------------------------------ */

struct calls_item {
	unsigned char uuid[VIR_UUID_BUFLEN];
	bool found; /* Else it was gone, and the rest is zero. */
	bool persistent;
	struct describe xml;       /* Of a guest that runs. */
	struct limits limits;      /* The same, if they are wanted. */
	char metadata[NAMES_SIZE]; /* Of HostnameMetadataXPath. */
	unsigned char *pins;       /* vcpus_len maps of pins_size bytes. */
	unsigned vcpus_len, pins_size;
};

struct calls_describe {
	struct connection_job job;
	char *metadata_ns, *metadata_xpath; /* NULL: not wanted. */
	bool pins, limits;                  /* Wanted; the latter is the caller's to set. */
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
	mc_time until;  /* Guests that are not reached by then are left out. */
	size_t reached; /* How many were asked. */
	struct calls_fact *facts;
	size_t facts_len, facts_size; /* Used, allocated. */
	size_t only_len;
	struct calls_one {
		unsigned char uuid[VIR_UUID_BUFLEN];
		unsigned extra; /* Of EXTRA_DISK_ERR, _JOB_..., _FS_INFO, _HISTOGRAM. */
		bool runs;      /* Its agent may answer. */
		/* How many disks had refused histograms; the result of monitor_histograms(). */
		size_t refused;
		struct histogram_disks disks;
		int rc;
	} only[];
};

struct calls_each *calls_each_new(size_t only_len, mc_time until);

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
