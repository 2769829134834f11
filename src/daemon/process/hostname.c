/* SPDX-License-Identifier: MIT */
/* The name of this host; FQDNLookup of collectd.conf(5). */
#include "daemon/process/hostname.h"

#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/thread.h"

#define NAME_SIZE 256 /* gethostname(2): at most 64 on Linux; DNS: 253. */

struct lookup {
	char name[NAME_SIZE], full[NAME_SIZE]; /* "": not found. */
};

static void *lookup_main(void *argument)
{
	struct lookup *lookup = argument;
	struct addrinfo hints = { .ai_flags = AI_CANONNAME };
	struct addrinfo *found;

	if (getaddrinfo(lookup->name, NULL, &hints, &found) != 0)
		return NULL;
	if (found->ai_canonname != NULL)
		text_copy(lookup->full, sizeof(lookup->full), found->ai_canonname);
	freeaddrinfo(found);
	return NULL;
}

/* A resolver may hang for minutes: it is then left to its thread, which keeps what it was given. */
static bool look_up(char *name, size_t size, mc_time limit)
{
	struct lookup *lookup = alloc_zero(sizeof(*lookup));
	pthread_t thread;
	bool found;

	text_copy(lookup->name, sizeof(lookup->name), name);
	if (thread_start(&thread, "hostname", lookup_main, lookup) < 0) {
		free(lookup);
		return false;
	}
	if (!thread_join(thread, thread_time() + limit)) {
		pthread_detach(thread);
		return false;
	}
	found = lookup->full[0] != '\0';
	if (found)
		text_copy(name, size, lookup->full);
	free(lookup);
	return found;
}

bool hostname_is_loopback(const char *name)
{
	static const char *const names[] = { "localhost", "localhost4", "localhost6",
					     "ip6-localhost", "ip6-loopback" };
	size_t size = strcspn(name, "."), length = strlen(name);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (size == strlen(names[i]) && strncasecmp(name, names[i], size) == 0)
			return true;
	return length > 10 && strcasecmp(name + length - 10, ".localhost") == 0;
}

enum hostname hostname_get(char *out, size_t size, bool lookup, mc_time limit)
{
	char name[NAME_SIZE], full[NAME_SIZE];

	if (gethostname(name, sizeof(name)) != 0 || name[0] == '\0')
		text_copy(name, sizeof(name), "localhost");
	name[sizeof(name) - 1] = '\0';
	text_copy(out, size, name);
	if (!lookup)
		return HOSTNAME_GOOD;
	text_copy(full, sizeof(full), name);
	if (!look_up(full, sizeof(full), limit))
		return HOSTNAME_UNKNOWN;
	if (hostname_is_loopback(full) && !hostname_is_loopback(name))
		return HOSTNAME_LOOPBACK;
	text_copy(out, size, full);
	return HOSTNAME_GOOD;
}
