/* SPDX-License-Identifier: MIT */
/* statfs(2) of a network file system whose server is gone sleeps for as long as the server is gone,
 * and nothing can wake it.  So file systems that can hang are asked by mc_timed_call().  One call
 * is enough to wait for: as long as it has not come back, the file system is not asked again, so
 * that a dead mount costs one thread however long it is dead; and a dead server two, however many
 * of its file systems are mounted: there are not many threads. */
#include "space.h"

#include <collector/kit/timed_call.h>

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

/* Of an interval, one part is the longest that one file system is waited for,
 * and LATE_MAX parts are what may be lost that way in one read. */
#define PARTS 10
#define LATE_MAX 3
#define LIMIT_MAX (2 * MC_SECOND)

/* Calls to a server that may be out. */
#define SERVER_CALLS_MAX 2

/* Whether a call has come back.  Shared by the call and its waiting caller; the last to leave
 * frees it. */
struct pending {
	atomic_int holders;
	atomic_bool answered;
};

struct question { /* The argument of mc_timed_call(). */
	struct pending *pending;
	int errnum; /* 0, or what statvfs() left. */
	struct statvfs answer;
	char path[];
};

struct trouble {
	char *point, *device;
	int errnum;              /* ETIMEDOUT: it did not come back; EHOSTDOWN:
				  * others of its server did not. */
	struct pending *pending; /* The call that is out, or NULL. */
	bool mounted;            /* Met in this read. */
};

static void leave(struct pending *pending)
{
	if (pending != NULL && atomic_fetch_sub(&pending->holders, 1) == 1)
		free(pending);
}

/* Calls for another file system on the same mount point do not count. */
static struct trouble *find(const struct space *space, const struct mount *mount)
{
	for (size_t i = 0; i < space->len; i++)
		if (strcmp(space->troubles[i].point, mount->point) == 0 &&
		    strcmp(space->troubles[i].device, mount->device) == 0)
			return &space->troubles[i];
	return NULL;
}

/* The size of the part of a device that names a server, as in "host:/path" and "//host/path"; 0
 * without one. */
static size_t server_size(const char *device)
{
	const char *end;

	if (strncmp(device, "//", 2) == 0)
		return 2 + strcspn(device + 2, "/");
	end = strstr(device, ":/");
	return end != NULL ? (size_t)(end - device) : 0;
}

/* Whether the calls to the server that have not returned are so numerous that another one is as
 * good as lost. */
static bool server_hangs(const struct space *space, const struct mount *mount)
{
	size_t size = server_size(mount->device);
	unsigned out = 0;

	for (size_t i = 0; i < space->len && size > 0; i++) {
		const struct trouble *trouble = &space->troubles[i];

		out += trouble->pending != NULL && !atomic_load(&trouble->pending->answered) &&
		       server_size(trouble->device) == size &&
		       strncmp(trouble->device, mount->device, size) == 0;
	}
	return out >= SERVER_CALLS_MAX;
}

static void drop(struct space *space, struct trouble *trouble)
{
	leave(trouble->pending);
	free(trouble->point);
	free(trouble->device);
	*trouble = space->troubles[--space->len];
}

static struct trouble *add(struct space *space, const struct mount *mount)
{
	struct trouble added = { .point = mc_alloc_copy(mount->point),
				 .device = mc_alloc_copy(mount->device) };
	struct trouble *grown = mc_alloc_resize(space->troubles, space->len + 1, sizeof(*grown));

	space->troubles = grown;
	grown[space->len] = added;
	return &grown[space->len++];
}

/* On a thread of its own.  The error is not the result, in which -ETIMEDOUT and -EAGAIN have
 * another meaning. */
static int ask(void *argument)
{
	struct question *question = argument;
	struct pending *pending = question->pending;

	if (statvfs(question->path, &question->answer) != 0)
		question->errnum = errno;
	atomic_store(&pending->answered, true);
	leave(pending);
	return 0;
}

static struct question *new_question(const char *path)
{
	size_t size = strlen(path) + 1;
	struct question *question = mc_alloc_zero(sizeof(*question) + size);
	struct pending *pending = mc_alloc_zero(sizeof(*pending));

	atomic_init(&pending->holders, 2);
	question->pending = pending;
	memcpy(question->path, path, size);
	return question;
}

/* Returns 0 or what went wrong; with ETIMEDOUT, '*left' is the call that is still out. */
static int attempt(struct mc_ctx *ctx, const char *path, struct statvfs *out, struct pending **left)
{
	mc_time limit = ctx->interval / PARTS;
	struct question *question = new_question(path);
	struct pending *pending = question->pending;
	int result;

	result = mc_timed_call(ctx, limit < LIMIT_MAX ? limit : LIMIT_MAX, ask, question);
	if (result == -ETIMEDOUT) {
		*left = pending;
		return ETIMEDOUT;
	}
	if (result == 0) {
		result = question->errnum;
		*out = question->answer;
	} else { /* ask() was not called. */
		result = -result;
		leave(pending);
	}
	leave(pending);
	free(question);
	return result;
}

static bool is_silence(int errnum)
{
	return errnum == ETIMEDOUT || errnum == EHOSTDOWN;
}

static void log_failure(struct mc_ctx *ctx, const char *point, int errnum)
{
	if (is_silence(errnum))
		mc_log(ctx, MC_WARN,
		       "file system '%s' does not answer: left out until it "
		       "does",
		       point);
	else
		mc_log(ctx, MC_WARN, "cannot ask file system '%s': %s", point, strerror(errnum));
}

/* Remembers what went wrong, so that it is logged only when it is new. */
static void note(struct mc_ctx *ctx, struct space *space, const struct mount *mount, int errnum,
		 struct pending *left)
{
	struct trouble *trouble = find(space, mount);

	if (errnum == 0 && trouble != NULL) {
		mc_log(ctx, MC_NOTE, "file system '%s' answers again", mount->point);
		drop(space, trouble);
	}
	if (errnum == 0)
		return;
	if (trouble == NULL)
		trouble = add(space, mount);
	if (trouble->errnum != errnum && !(is_silence(trouble->errnum) && is_silence(errnum)))
		log_failure(ctx, mount->point, errnum);
	trouble->errnum = errnum;
	trouble->pending = left;
	trouble->mounted = true;
}

void space_begin(struct space *space)
{
	space->late = 0;
	for (size_t i = 0; i < space->len; i++)
		space->troubles[i].mounted = false;
}

bool space_ask(struct mc_ctx *ctx, struct space *space, const struct mount *mount,
	       struct statvfs *out)
{
	struct trouble *trouble = find(space, mount);
	struct pending *left = NULL;
	char path[4096];
	int errnum = 0;

	if (trouble != NULL)
		trouble->mounted = true;
	if (trouble != NULL && trouble->pending != NULL) {
		if (!atomic_load(&trouble->pending->answered))
			return false;
		leave(trouble->pending);
		trouble->pending = NULL;
	}
	if (mount->may_hang && space->late >= LATE_MAX)
		return false;
	mc_path(ctx, mount->point, path, sizeof(path));
	if (mount->may_hang && server_hangs(space, mount))
		errnum = EHOSTDOWN;
	else if (mount->may_hang)
		errnum = attempt(ctx, path, out, &left);
	else if (statvfs(path, out) != 0)
		errnum = errno;
	if (left != NULL)
		space->late++;
	note(ctx, space, mount, errnum, left);
	return errnum == 0;
}

void space_end(struct space *space)
{
	for (size_t i = space->len; i-- > 0;)
		if (!space->troubles[i].mounted)
			drop(space, &space->troubles[i]);
}

void space_free(struct space *space)
{
	while (space->len > 0)
		drop(space, &space->troubles[space->len - 1]);
	free(space->troubles);
	*space = (struct space){ 0 };
}
