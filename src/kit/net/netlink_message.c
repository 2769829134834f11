/* SPDX-License-Identifier: MIT */
/* Messages and attributes have a size, a type and padding to four bytes (netlink(7),
 * linux/netlink.h). */
#include "kit/net/netlink_message.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>

#define ERRNO_MAX 4095 /* The kernel knows no more than these. */

static struct mc_netlink_part after(struct mc_netlink_part part, size_t size)
{
	if (size > part.size)
		size = part.size; /* The last one may lack its padding. */
	return (struct mc_netlink_part){ part.bytes + size, part.size - size };
}

/* Both messages begin with 0 or a negative errno; that of an old kernel's NLMSG_DONE is empty, and
 * NLMSG_ERROR with 0 is an acknowledgement, for which nobody has asked. */
static int end_of_answer(uint16_t type, struct mc_netlink_part body)
{
	int32_t error = 0;

	mc_netlink_copy(body, sizeof(error), &error, sizeof(error));
	if (error < 0 && error >= -ERRNO_MAX)
		return error;
	return type == NLMSG_DONE ? 1 : -EBADMSG;
}

int mc_netlink_walk(struct mc_netlink_part rest, uint32_t sequence, mc_netlink_visit *visit,
		    void *argument)
{
	while (rest.size > 0) {
		struct nlmsghdr header;
		struct mc_netlink_part body;
		int rc = 0;

		if (!mc_netlink_copy(rest, sizeof(header), &header, sizeof(header)) ||
		    header.nlmsg_len < sizeof(header) || header.nlmsg_len > rest.size)
			return -EBADMSG;
		body.bytes = rest.bytes + sizeof(header);
		body.size = header.nlmsg_len - sizeof(header);
		if (header.nlmsg_seq != sequence)
			rc = 0; /* Of an answer that was given up. */
		else if (header.nlmsg_type == NLMSG_DONE || header.nlmsg_type == NLMSG_ERROR)
			return end_of_answer(header.nlmsg_type, body);
		else
			rc = visit(argument, header.nlmsg_type, body);
		if (rc != 0)
			return rc;
		rest = after(rest, NLMSG_ALIGN(header.nlmsg_len));
	}
	return 0;
}

bool mc_netlink_is_torn(struct mc_netlink_part rest, uint32_t sequence)
{
	struct nlmsghdr header;

	while (mc_netlink_copy(rest, sizeof(header), &header, sizeof(header)) &&
	       header.nlmsg_len >= sizeof(header) && header.nlmsg_len <= rest.size) {
		if (header.nlmsg_seq == sequence && (header.nlmsg_flags & NLM_F_DUMP_INTR) != 0)
			return true;
		rest = after(rest, NLMSG_ALIGN(header.nlmsg_len));
	}
	return false;
}

bool mc_netlink_next(struct mc_netlink_part *rest, uint16_t *type, struct mc_netlink_part *content)
{
	struct nlattr header;

	if (!mc_netlink_copy(*rest, sizeof(header), &header, sizeof(header)) ||
	    header.nla_len < sizeof(header) || header.nla_len > rest->size)
		return false;
	*type = header.nla_type & NLA_TYPE_MASK;
	content->bytes = rest->bytes + sizeof(header);
	content->size = header.nla_len - sizeof(header);
	*rest = after(*rest, NLA_ALIGN(header.nla_len));
	return true;
}

bool mc_netlink_find(struct mc_netlink_part attributes, uint16_t type,
		     struct mc_netlink_part *content)
{
	struct mc_netlink_part found;
	uint16_t its_type;

	while (mc_netlink_next(&attributes, &its_type, &found))
		if (its_type == type) {
			*content = found;
			return true;
		}
	return false;
}

bool mc_netlink_copy(struct mc_netlink_part part, size_t least, void *out, size_t size)
{
	if (part.size < least)
		return false;
	memcpy(out, part.bytes, part.size < size ? part.size : size);
	return true;
}
