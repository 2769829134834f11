/* SPDX-License-Identifier: MIT */
/* Guests that move between hosts: which process counts their values now, what its counters begin
 * with, and what is known of a move.  Pure: no clock, no file.
 *
 * A guest has one series each, whose counters begin with each QEMU.  The counters of one that was
 * started for a guest that came go on where those of the one before ended.  Later values of that
 * one are not taken, but their counts are added. */
#pragma once

#include <math.h>
#include <string.h>

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "handover.h"
#include "raws.h"
#include "stream.h"

#define MOVES_GUESTS_MAX 65536
#define MOVES_HEARD_MAX 4096  /* With more guests an event adds none: anybody may invent some. */
#define MOVES_SERIES_MAX 4096 /* Of a guest. */
#define MOVES_HOSTS_MAX 4096  /* That measure guests. */
#define MOVES_GENERATIONS 8   /* Of a guest, that are known. */
#define MOVES_KEPT 16         /* Of a guest that are over. */
#define MOVES_LIVES 3         /* Intervals: a process without values for longer has ended. */
#define MOVES_ARRIVES (60 * MC_SECOND) /* It is lost if it needs longer. */
#define MOVES_JOB (3 * MC_SECOND)      /* Until then the figures of a move have come. */
#define MOVES_SETTLES (10 * MC_SECOND) /* After a move its silence is an alarm again. */
#define MOVES_WORDS 4                  /* Hosts of a guest whose statements are known. */
#define MOVES_SKEW (10 * MC_SECOND)    /* Between the clocks of two hosts, at most. */
/* A guest of which nothing comes is forgotten: one whose host may be away, and have it in its
 * journal; and one that has ended, or of which only events have come. */
#define MOVES_KEEPS (7 * 86400 * MC_SECOND)
#define MOVES_FORGETS (3600 * MC_SECOND)

struct moves_host { /* One that measures guests. */
	struct mc_map_node node;
	mc_time reached; /* Latest time of its samples. */
	char name[];
};

struct moves_generation {
	uint32_t serial;       /* 0: none. */
	bool carries;          /* Its counters go on with those of before, */
	bool known;            /* and it has counted before. */
	bool by_silence;       /* It has the guest because another host was silent. */
	mc_time began;         /* Time of its first sample, by its host's clock; 0: unknown. */
	mc_time reached;       /* That of its newest one. */
	uint64_t *raw_reached; /* Place of that; NULL: there is no room. */
	struct stream stream;
	struct moves_host *host; /* NULL: there are too many. */
};

/* Statements of a host about a guest, by the clock of that host; 0: none. */
struct moves_word {
	mc_time heard;   /* By the clock of here; 0: free. */
	mc_time left;    /* The guest has gone, or has ended. */
	mc_time stopped; /* The last of these of a move, as it may be repeated. */
	mc_time came;    /* It has come, or was started. */
	char host[STREAM_PART_SIZE];
};

/* Of a move; NaN: unknown. */
struct moves_figures {
	double downtime, duration; /* Seconds. */
	double transferred;        /* Bytes. */
	double dirty_rate;         /* Bytes a second that the guest wrote into its memory. */
};
#define MOVES_UNKNOWN ((struct moves_figures){ NAN, NAN, NAN, NAN })

struct moves_move {
	mc_time time; /* When it was reported. */
	struct moves_figures figures;
	char from[STREAM_PART_SIZE], to[STREAM_PART_SIZE];
};

enum moves_stage { MOVES_STAYS, MOVES_LEAVES, MOVES_LEFT };

struct moves_guest {
	struct mc_map_node node; /* By the host of its series. */
	struct mc_map series;    /* struct moves_series, by the rest of the name. */
	struct moves_generation generations[MOVES_GENERATIONS];
	unsigned current; /* One of these. */
	uint32_t serials;
	mc_time seen, interval; /* Of the last value of the current one. */
	mc_time sampled;        /* The latest time that one of it has had; 0: unknown. */
	mc_time heard;          /* The last value or event of any. */
	mc_time moved;          /* When the current one was first seen. */
	mc_time restored_until; /* It is from a file, so its old ones are not back, */
	mc_time lives_until;    /* and the current one has not had the time to send. */
	bool dirty, kept;       /* It is to be written down; it is. */
	unsigned restores;      /* How often it was read from a file. */

	enum moves_stage stage;
	bool arrived, lost, refused, quiet;
	char from[STREAM_PART_SIZE], to[STREAM_PART_SIZE];
	char told[STREAM_PART_SIZE]; /* Where the last move that was reported went. */
	mc_time told_at, stage_at, arrived_at, quiet_until;
	struct moves_figures figures;

	struct moves_move *moves; /* Those that are over, the last one last. */
	unsigned moves_len;

	struct moves_word words[MOVES_WORDS];
	char rival[STREAM_PART_SIZE]; /* Host whose values are refused, */
	mc_time rival_until;          /* and do not wait until then. */

	struct handover handover;
	struct moves_guest *next_waiting;

	char host[];
};

struct moves_past { /* Counts of an earlier process, as far as they are in the offset. */
	struct moves_past *next;
	uint32_t serial;
	struct moves_ended {
		uint64_t at;
		uint64_t *raw; /* As that of a counter. */
	} ended[];
};

struct moves_series { /* Values are modulo 2^64, as counters are. */
	struct mc_map_node node;
	uint32_t serial; /* Of its generation; 0: none. */
	bool stale;      /* It is from a file, and may have counted on since. */
	/* Times of samples: the newest and the first one of this process, and the newest one of
	 * those before; 0: unknown. */
	mc_time taken, began, ended;
	struct moves_past *pasts; /* The last one first. */
	unsigned len;
	const char *name;
	struct moves_counter {
		uint64_t last;   /* As it was stored, with what has come late since. */
		uint64_t offset; /* Of the values of now. */
		uint64_t *raw;   /* Place of the value without it; NULL: there is no room. */
	} counters[];
};

struct moves {        /* All zero: none. */
	mc_time wait; /* How long values may wait for those of the old host; 0: they do not. */
	/* Whether a host needs no statement of others of this list; NULL: none of them. */
	bool (*trusts)(const void *list, const char *host);
	const void *list;

	struct raws *raws; /* NULL: they are not kept. */
	bool dirty;        /* A guest is. */
	struct mc_map guests, hosts;
	uint64_t taken, late, refused; /* Samples of streams. */
	uint64_t moved;

	struct moves_guest *waiting; /* Values of these wait. */
	size_t waiting_size;
	uint64_t waited, overdue; /* Samples; guests of which the old host has not sent all. */
};

void moves_done(struct moves *);

static inline const struct moves_guest *moves_find(const struct moves *moves, const char *host)
{
	return (const struct moves_guest *)mc_map_find(&moves->guests, host, strlen(host));
}

/* The guest after that one, or the first one. */
static inline struct moves_guest *moves_next(const struct moves *moves,
					     const struct moves_guest *guest)
{
	return (struct moves_guest *)mc_map_next(&moves->guests,
						 guest != NULL ? &guest->node : NULL);
}

static inline struct moves_generation *moves_current(struct moves_guest *guest)
{
	return &guest->generations[guest->current];
}

static inline struct moves_series *moves_next_series(const struct moves_guest *guest,
						     const struct moves_series *series)
{
	return (struct moves_series *)mc_map_next(&guest->series,
						  series != NULL ? &series->node : NULL);
}

/* --- Values ------------------------------------------------------------------ */

struct moves_sample {
	const char *host, *name; /* The latter after the host and its slash. */
	const char *stream;
	mc_time now, time, interval;
	bool waited;       /* It does not wait any more. */
	uint64_t counters; /* Bit of each source that begins with its process. */
	union mc_value *values;
	unsigned values_len;
};

enum moves_verdict {
	MOVES_TAKEN,  /* The counters have been changed. */
	MOVES_LATE,   /* It is of a process that has ended. */
	MOVES_PAST,   /* The same, and it fills a gap in its series: between those of two processes.
		       */
	MOVES_MERGED, /* The same, and its counts are in the next value of the guest. */
	MOVES_WAITS,  /* To be kept by moves_keep(), or MOVES_CROWDED: there is no room for it. */
	MOVES_CROWDED,
	MOVES_STRANGE, /* Its host has no right to the guest: another host has it. */
};
enum moves_verdict moves_take(struct moves *, const struct moves_sample *);

/* A sample without a stream shows how far its host is, too. */
void moves_reach(struct moves *, const char *host, mc_time time);

/* --- Values that wait -------------------------------------------------------- */

/* After MOVES_WAITS; 'series' is held. */
void moves_keep(struct moves *, const struct moves_sample *, struct mc_series *series);

/* A guest whose values need not wait any longer; 'now' 0: any.  NULL: none.  It is the caller's
 * until moves_release() returns false. */
struct moves_guest *moves_due(struct moves *, mc_time now);

/* Takes what waits: the caller gives it to moves_take() as 'waited', commits it, gives what must
 * wait again to moves_keep(), and calls this again, as more may have come meanwhile.  False: the
 * guest is no more the caller's. */
bool moves_release(struct moves *, struct moves_guest *, struct handover *);

/* --- Events ------------------------------------------------------------------ */

enum moves_kind {
	MOVES_SUSPENDED, /* To be moved. */
	MOVES_HANDED,    /* The same, and it goes on elsewhere already (post-copy). */
	MOVES_STOPPED,   /* Because it has moved. */
	MOVES_CAME,      /* It runs, as it has come or come back. */
	MOVES_RESUMED,   /* For any other reason. */
	MOVES_STARTED,   /* It runs, not by a move. */
	MOVES_ENDED,     /* For any other reason: its arrival may have failed. */
	MOVES_JOB_DONE,
};

struct moves_event {
	enum moves_kind kind;
	const char *host, *hypervisor;
	mc_time now;
	mc_time time;                 /* By the clock of the hypervisor. */
	struct moves_figures figures; /* Of MOVES_JOB_DONE. */
};

/* Returns the guest, if its silence is no alarm from now on; else NULL. */
const struct moves_guest *moves_events_hear(struct moves *, const struct moves_event *);

enum moves_news {
	MOVES_HAS_MOVED, /* 'from' may be "". */
	MOVES_IS_LOST,
	MOVES_IS_REFUSED, /* Values of 'rival' are not taken. */
	MOVES_IS_LOUD,    /* Its silence is an alarm again. */
	MOVES_IS_QUIET,   /* Its values wait. */
};
typedef void moves_tell(void *argument, enum moves_news, const struct moves_guest *);

/* Reports all that is due, and forgets guests of which nothing comes. */
void moves_events_look(struct moves *, mc_time now, moves_tell *, void *argument);

/* --- For files --------------------------------------------------------------- */

/* Those of a file, in place of what is known; NULL: there are too many. */
struct moves_guest *moves_restore(struct moves *, const char *host, const struct stream *,
				  mc_time now);
/* Serial of a process by its number in a file: 1 is the current one, the last one. */
static inline uint32_t moves_serial_of(uint64_t number)
{
	return (uint32_t)(MOVES_GENERATIONS + 1 - number);
}

/* One that was there before: the last one first. */
void moves_restore_old(struct moves_guest *, const char *generation);
/* One that is over, the oldest one first. */
void moves_restore_move(struct moves_guest *, const struct moves_move *);
/* A sample that waited; 'series' is held. */
void moves_restore_waiting(struct moves *, struct moves_guest *, const struct moves_sample *,
			   struct mc_series *series);
