/* SPDX-License-Identifier: MIT */
/* Which device has something to do first: a binary heap by 'wake'. */
#pragma once

#include "device.h"

struct agenda {
	struct device **items;
	size_t len;
};

/* All devices, in an array that lives as long. */
void agenda_init(struct agenda *, struct device *devices, size_t len);
void agenda_done(struct agenda *);

/* The device's 'wake' has changed. */
void agenda_moved(struct agenda *, struct device *);

static inline struct device *agenda_first(const struct agenda *agenda)
{
	return agenda->len > 0 ? agenda->items[0] : NULL;
}
