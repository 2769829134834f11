/* SPDX-License-Identifier: MIT */
#include "commits.h"

#include <collector/serve.h>

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "client.h"

#define SAFE_MAX (10 * MC_SECOND) /* For the journal to be on disk. */
#define CANCEL_MAX 1000           /* The same at the end, in ms. */

int commits_init(struct commits *commits)
{
	pthread_mutex_init(&commits->lock, NULL);
	return mc_loop_wakeup_init(&commits->wakeup);
}

void commits_done(struct commits *commits)
{
	mc_loop_wakeup_done(&commits->wakeup);
	pthread_mutex_destroy(&commits->lock);
}

/* By a thread of the core, or before mc_commit_then() returns. */
static void on_told(void *argument, int rc)
{
	struct client *client = argument;
	struct commits *commits = client->commits;
	bool told;

	pthread_mutex_lock(&commits->lock);
	client->unsafe = client->unsafe || (rc < 0 && rc != -ENOTSUP);
	told = --client->commits_len == 0 && client->waits;
	if (told) {
		client->next_told = commits->told;
		commits->told = client;
	}
	pthread_mutex_unlock(&commits->lock);
	if (told)
		mc_loop_wake(&commits->wakeup);
}

void commits_add(struct commits *commits, struct client *client, struct mc_batch *batch)
{
	pthread_mutex_lock(&commits->lock);
	client->commits = commits;
	client->commits_len++;
	pthread_mutex_unlock(&commits->lock);
	mc_commit_then(batch, SAFE_MAX, on_told, client);
}

static bool take_verdict(struct commits *commits, struct client *client) MC_REQUIRES(commits->lock)
{
	bool safe = !client->unsafe;

	(void)commits; /* It has the lock. */
	client->unsafe = false;
	return safe;
}

bool commits_wait(struct commits *commits, struct client *client, bool *safe)
{
	bool waits;

	pthread_mutex_lock(&commits->lock);
	waits = client->commits_len > 0;
	client->waits = waits;
	commits->waiting += waits;
	if (!waits)
		*safe = take_verdict(commits, client);
	pthread_mutex_unlock(&commits->lock);
	return waits;
}

struct client *commits_next(struct commits *commits, bool *safe)
{
	struct client *client;

	pthread_mutex_lock(&commits->lock);
	client = commits->told;
	if (client != NULL) {
		commits->told = client->next_told;
		commits->waiting--;
		client->waits = false;
		*safe = take_verdict(commits, client);
	}
	pthread_mutex_unlock(&commits->lock);
	return client;
}

static bool is_empty(struct commits *commits)
{
	const struct client *client;
	unsigned told = 0;
	bool empty;

	pthread_mutex_lock(&commits->lock);
	for (client = commits->told; client != NULL; client = client->next_told)
		told++;
	empty = told == commits->waiting;
	pthread_mutex_unlock(&commits->lock);
	return empty;
}

void commits_cancel(struct commits *commits, struct mc_ctx *ctx)
{
	struct pollfd wake = { .fd = commits->wakeup.file.fd, .events = POLLIN };
	mc_time until = mc_now() + CANCEL_MAX * MC_MILLISECOND;
	uint64_t count;

	while (!is_empty(commits) && mc_now() < until)
		if (poll(&wake, 1, 10) > 0 && read(wake.fd, &count, sizeof(count)) < 0)
			break;
	mc_commit_cancel(ctx);
}
