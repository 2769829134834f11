/* SPDX-License-Identifier: MIT */
/* The command line of collectord. */
#pragma once

#include <stdbool.h>

enum mode {                 /* Bits, so that a phase can say in which modes it takes part. */
	    MODE_RUN = 1,   /* Collect until a stop is requested. */
	    MODE_TEST = 2,  /* -t: judge the configuration. */
	    MODE_CYCLE = 4, /* -T: read once and print. */
	    MODE_SHOW = 8,  /* Print what is known about plugins. */
};

enum show { SHOW_LIST, SHOW_DESCRIBE, SHOW_MANUAL, SHOW_EXAMPLE };

struct arguments { /* All strings are those of argv, or constants. */
	enum mode mode;
	enum show show;         /* In MODE_SHOW: what. */
	const char *subject;    /* The plugin to describe, or NULL. */
	const char *prose;      /* File with the words of a manual, or NULL. */
	const char *config;     /* Path. */
	const char *plugin_dir; /* NULL: as the configuration says. */
	const char *pid_file;   /* NULL: as the configuration says. */
	bool keep_folders;      /* BaseDir is not made. */
	bool foreground;
	bool strict;         /* Warnings are errors. */
	bool under_unit;     /* Paths are judged as the unit leaves them. */
	const char *unit;    /* NULL: the one that is installed. */
	bool beside;         /* Starts beside another daemon. */
	bool shadow;         /* Writes nowhere and does not listen. */
	bool no_environment; /* Files, users and ports are not looked at. */
};

/* Fills in what the command line says.  Returns -1 to go on, or the exit status
 * when there is nothing left to do: help and version are printed to standard
 * output, what is wrong to standard error (64, EX_USAGE). */
int arguments_parse(struct arguments *, int argc, char **argv);
