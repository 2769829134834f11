/* SPDX-License-Identifier: MIT */
/* collectd's ignore lists: names, and regular expressions written "/.../".
 * The question itself, mc_selected(), is declared in <collector/option.h>. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/option.h>

/* 'next' is the owner's list of lists; returned by select_free(). */
struct mc_select *select_new(struct mc_select *next);
struct mc_select *select_free(struct mc_select *);

/* Adds an entry.  False if it is a regular expression that does not compile:
 * the reason is then written to 'reason'.  An empty entry is left out. */
bool select_add(struct mc_select *, const char *entry, char *reason, size_t reason_size);
