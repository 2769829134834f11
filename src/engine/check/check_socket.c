/* SPDX-License-Identifier: MIT */
/* Finds the process at a port of this host: /proc/net/tcp and so on, proc(5).  Binds nothing to
 * find out. */
#include "engine/check/check_socket.h"

#include <inttypes.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTENS 0x0a    /* TCP_LISTEN of the kernel. */
#define ACCEPTS 0x10000 /* __SO_ACCEPTCON of the kernel. */

struct local { /* An address of this host; IPv4 ones as IPv4-mapped ones. */
	unsigned char bytes[16];
	unsigned port;
};

static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

static bool is_any(const struct local *local)
{
	static const unsigned char none[16];

	return memcmp(local->bytes, none, 16) == 0 ||
	       (memcmp(local->bytes, mapped, 12) == 0 && memcmp(local->bytes + 12, none, 4) == 0);
}

static bool collide(const struct local *a, const struct local *b)
{
	return a->port == b->port &&
	       (is_any(a) || is_any(b) || memcmp(a->bytes, b->bytes, 16) == 0);
}

static struct local local_of(const struct sockaddr *address)
{
	const struct sockaddr_in *v4 = (const void *)address;
	const struct sockaddr_in6 *v6 = (const void *)address;
	struct local local;

	if (address->sa_family == AF_INET6) {
		memcpy(local.bytes, &v6->sin6_addr, 16);
		local.port = ntohs(v6->sin6_port);
	} else {
		memcpy(local.bytes, mapped, 12);
		memcpy(local.bytes + 12, &v4->sin_addr, 4);
		local.port = ntohs(v4->sin_port);
	}
	return local;
}

/* Words of four bytes in the byte order of this host, as the kernel prints them. */
static bool read_bytes(const char *text, struct local *local)
{
	size_t words = strspn(text, "0123456789ABCDEF") / 8;
	unsigned char *out = local->bytes;

	if (words != 1 && words != 4)
		return false;
	if (words == 1) {
		memcpy(out, mapped, 12);
		out += 12;
	}
	for (; words > 0; words--, text += 8, out += 4) {
		char word[9] = "";
		uint32_t number;

		memcpy(word, text, 8);
		number = (uint32_t)strtoul(word, NULL, 16);
		memcpy(out, &number, 4);
	}
	return true;
}

/* The inode of the socket in a line, if it is in the way; or 0. */
static unsigned long inode_of(const char *line, const struct local *wanted, int type)
{
	char address[40];
	struct local local;
	unsigned state;
	unsigned long inode;

	if (sscanf(line, " %*u: %39[0-9A-F]:%x %*s %x %*s %*s %*s %*u %*u %lu", address,
		   &local.port, &state, &inode) != 4 ||
	    !read_bytes(address, &local))
		return 0;
	if (type == SOCK_STREAM && state != LISTENS)
		return 0;
	return collide(&local, wanted) ? inode : 0;
}

static unsigned long find_inode(const char *table, const struct local *wanted, int type)
{
	FILE *file = fopen(table, "re");
	unsigned long inode = 0;
	char *line = NULL;
	size_t size = 0;

	while (file != NULL && inode == 0 && getline(&line, &size, file) >= 0)
		inode = inode_of(line, wanted, type);
	free(line);
	if (file != NULL)
		fclose(file);
	return inode;
}

struct search {
	char target[64];
	struct check_process *owner;
};

static bool is_owner(const struct check_process *process, void *argument)
{
	const struct search *search = argument;

	if (!check_process_holds(process, search->target))
		return false;
	*search->owner = *process;
	return true;
}

static bool find_owner(unsigned long inode, struct check_process *owner)
{
	struct search search = { .owner = owner };

	snprintf(search.target, sizeof(search.target), "socket:[%lu]", inode);
	*owner = (struct check_process){ 0 };
	return check_process_find(is_owner, &search);
}

/* The inode of the listening socket of that path, as its owner gave it, or 0. */
static unsigned long find_listener(const char *path)
{
	FILE *file = fopen("/proc/net/unix", "re");
	unsigned long inode, found = 0;
	char *line = NULL;
	size_t size = 0;
	unsigned flags;
	int at;

	while (file != NULL && found == 0 && getline(&line, &size, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%*s %*s %*s %x %*s %*s %lu %n", &flags, &inode, &at) == 2 &&
		    (flags & ACCEPTS) != 0 && strcmp(line + at, path) == 0)
			found = inode;
	}
	free(line);
	if (file != NULL)
		fclose(file);
	return found;
}

bool check_socket_taken(const struct sockaddr *address, int type, struct check_process *owner)
{
	static const char *const tables[][2] = {
		{ "/proc/net/tcp", "/proc/net/tcp6" },
		{ "/proc/net/udp", "/proc/net/udp6" },
	};
	const char *const *mine = tables[type == SOCK_DGRAM];
	const struct local wanted = local_of(address);
	unsigned long inode = find_inode(mine[0], &wanted, type);

	if (inode == 0)
		inode = find_inode(mine[1], &wanted, type);
	if (inode == 0)
		return false;
	find_owner(inode, owner);
	return true;
}

bool check_socket_path_taken(const char *path, struct check_process *owner)
{
	unsigned long inode = find_listener(path);

	return inode != 0 && find_owner(inode, owner);
}
