/* SPDX-License-Identifier: MIT */
/* Limits that the system sets to a process. */
#pragma once

/* Raises the limit of open files to the most that is allowed.  The usual 1,024
 * are there for programs that call select(), which nothing here does; each
 * sender of an aggregator is a connection, and so one of them. */
void limits_raise_files(void);
