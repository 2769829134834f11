/* SPDX-License-Identifier: MIT */
#include "legacy.h"

#include <errno.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TRIES 10
#define SIZE_MAX_READ (128U << 20)

#define LEVEL_IPV4 0  /* SOL_IP */
#define LEVEL_IPV6 41 /* SOL_IPV6 */

/* Both protocols have the same numbers and structures for this. */
_Static_assert(IPT_SO_GET_INFO == IP6T_SO_GET_INFO, "ip_tables.h and ip6_tables.h differ");
_Static_assert(IPT_SO_GET_ENTRIES == IP6T_SO_GET_ENTRIES, "ip_tables.h and ip6_tables.h differ");
_Static_assert(sizeof(struct ipt_getinfo) == sizeof(struct ip6t_getinfo),
	       "ip_tables.h and ip6_tables.h differ");

#define ENTRIES_AT offsetof(struct ipt_get_entries, entrytable)
_Static_assert(ENTRIES_AT == offsetof(struct ip6t_get_entries, entrytable),
	       "ip_tables.h and ip6_tables.h differ");

/* Any socket of the protocol does; one for datagrams needs no further right. */
static int open_socket(struct legacy *legacy, bool is_v6)
{
	int fd;

	if (legacy->sockets[is_v6] != 0)
		return 0;
	fd = socket(is_v6 ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return errno == EAFNOSUPPORT ? -ENOENT : -errno;
	legacy->sockets[is_v6] = fd + 1;
	return 0;
}

static int get(const struct legacy *legacy, bool is_v6, int option, void *out, size_t size)
{
	socklen_t length = (socklen_t)size;

	if (getsockopt(legacy->sockets[is_v6] - 1, is_v6 ? LEVEL_IPV6 : LEVEL_IPV4, option, out,
		       &length) == 0)
		return 0;
	return errno == ENOPROTOOPT ? -ENOENT : -errno; /* A kernel without these tables. */
}

static int read_once(struct legacy *legacy, bool is_v6, const char *name,
		     struct legacy_table *table)
{
	struct ipt_getinfo info = { 0 };
	struct ipt_get_entries head = { 0 };
	int rc;

	memcpy(info.name, name, strlen(name));
	rc = get(legacy, is_v6, IPT_SO_GET_INFO, &info, sizeof(info));
	if (rc != 0)
		return rc;
	if (info.size > SIZE_MAX_READ)
		return -E2BIG;
	memcpy(head.name, name, strlen(name));
	head.size = info.size;
	mc_buffer_reserve(&legacy->answer, ENTRIES_AT + info.size);
	memcpy(legacy->answer.at, &head, ENTRIES_AT);
	rc = get(legacy, is_v6, IPT_SO_GET_ENTRIES, legacy->answer.at, ENTRIES_AT + info.size);
	if (rc != 0)
		return rc;
	*table = (struct legacy_table){ .is_v6 = is_v6,
					.valid_hooks = info.valid_hooks,
					.entries = legacy->answer.at + ENTRIES_AT,
					.size = info.size };
	for (unsigned i = 0; i < LEGACY_TABLE_HOOKS; i++)
		table->hook_entry[i] = info.hook_entry[i];
	return 0;
}

int legacy_read(struct legacy *legacy, bool is_v6, const char *name, struct legacy_table *table)
{
	int rc = open_socket(legacy, is_v6);

	if (rc != 0)
		return rc;
	if (strlen(name) >= XT_TABLE_MAXNAMELEN)
		return -ENOENT;
	rc = -EAGAIN; /* The table got another size in between. */
	for (int i = 0; i < TRIES && rc == -EAGAIN; i++)
		rc = read_once(legacy, is_v6, name, table);
	return rc;
}

void legacy_done(struct legacy *legacy)
{
	for (unsigned i = 0; i < 2; i++)
		if (legacy->sockets[i] != 0)
			close(legacy->sockets[i] - 1);
	mc_buffer_free(&legacy->answer);
	*legacy = (struct legacy){ 0 };
}
