/* SPDX-License-Identifier: MIT */
/* A series selector of Prometheus: collectd_load{instance=~"vm.*",type!="x"}.  One thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SELECTOR_MATCHERS_MAX 16
#define SELECTOR_WHY 160

struct selector;

/* NULL, and the reason, if it is invalid. */
struct selector *selector_new(const char *text, char why[SELECTOR_WHY]);
void selector_free(struct selector *); /* NULL is fine. */

/* 'value' says what a label is, "" if it is not there; that of the metric's name is "__name__". */
bool selector_matches(const struct selector *,
		      const char *(*value)(const void *argument, const char *label),
		      const void *argument);
