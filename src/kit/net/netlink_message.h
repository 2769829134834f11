/* SPDX-License-Identifier: MIT */
/* kit/net/netlink_message.h - what a datagram of netlink(7) consists of: messages, and attributes
 * in them; in libkit.  Pure; nothing beyond the datagram is read.  Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mc_netlink_part { /* Of a datagram. */
	const char *bytes;
	size_t size;
};

/* Gets a message, without its header.  Returns 0, or a negative errno, which ends the walk. */
typedef int mc_netlink_visit(void *argument, uint16_t type, struct mc_netlink_part body);

/* Visits the messages that answer the request with that number; others are passed over.  Returns 1
 * if the answer ends here, 0 if another datagram follows, or a negative errno: the kernel's,
 * -EBADMSG if the datagram cannot be understood, or what 'visit' returned. */
int mc_netlink_walk(struct mc_netlink_part datagram, uint32_t sequence, mc_netlink_visit *visit,
		    void *argument);

/* Whether a message of the answer to that request says that what it lists has changed while it was
 * listed (NLM_F_DUMP_INTR). */
bool mc_netlink_is_torn(struct mc_netlink_part datagram, uint32_t sequence);

/* Takes the first attribute from 'rest'; false, and nothing is written, after the last one. */
bool mc_netlink_next(struct mc_netlink_part *rest, uint16_t *type, struct mc_netlink_part *content);

/* Finds the first attribute of that type. */
bool mc_netlink_find(struct mc_netlink_part attributes, uint16_t type,
		     struct mc_netlink_part *content);

/* Copies a structure of the kernel's, which may have grown with its versions: what 'part' lacks is
 * left alone.  False, and nothing is written, if it has less than 'least' bytes. */
bool mc_netlink_copy(struct mc_netlink_part part, size_t least, void *out, size_t size);
