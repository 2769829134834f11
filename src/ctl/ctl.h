/* SPDX-License-Identifier: MIT */
/* The context of every command of collectorctl, and how it asks and complains. */
#pragma once

#include <stdbool.h>

#include <collector/plugin.h>

#include "ctl/answer/peer.h"

/* Exit codes; those of sysexits(3) where there is one. */
enum ctl_exit {
	CTL_OK = 0,
	CTL_FAILED = 1,       /* The collector refused, or found nothing. */
	CTL_DIFFERS = 3,      /* Two daemons do not have the same. */
	CTL_USAGE = 64,       /* Wrong arguments. */
	CTL_UNAVAILABLE = 69, /* No collector answers. */
};

/* Where the configuration of the packages has it, and the default of the plugin
 * unixsock: the first that is there. */
#define CTL_SOCKET_OWN "/run/collector/unixsock"
#define CTL_SOCKET "/var/run/collectd-unixsock"

/* BaseDir and JournalDir have these defaults. */
#define CTL_JOURNAL "/var/lib/collector/journal"

#define CTL_LINE_SIZE 8192 /* Size of a request. */

#define CTL_NS 1e-9 /* Seconds. */

#define CTL_TIMEOUT (5 * MC_SECOND) /* --timeout, if it is not given. */

#define CTL_TIMEOUT_FILES (600 * MC_SECOND) /* The same where many files are looked at. */

struct ctl {
	const char *socket;
	mc_time timeout; /* How long the collector may take to answer. */
	bool json;
	bool detailed;      /* -l */
	bool dry_run;       /* --dry-run: of adopt */
	bool undo;          /* --undo: of adopt */
	const char *accept; /* --accept: of adopt, compare, shadow; NULL: not given. */
	const char *expect; /* --expect: of adopt and shadow; NULL: not given. */
	bool all;           /* -a: of list */
	bool files;         /* --files: of forget */
	/* Of history; NULL: not given. */
	const char *since, *from, *to, *step;
	bool csv, maximum; /* Of history, too. */
	bool terminal;     /* Standard output is one. */
	const char *order; /* -o: of the series in top; NULL: not given. */
	unsigned width;    /* Columns that fit; 0: any number. */
	double delay;      /* -d: seconds between two frames; 0: not given. */
	/* Control sequences, or "" if standard output is not a terminal. */
	const char *bold, *dim, *red, *plain;
};

/* Complain on standard error, "collectorctl: " in front, and return the exit code to leave with. */
int ctl_failed(const char *fmt, ...) MC_PRINTF(1, 2);
int ctl_usage(const char *fmt, ...) MC_PRINTF(1, 2);

/* Connects; complains if it cannot.  CTL_OK or an exit code. */
int ctl_connect(const struct ctl *, struct peer *);

/* Complains of a question that has failed: 'status' is of peer.h.  Returns CTL_UNAVAILABLE. */
int ctl_lost(const struct ctl *, const struct peer *, int status);

/* Asks on a connection, or on one of its own; complains of anything but an
 * answer of success.  peer_answer_done() is due after CTL_OK only. */
int ctl_ask_on(const struct ctl *, struct peer *, const char *line, struct answer *);
int ctl_ask(const struct ctl *, const char *line, struct answer *);

/* Asks, and prints the text of the answer; for one that needs 'files' the collector has longer,
 * unless --timeout is given.  CTL_OK or an exit code. */
int ctl_ask_patiently(const struct ctl *, const char *line, bool files);

/* "VERB word": the word quoted as the protocol wants it.  False, and a
 * complaint, if it is too long.  'word' NULL leaves it out. */
bool ctl_line(char *out, size_t size, const char *verb, const char *word);

/* The commands: argv[0] is the command's name.  They return an exit code. */
int compare_run(const struct ctl *, int argc, char **argv);
int shadow_run(const struct ctl *, int argc, char **argv);
int adopt_run(const struct ctl *, int argc, char **argv);
int history_run(const struct ctl *, int argc, char **argv);
int scan_run(const struct ctl *, int argc, char **argv);
int forget_run(const struct ctl *, int argc, char **argv);
int list_run(const struct ctl *, int argc, char **argv);
int get_run(const struct ctl *, int argc, char **argv);
int put_run(const struct ctl *, int argc, char **argv);
int put_notify_run(const struct ctl *, int argc, char **argv);
int put_flush_run(const struct ctl *, int argc, char **argv);
int status_run(const struct ctl *, int argc, char **argv);
int silence_ack_run(const struct ctl *, int argc, char **argv);
int silence_run(const struct ctl *, int argc, char **argv);
int silence_end_run(const struct ctl *, int argc, char **argv);
int alerts_run(const struct ctl *, int argc, char **argv);
int explain_run(const struct ctl *, int argc, char **argv);
int ageing_run(const struct ctl *, int argc, char **argv);
int tap_run(const struct ctl *, int argc, char **argv);
int reload_run(const struct ctl *, int argc, char **argv);
int journal_run(const struct ctl *, int argc, char **argv);
int dump_run(const struct ctl *, int argc, char **argv);
int top_run(const struct ctl *, int argc, char **argv);
