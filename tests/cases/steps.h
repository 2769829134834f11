/* SPDX-License-Identifier: MIT */
/* The steps of a case, its file "peer", one a line; CONTRIBUTING.md lists them.  After each,
 * everything is given the time to do all that it can, and what is seen of that is printed below the
 * step.  The folder of places.h is the current one meanwhile. */
#pragma once

#include <stdio.h>

struct stage;

/* Runs them, and at last stops and frees the stage. */
void steps_run(struct stage *, FILE *script);
