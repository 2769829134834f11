/* SPDX-License-Identifier: MIT */
/* How a unit of systemd has ended, in words.  Pure functions. */
#pragma once

#include <stddef.h>

struct outcome {
	char result[32]; /* "exit-code"; "": unknown. */
	int code;        /* CLD_EXITED and so on, of its main process; 0: none. */
	int status;      /* Exit status, or number of the signal. */
};

/* Writes "nginx.service has failed: exit-code, status 1/FAILURE", cut at 'size' bytes. */
void outcome_text(const struct outcome *, const char *unit, char *text, size_t size);
