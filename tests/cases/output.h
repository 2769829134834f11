/* SPDX-License-Identifier: MIT */
/* What a plugin writes to standard output, to standard error or by syslog(3)
 * becomes the files "stdout", "stderr" and "syslog" of a folder. */
#pragma once

/* Reports of sanitizers stay where they are. */
void output_divert(const char *folder);
void output_restore(void);

/* The descriptor of standard error, as it was before. */
int output_error(void);
