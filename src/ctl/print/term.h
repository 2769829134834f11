/* SPDX-License-Identifier: MIT */
/* A terminal as a screen to paint on: alternate screen, single keys, resizes.
 * Signals come as keys too, so that there are no handlers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

struct term {
	struct termios before;
	int signals; /* signalfd(2) */
	unsigned width, height;
};

enum { /* Besides characters. */
       TERM_NO_KEY = 0,
       TERM_RESIZED = -1, /* 'width' and 'height' are new: paint again. */
       TERM_QUIT = -2,    /* A signal asks us to end, or the terminal went. */
};

/* Whether standard input and output are a terminal that can do this. */
bool term_usable(void);

/* Takes the terminal over, and gives it back as it was.  0 or -errno. */
int term_open(struct term *);
void term_close(struct term *);

/* Descriptors to poll for input: standard input, then signals. */
#define TERM_FDS 2
void term_fds(const struct term *, int fds[TERM_FDS]);

/* The next key without waiting; TERM_NO_KEY without one.  A stop from the keyboard (^Z) is dealt
 * with here. */
int term_key(struct term *);

/* Shows lines from the top, as many as fit, in place of the former ones. */
void term_paint(const struct term *, const char *text);
