/* SPDX-License-Identifier: MIT */
#include "enqueue.h"

#include <errno.h>
#include <string.h>

#include "deferred.h"
#include "loss.h"

/* At most. */
static size_t line_size(const struct file *file)
{
	return file->node.key_size +
	       MC_RRD_UPDATE_SIZE(file->layout->sources_len);
}

static uint64_t count_samples(void *daemon, const char *line,
			      size_t size) MC_NO_LOCK
{
	return loss_of_line(daemon, line, size);
}

bool enqueue_make_room(struct daemon *daemon, const struct file *file)
	MC_REQUIRES(daemon->shared->lock)
{
	struct backlog_drop drop = { count_samples, daemon, 0 };
	bool fits = backlog_make_room(&daemon->backlog, line_size(file), &drop);
	const char *reason = daemon->last_error[0] != '\0' ? daemon->last_error
							   : "no answer";

	loss_add(daemon, drop.counted, (struct loss_cause){ ENOBUFS, reason },
		 "the oldest", strlen("the oldest"));
	return fits;
}

static void put_line(struct daemon *daemon, struct file *file, int64_t second,
		     const union mc_value *values, struct mc_offset offset)
{
	struct backlog *backlog = &daemon->backlog;
	size_t size = line_size(file);
	char *out = backlog_room(backlog, size);

	memcpy(out, file->prefix, file->node.key_size);
	size = file->node.key_size + mc_rrd_update(file->layout, second, values,
						   out + file->node.key_size);
	out[size - 1] = '\n';
	backlog_put(backlog, size, offset);
	file->position = backlog->put;
	if (file->reconciled == 0 && second <= daemon->shared->started)
		reconcile_want(daemon);
}

static void lose_unfit(struct daemon *daemon, struct file *file,
		       uint64_t samples)
{
	char reason[128];
	size_t size;
	const char *path = file_path(file, &size);

	check_reason(file, reason, sizeof(reason));
	loss_add(daemon, samples, (struct loss_cause){ EINVAL, reason }, path,
		 size);
	if (check_is_due(file, mc_now()))
		check_add(&daemon->check, file);
}

bool enqueue_update(struct daemon *daemon, struct file *file, int64_t second,
		    const union mc_value *values, struct mc_offset offset)
{
	char value[MC_RRD_UPDATE_SIZE(MC_SOURCES_MAX)];
	size_t size;

	if (!file->unfit && !file->missing &&
	    !backlog_fits(&daemon->backlog, line_size(file)))
		return false;
	file->second = second;
	if (file->unfit) {
		size = mc_rrd_update(file->layout, second, values, value);
		lose_unfit(daemon, file, loss_count(file, value, size));
	} else if (!file->missing) {
		put_line(daemon, file, second, values, offset);
	} else {
		size = mc_rrd_update(file->layout, second, values, value);
		value[size - 1] = '\n';
		deferred_value(daemon, file, value, size, offset);
	}
	return true;
}

struct mc_offset enqueue_oldest(const struct daemon *daemon)
	MC_REQUIRES(daemon->shared->lock)
{
	struct mc_offset oldest = backlog_oldest(&daemon->backlog);

	deferred_oldest(daemon->create.first, &oldest);
	deferred_oldest(daemon->create.failed, &oldest);
	deferred_oldest(daemon->file, &oldest);
	return oldest;
}
