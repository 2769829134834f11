/* SPDX-License-Identifier: MIT */
/* An answer is a header, a header of generic netlink, and attributes: size,
 * type, content, and padding to four bytes; some contain attributes. */
#include "taskstats.h"

#include "kit/net/netlink_message.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>

/* The attributes of an answer. */
static int open_answer(const void *bytes, size_t size, uint32_t sequence,
		       struct mc_netlink_part *attributes)
{
	const size_t start = NLMSG_HDRLEN + GENL_HDRLEN;
	struct nlmsghdr header;
	int32_t error;

	if (size < sizeof(header))
		return -EBADMSG;
	memcpy(&header, bytes, sizeof(header));
	if (header.nlmsg_len > size)
		return -EBADMSG;
	if (header.nlmsg_seq != sequence)
		return -EAGAIN;
	if (header.nlmsg_type == NLMSG_ERROR) {
		if (header.nlmsg_len < NLMSG_HDRLEN + sizeof(error))
			return -EBADMSG;
		memcpy(&error, (const char *)bytes + NLMSG_HDRLEN, sizeof(error));
		/* The kernel knows no more than these. */
		return error < 0 && error > -4096 && error != -EAGAIN ? error : -EBADMSG;
	}
	if (header.nlmsg_len < start)
		return -EBADMSG;
	attributes->bytes = (const char *)bytes + start;
	attributes->size = header.nlmsg_len - start;
	return 0;
}

int taskstats_family(const void *bytes, size_t size, uint32_t sequence, uint16_t *family)
{
	struct mc_netlink_part all, number;
	int rc = open_answer(bytes, size, sequence, &all);

	if (rc != 0)
		return rc;
	if (!mc_netlink_find(all, CTRL_ATTR_FAMILY_ID, &number) || number.size < sizeof(*family))
		return -EBADMSG;
	memcpy(family, number.bytes, sizeof(*family));
	return 0;
}

/* The structure has grown with the kernel's versions; these fields are in all
 * of them, at the same place. */
#define OLDEST_SIZE (offsetof(struct taskstats, freepages_delay_total) + sizeof(uint64_t))

int taskstats_delays(const void *bytes, size_t size, uint32_t sequence,
		     struct taskstats_delays *delays)
{
	struct mc_netlink_part all, process, content;
	struct taskstats stats = { 0 };
	int rc = open_answer(bytes, size, sequence, &all);

	if (rc != 0)
		return rc;
	if (!mc_netlink_find(all, TASKSTATS_TYPE_AGGR_TGID, &process) ||
	    !mc_netlink_find(process, TASKSTATS_TYPE_STATS, &content) || content.size < OLDEST_SIZE)
		return -EBADMSG;
	memcpy(&stats, content.bytes, content.size < sizeof(stats) ? content.size : sizeof(stats));
	*delays = (struct taskstats_delays){
		.cpu = stats.cpu_delay_total,
		.disk = stats.blkio_delay_total,
		.swap = stats.swapin_delay_total,
		.memory = stats.freepages_delay_total,
	};
	return 0;
}
