/* SPDX-License-Identifier: MIT */
/* The text that the daemon of hddtemp(8) sends: for each disk "|/dev/sda|MODEL|39|C|". */
#pragma once

#include <stdbool.h>

struct answer_disk {
	const char *name; /* "sda"; lives as long as the text. */
	double celsius;   /* NaN: the disk sleeps, or has no sensor. */
};

/* Takes the next disk, and moves '*at' past it; the text is changed.  False at the end, or where
 * it is no answer: then '**at' is not '\0'. */
bool answer_next(char **at, struct answer_disk *disk);
