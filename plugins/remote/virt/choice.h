/* SPDX-License-Identifier: MIT */
/* Which guests are asked for the counters of their disks in a read.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads in which a guest is asked after it was found that the kernel did not show its I/O. */
#define CHOICE_DISTRUST 360

enum choice_reason {                  /* Why a guest is asked, or not. */
		     CHOICE_NEW,      /* It has not answered yet. */
		     CHOICE_QUIET,    /* Not asked: it did no I/O since it last answered. */
		     CHOICE_SPARED,   /* Not asked: beyond Budget, and its last answers were one. */
		     CHOICE_BLIND,    /* The kernel does not show what it does. */
		     CHOICE_HALTED,   /* Its QEMU is stopped, or waits for a device. */
		     CHOICE_CHANGED,  /* An event changed it. */
		     CHOICE_WANTED,   /* A watermark needs to know. */
		     CHOICE_STUCK,    /* It did not answer. */
		     CHOICE_BUSY,     /* It has done I/O, or may have. */
		     CHOICE_RESTLESS, /* Its last answer was another than the one before. */
		     CHOICE_CHECKED,  /* It is its turn. */
		     CHOICE_DISTRUSTED, /* It had done I/O that the kernel did not show. */
		     CHOICE_TOGETHER,   /* So few did none that one call for all costs less. */
};

struct choice_facts {  /* About a guest. */
	bool answered; /* It has, before; the rest is about the time since. */
	bool visible;  /* The kernel shows what its QEMU does, */
	bool idle;     /* which was nothing. */
	bool halted, changed, wanted, stuck;
	bool restless;  /* Its last answer was another than the one before. */
	bool turn;      /* It is its turn, see choice_turn(). */
	unsigned reads; /* To which it was not asked. */
	/* It is asked once in this number of reads at least if it does nothing, as the kernel
	 * shows; or if only its answers do.  Whoever is passed over by mistake is not for longer.
	 */
	unsigned check, unseen;
	unsigned distrust; /* Reads in which it is asked in any case. */
};

/* CHOICE_QUIET or CHOICE_SPARED, or why the guest is to be asked. */
enum choice_reason choice_decide(const struct choice_facts *facts);

/* Whether the guest is not asked. */
static inline bool choice_omits(enum choice_reason reason)
{
	return reason == CHOICE_QUIET || reason == CHOICE_SPARED;
}

/* Whether it is the turn of the guest with that hash in that read: once in 'check' of them, guests
 * one after the other. */
bool choice_turn(uint64_t hash, uint64_t read, unsigned check);

/* Whether leaving out 'quiet' of 'running' guests is worth it: the others are then asked by
 * two calls, one for their disks and one for the rest. */
bool choice_is_worth(size_t quiet, size_t running);

/* "no I/O", and so on. */
const char *choice_text(enum choice_reason reason);
