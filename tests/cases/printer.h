/* SPDX-License-Identifier: MIT */
/* Writers that print what a plugin makes of its input. */
#pragma once

#include <stdio.h>

#define PRINTER_HOST "host" /* This host: it is left out of names. */

struct engine;

/* Adds one under that name: every sample, "plugin/type value", or every
 * notification, "SEVERITY: message", becomes a line. */
void printer_of_samples(struct engine *, const char *name, FILE *out);
void printer_of_notifications(struct engine *, const char *name, FILE *out);
