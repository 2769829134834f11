/* SPDX-License-Identifier: MIT */
/* The disks of guests, by the storage that they are on, and which of them wait for which guests.
 * It knows no series: disks_writer.h fills it.
 *
 * Values of a disk come one by one; those of one time belong together.  disks_judge() then looks at
 * disks whose values are whole, beside the last values of the others on their storage: these may
 * be measured by other hosts, at other times. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "contention.h"
#include "places.h"

enum disks_kind {                /* Series of a disk, by their type. */
		  DISKS_OPS,     /* Requests a second, read and written. */
		  DISKS_OCTETS,  /* Bytes a second. */
		  DISKS_TIME,    /* Nanoseconds of requests in a second. */
		  DISKS_LATENCY, /* Milliseconds a request; used where there is no time. */
};
#define DISKS_KINDS 4

struct disk;

struct disks_guest { /* By the host and plugin instance of its series. */
	struct mc_map_node node;
	unsigned number;
	size_t len;     /* Of disks. */
	mc_time placed; /* When it was last looked up where they are. */
	unsigned shown; /* In which judgement a disk of it was shown to wait. */
	struct disk *first;
	const char *host, *instance;
	char key[];
};

struct disks_storage {
	struct mc_map_node node;
	struct disk **disks;
	size_t len, room;
	struct contention_view *view; /* In disks_judge(). */
	const char *name;             /* For people. */
	char key[];
};

struct disks_slot { /* Of a series of the disk. */
	struct disk *disk;
	enum disks_kind kind;
};

struct disk {
	struct disks_guest *guest;
	struct disk *previous, *next;  /* Of the guest. */
	struct disks_storage *storage; /* NULL: unknown. */
	size_t index;                  /* There. */
	unsigned used;                 /* Bits of slots. */
	struct disks_slot slots[DISKS_KINDS];
	struct {
		mc_time time;
		double pair[2];
	} values[DISKS_KINDS];  /* The last ones; rates. */
	mc_time interval, seen; /* Of the values; when they came, by mc_now(). */
	mc_time whole;          /* Time of the values that 'state' has. */
	bool is_touched;
	struct disk *touched; /* The next one. */
	struct contention_disk state;
	struct contention_verdict verdict;
	char name[];
};

struct disks { /* All zero: empty. */
	struct mc_map guests, storages;
	struct disk *touched;
	size_t len;
	unsigned last_number;
	unsigned judgements;
};

struct disks_name { /* Of a guest that takes most of a storage. */
	const char *host, *instance;
	double part;
};

struct disks_news { /* About a disk that waits, or the last one of its guest that did. */
	const struct disk *disk;
	enum contention_measure measure;
	size_t names_len; /* 0: its guest does not wait any more. */
	struct disks_name names[CONTENTION_SHARES_MAX];
};

typedef void disks_show(void *argument, const struct disks_news *);

/* The disk of that name of the guest, made if it is new. */
struct disk *disks_have(struct disks *, const char *host, const char *instance, const char *name);

/* It has no such series any more; it ends with the last one, and the tables with the last disk. */
void disks_release(struct disks *, struct disks_slot *);

/* Sets on which storage it is, as places.h finds it; "": unknown.  A disk that is on another one
 * than before begins anew; if it waited, it does until its values there show otherwise. */
void disks_place(struct disks *, struct disk *, const char *hypervisor, const char *storage);

struct disks_value {
	mc_time time, interval; /* Of its sample. */
	double pair[2];         /* Read and written. */
};

/* Takes a value; 'now' is mc_now(). */
void disks_take(struct disks *, const struct disks_slot *, const struct disks_value *, mc_time now);

/* Its values ended: it begins anew.  Whether its guest waited, and does not any more. */
bool disks_end(struct disk *);

/* Judges what was taken, and shows one disk of each guest that waits because of others, or did. */
void disks_judge(struct disks *, const struct contention_rule *, mc_time now, disks_show *show,
		 void *argument);
