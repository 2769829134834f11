/* SPDX-License-Identifier: MIT */
/* Disks of guests for tests, under a clock of their own: what they do in an interval, and who is
 * named at its end. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "disks.h"

#define NOISY_HERE "host1"

static const struct contention_rule noisy_rule = { .latency_min = 0.01, .factor = 4, .hits = 2 };

struct noisy_lab {
	struct disks disks;
	mc_time now, interval;
	unsigned bad, ended; /* News of the last interval. */
	enum contention_measure measure;
	char victim[64], names[256];
	double part;
};

static inline void noisy_begin(struct noisy_lab *lab)
{
	memset(lab, 0, sizeof(*lab));
	lab->interval = 10 * MC_SECOND;
	lab->now = 1000 * MC_SECOND;
}

static inline struct disk *noisy_add(struct noisy_lab *lab, const char *guest, const char *name,
				     const char *storage)
{
	struct disk *disk = disks_have(&lab->disks, guest, "", name);

	disk->used |= 1U << DISKS_OPS | 1U << DISKS_OCTETS | 1U << DISKS_TIME;
	disks_place(&lab->disks, disk, NOISY_HERE, storage);
	return disk;
}

static inline void noisy_take(struct noisy_lab *lab, struct disk *disk, enum disks_kind kind,
			      double read, double written)
{
	const struct disks_value value = { lab->now, lab->interval, { read, written } };

	disks_take(&lab->disks, &disk->slots[kind], &value, lab->now);
}

/* An interval of a disk: requests and bytes a second, and milliseconds a request. */
static inline void noisy_run(struct noisy_lab *lab, struct disk *disk, double requests,
			     double bytes, double ms)
{
	noisy_take(lab, disk, DISKS_OPS, requests / 2, requests / 2);
	noisy_take(lab, disk, DISKS_OCTETS, 0, bytes);
	noisy_take(lab, disk, DISKS_TIME, 0, requests * ms * 1e6);
}

static inline void noisy_show(void *argument, const struct disks_news *news)
{
	struct noisy_lab *lab = argument;

	if (news->names_len == 0) {
		lab->ended++;
		return;
	}
	lab->bad++;
	lab->measure = news->measure;
	lab->part = news->names[0].part;
	snprintf(lab->victim, sizeof(lab->victim), "%s", news->disk->guest->host);
	lab->names[0] = '\0';
	for (size_t i = 0; i < news->names_len; i++) {
		size_t len = strlen(lab->names);

		snprintf(lab->names + len, sizeof(lab->names) - len, "%s ", news->names[i].host);
	}
}

static inline void noisy_end_interval(struct noisy_lab *lab)
{
	lab->bad = lab->ended = 0;
	disks_judge(&lab->disks, &noisy_rule, lab->now, noisy_show, lab);
	lab->now += lab->interval;
}

static inline void noisy_end(struct noisy_lab *lab)
{
	struct disks_guest *guest;

	while ((guest = (struct disks_guest *)mc_map_next(&lab->disks.guests, NULL)) != NULL)
		for (size_t len = guest->len; len > 0; len--) {
			struct disk *disk = guest->first;

			disk->used = 1;
			disks_release(&lab->disks, &disk->slots[0]);
		}
	assert_int_equal(lab->disks.len, 0);
	assert_int_equal(lab->disks.storages.len, 0);
}
