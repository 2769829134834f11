/* SPDX-License-Identifier: MIT */
/* The spool of a node, which munin-async offers: values of plugins that it has
 * asked itself, to be fetched when somebody comes.
 *
 * "spoolfetch TIME" is answered with all that is newer, service by service, but at most six files
 * of a service (SpoolReader.pm of Munin 2.0.73): so it is asked until nothing new comes.  The
 * values taken of a service are known by the time of its last value, and up to which time all were
 * by 'whole', from which a pass asks: an answer may be cut, and a slow plugin is written later
 * than others of its time.  These times are in a file (times.h), and the batch has a dedup id:
 * after a kill what was taken does not come again, and the rest does.
 *
 * The thread of run(), unless it says otherwise. */
#pragma once

#include <stdatomic.h>

#include <collector/plugin.h>

#include "formats/munin/munin_answers.h"
#include "overrides.h"
#include "services.h"

struct node;
struct times;

struct spool { /* All zero: nothing has been taken. */
	bool offered;
	struct mc_map services;
	uint64_t number;       /* Of the last batch; 0: none. */
	uint64_t confirmed;    /* Of the last that the file calls safe. */
	_Atomic uint64_t safe; /* The same of the journal.  Thread: any. */
	mc_time whole;         /* All services were taken up to it. */
	struct saved_time saved;
	mc_time asked;                    /* For what is newer. */
	unsigned rounds;                  /* Requests of this pass. */
	bool full;                        /* The journal is: of this answer no more is taken. */
	struct mc_munin_answers *answers; /* NULL: nothing is under way. */
	struct service *service;          /* Of the present lines, or NULL; ... */
	mc_time latest;                   /* ... and of its values. */
	struct mc_batch *batch;           /* NULL: none yet. */
	size_t batch_len;
};

/* Which time to ask for at the begin of a pass. */
void spool_begin_pass(struct spool *);

/* An answer begins, for which these overrides count. */
void spool_begin(struct spool *, const struct overrides *);

/* Takes a line of it, which it changes.  False: it cannot be used. */
bool spool_line(struct node *, char *line);

/* The answer ends: its values go to the writers. */
void spool_end(struct node *);

/* It does not come to its end: a service that is not whole comes again. */
void spool_cut(struct node *);

/* Whether it is to be asked again, for what is newer than 'asked'. */
bool spool_next(struct node *);

/* Records in the file what the journal has. */
void spool_confirm(struct node *);

/* No batch of it is on its way any more. */
void spool_done(struct spool *);
