/* SPDX-License-Identifier: MIT */
/* Typed parameters of libvirt's bulk statistics, as numbers in places. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libvirt/libvirt.h>

/* No guest has more disks, interfaces or processors; further ones are not believed and left out. */
#define DECODE_DEVICES_MAX 4096
#define DECODE_NAME_MAX 1023 /* Longest name or path that is taken. */

enum decode_guest_field {
	GUEST_STATE,
	GUEST_REASON,
	GUEST_CPU_TIME,        /* ns */
	GUEST_CPU_USER,        /* ns */
	GUEST_CPU_SYSTEM,      /* ns */
	GUEST_BALLOON_CURRENT, /* KiB, as all of the balloon */
	GUEST_SWAP_IN,
	GUEST_SWAP_OUT,
	GUEST_MAJOR_FAULTS, /* faults, not KiB */
	GUEST_MINOR_FAULTS,
	GUEST_UNUSED,
	GUEST_AVAILABLE,
	GUEST_USABLE,
	GUEST_DISK_CACHES,
	GUEST_RSS,
	GUEST_FIELDS
};

enum decode_disk_field {
	DISK_RD_REQUESTS,
	DISK_RD_BYTES,
	DISK_RD_TIMES, /* ns */
	DISK_WR_REQUESTS,
	DISK_WR_BYTES,
	DISK_WR_TIMES, /* ns */
	DISK_FL_REQUESTS,
	DISK_FL_TIMES,   /* ns */
	DISK_ALLOCATION, /* bytes: the highest offset written to */
	DISK_CAPACITY,   /* bytes */
	DISK_PHYSICAL,   /* bytes */
	DISK_THRESHOLD,  /* bytes; absent unless armed */
	DISK_BACKING,    /* depth in the chain, with the flag BACKING */
	DISK_FIELDS
};

enum decode_nic_field {
	NIC_RX_BYTES,
	NIC_RX_PACKETS,
	NIC_RX_ERRORS,
	NIC_RX_DROPPED,
	NIC_TX_BYTES,
	NIC_TX_PACKETS,
	NIC_TX_ERRORS,
	NIC_TX_DROPPED,
	NIC_FIELDS
};

enum decode_vcpu_field {
	VCPU_TIME,  /* ns */
	VCPU_WAIT,  /* ns: blocked on I/O */
	VCPU_DELAY, /* ns: ready to run, but not running ("CPU ready") */
	VCPU_FIELDS
};

/* One disk, interface or virtual processor.  'known' has a bit for each field that has a value. */
struct decode_device {
	unsigned index;   /* In the names: "block.INDEX.rd.reqs". */
	const char *name; /* "vda", "vnet0"; NULL: unknown. */
	const char *path; /* Path of a disk's image; NULL: unknown. */
	uint32_t known;
	uint64_t values[DISK_FIELDS]; /* The kind with most fields. */
};

struct decode_devices {
	struct decode_device *items;
	size_t len, size; /* Used, allocated. */
};

struct decode_extra {      /* A number that no field above stands for. */
	const char *field; /* "dirtyrate.calc_status" */
	bool counts;       /* Only grows: the name ends with ".sum". */
	double value;
};

/* The content of one record.  Strings point into its parameters. */
struct decode {
	uint32_t known; /* A bit for each field. */
	uint64_t values[GUEST_FIELDS];
	struct decode_devices disks, nics, vcpus;
	struct decode_extra *extras;
	size_t extras_len, extras_size; /* Used, allocated. */
};

static inline bool decode_knows(uint32_t known, unsigned field)
{
	return (known & (UINT32_C(1) << field)) != 0;
}

/* Replaces what 'decode', at first all zero, says by what 'params' say.  They
 * may say anything: values of a wrong type, negative where that makes no
 * sense, or with names that are not ended are left out. */
void decode_params(struct decode *decode, const virTypedParameter *params, size_t params_len);

/* Adds what further 'params' of the same guest say, which must live as long. */
void decode_add(struct decode *decode, const virTypedParameter *params, size_t params_len);

/* Frees what decode_params() has allocated. */
void decode_done(struct decode *decode);
