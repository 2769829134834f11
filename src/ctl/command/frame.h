/* SPDX-License-Identifier: MIT */
/* One frame of top: text from two overviews and the busiest series. */
#pragma once

#include <stdio.h>

#include "ctl/answer/busy.h"
#include "ctl/answer/overview.h"
#include "ctl/ctl.h"

enum frame_order { FRAME_BY_CPU, FRAME_BY_VALUES, FRAME_BY_NAME };

struct frame {
	const struct ctl *ctl;
	/* Differences between them are shown per second. */
	const struct overview *before, *now;
	const struct busy *busy;
	enum frame_order order;
	enum busy_order series_order;
	unsigned width, height; /* 0: as large as it gets. */
	bool keys;              /* The last line says what can be pressed. */
	/* CPU seconds that libvirtd used for us, and in how many seconds; 0: unknown. */
	double induced, induced_time;
	uint64_t lost; /* Samples that we were too slow for. */
};

void frame_print(const struct frame *, FILE *);

/* The same as JSON. */
void frame_json(const struct frame *, FILE *);
