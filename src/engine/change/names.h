/* SPDX-License-Identifier: MIT */
/* Names of instances.  Each is kept once, until the engine is freed, so that it
 * outlives its instance, and two are the same if their addresses are. */
#pragma once

struct name;

struct names { /* All zero at first. */
	struct name *first;
};

const char *names_keep(struct names *, const char *text);
void names_done(struct names *);
