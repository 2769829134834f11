/* SPDX-License-Identifier: MIT */
/* rrd relayout: new files of another layout from those of a tree. */
#pragma once

struct ctl;

/* argv: relayout DIRECTORY LAYOUT; an exit code. */
int relayout_run(const struct ctl *, int argc, char **argv);
