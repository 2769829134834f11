/* SPDX-License-Identifier: MIT */
/* driver: the statistics that the driver of a network interface keeps, by ioctl (netdevice(7),
 * linux/ethtool.h). */
#pragma once

#include <net/if.h>
#include <stddef.h>
#include <stdint.h>

#define DRIVER_NAME_SIZE 33 /* 32 characters and '\0'. */

struct driver { /* All zero: not open. */
	void *buffer;
	size_t buffer_size; /* Without the page after it. */
	size_t max;         /* Statistics that it has room for. */
	int socket;         /* Plus one, so that zero means none. */
};

/* Gets ready for drivers with up to 'max' statistics.  0 or a negative errno. */
int driver_open(struct driver *, size_t max);
void driver_done(struct driver *);

/* The number of the interface, which a new one of the same name does not have,
 * or a negative errno. */
int driver_index(struct driver *, const char *interface);

/* How many statistics there are, or a negative errno. */
int driver_count(struct driver *, const char *interface);

/* The names of the statistics, 'count' as driver_count() has said: the text of
 * one after the other, each with DRIVER_NAME_SIZE bytes, blanks around it cut.
 * 0 or a negative errno; -EAGAIN if there are more or less by now. */
int driver_names(struct driver *, const char *interface, size_t count, char *names);

/* The numbers, in the order of the names.  Returns as above; '*numbers' is valid until the next
 * call. */
int driver_numbers(struct driver *, const char *interface, size_t count,
		   const unsigned long long **numbers);

/* A name as the driver has it: 32 characters, with '\0' if it is shorter. */
void driver_name(const char raw[32], char name[DRIVER_NAME_SIZE]);
