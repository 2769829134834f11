/* SPDX-License-Identifier: MIT */
/* Disks that grow: at high water a program is asked to extend one, and the size is looked at when
 * it has ended.
 *
 * A thread of its own runs the programs: never two for one disk, and no more than ExtendLimit; it
 * waits for none of them, nor for libvirt (extend_look.h).  A program that fails is run again,
 * after a time that doubles, as long as the disk is beyond its watermark. */
#pragma once

#include <collector/kit/command.h>
#include <collector/plugin.h>

#include "guests.h"
#include "threshold.h"

struct extend_look;
struct extender;

/* A disk was extended, and its next threshold is set. */
typedef void extend_done(struct mc_ctx *, const struct extend_look *);

struct extend_rule { /* A block <Extend>. */
	struct mc_command_words words;
	const char *guests, *disks; /* Globs. */
	int64_t step;               /* Bytes by which a disk grows at least, ... */
	double percent;             /* ... and this part of its size. */
	mc_time time_max, retry;    /* Of a program; the longest wait until it is run again. */
};
extern const struct mc_block extend_block;

struct extend_disk { /* One that is beyond its watermark. */
	unsigned char uuid[VIR_UUID_BUFLEN];
	char uuid_text[VIR_UUID_STRING_BUFLEN];
	const char *guest, *host, *instance; /* Copied. */
	const char *disk, *path;
	uint64_t size; /* Bytes, of the last read. */
	bool by_event; /* Not by a read, which may know less than the extender. */
	struct watermark_rule mark;
};

/* Reports mistakes in the blocks. */
void extend_check(struct mc_ctx *, const struct mc_blocks *rules);

/* NULL without rules.  'rules' lives as long.  0, or what mc_fail() returned; extend_free() follows
 * in any case. */
int extend_new(struct mc_ctx *, const struct mc_blocks *rules, size_t running_max,
	       extend_done *done, struct extender **extender);
void extend_free(struct extender *); /* NULL is fine. */

/* Begins and ends its thread; run()'s. */
int extend_begin(struct extender *);
void extend_end(struct extender *);

/* Has a disk extended that is beyond its watermark, if a rule is for it; costs little if that is
 * under way.  NULL is fine.  Thread: any. */
void extend_ask(struct extender *, const struct extend_disk *);
