/* SPDX-License-Identifier: MIT */
/* The answer to LISTVAL. */
#pragma once

struct answer;
struct ctl;
struct peer;

/* Asks for the names of the series that match, of all if 'glob' is NULL; complains of anything but
 * an answer of success.  peer_answer_done() is due after CTL_OK only. */
int list_ask(const struct ctl *, struct peer *, const char *glob, struct answer *);

/* The name in a line of it, "TIME NAME", and the time, in seconds since 1970; NULL if the line is
 * invalid. */
const char *list_name(const char *line, double *time);
