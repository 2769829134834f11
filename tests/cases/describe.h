/* SPDX-License-Identifier: MIT */
/* What is known of a series beside its values: its metric, labels and metadata. */
#pragma once

#include <stdio.h>

struct mc_ctx;

/* "[HOST/]PLUGIN/TYPE": prints, as the feed, what its sender calls it, its labels and those of
 * its host, and unit and label of its first source. */
void describe(struct mc_ctx *feed, const char *words, FILE *out);
