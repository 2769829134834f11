/* SPDX-License-Identifier: MIT */
/* The answer to LISTVAL. */
#ifndef COLLECTOR_CTL_ANSWER_LIST_H
#define COLLECTOR_CTL_ANSWER_LIST_H

/* The name in a line of it, "TIME NAME", and the time, in seconds since 1970;
 * NULL if the line is none. */
const char *list_name(const char *line, double *time);

#endif
