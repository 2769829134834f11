/* SPDX-License-Identifier: MIT */
/* FORGET ends series that were taken out of service, SCAN finds those that have ended; their files
 * lie on a disk. */
#pragma once

#include "errands.h"

/* The errand for series that match the glob, which is copied. */
struct errand *past_forget(const char *glob, bool files);

/* The one for series that writers have files of. */
struct errand *past_scan(void);

/* Names of series that have ended, of those with that label (NULL: any), each with the writers that
 * have values of it; as many as can be asked in ten seconds. */
struct errand *past_keepers(const char *glob, const char *label);
