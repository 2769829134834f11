/* SPDX-License-Identifier: MIT */
/* A collector that follows a script, at the other end of a socketpair. */
#pragma once

#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct script_step {
	const char *expect; /* What the client must send, newline included. */
	const char *reply;  /* In pieces of a few bytes, as a socket may. */
};

struct script {
	const struct script_step *steps; /* Ends with {0}. */
	int fd;
	pthread_t thread;
	int failed; /* Steps that were not as expected. */
};

static void *script_main(void *argument)
{
	struct script *script = argument;

	for (const struct script_step *s = script->steps; s->expect; s++) {
		size_t size = strlen(s->expect), seen = 0;
		char got[4096];

		while (seen < size) {
			ssize_t n = read(script->fd, got + seen, size - seen);

			if (n <= 0)
				break;
			seen += (size_t)n;
		}
		script->failed += seen != size || memcmp(got, s->expect, size) != 0;
		for (const char *r = s->reply; *r != '\0';) {
			ssize_t n = write(script->fd, r, strnlen(r, 7));

			if (n <= 0)
				break;
			r += n;
		}
	}
	close(script->fd);
	return NULL;
}

/* Returns the client's end. */
static int script_start(struct script *script, const struct script_step *steps)
{
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0)
		return -1;
	*script = (struct script){ .steps = steps, .fd = fds[1] };
	pthread_create(&script->thread, NULL, script_main, script);
	return fds[0];
}

/* Returns the number of steps that failed. */
static int script_end(struct script *script)
{
	pthread_join(script->thread, NULL);
	return script->failed;
}
