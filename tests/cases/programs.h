/* SPDX-License-Identifier: MIT */
/* Programs as peers: "sh -c COMMAND" in the folder of the case. */
#pragma once

#include <stdio.h>

struct programs;

/* 'folder' is where they start. */
struct programs *programs_new(const char *folder);

/* Ends those that still run. */
void programs_free(struct programs *);

/* Runs a command to its end and prints its output, each line after "| ", and
 * its status if it is not 0. */
void programs_run(struct programs *, const char *command, FILE *out);

/* Begins one that runs beside the case. */
void programs_begin(struct programs *, const char *command);
