/* SPDX-License-Identifier: MIT */
/* The interval of a metric, as it is written: metadata of the metric. */
#pragma once

#include <stddef.h>

#include <collector/plugin.h>

#define OTLP_INTERVAL_SIZE 48

struct otlp_interval { /* The last one, which nearly all metrics have.  All zero: none. */
	mc_time interval;
	size_t size; /* Of its bytes, which are at the end of these. */
	unsigned char bytes[OTLP_INTERVAL_SIZE];
};

/* Writes that, before 'at', as protobuf.h. */
unsigned char *otlp_interval_put(unsigned char *at, struct otlp_interval *, mc_time interval);
