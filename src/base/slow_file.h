/* SPDX-License-Identifier: MIT */
/* Files that may never answer, such as those of a server that is gone: tried on a helper thread
 * before they are read. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/timed_calls.h"

/* Reads the file, or lists the folder, to its end, and fills 'status', which may be NULL.  Waits
 * five seconds, and half a second while another file of these calls hangs, so that many that hang
 * cost hardly more than one.  Returns 0 or -errno; -ESPIPE: it is a pipe.  Thread: any. */
int slow_file_try(struct timed_calls *, const char *path, struct stat *status);

/* Whether it has not answered in time, or was not asked because too many have not. */
bool slow_file_hangs(int rc);

/* In words, such as "it does not answer". */
const char *slow_file_reason(int rc);
