/* SPDX-License-Identifier: MIT */
/* Pictures of histories, as the plugin web asks for them. */
#pragma once

#include <stdio.h>

struct mc_ctx;

/* "[HOST/]PLUGIN/TYPE SECONDS WIDTHxHEIGHT TITLE": draws what memory has of the
 * series since so many seconds, as the feed, into the file "picture", and prints
 * its size in pixels.  The first time the series begins to be remembered. */
void draw(struct mc_ctx *feed, char *words, FILE *out);
