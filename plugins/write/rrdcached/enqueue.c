/* SPDX-License-Identifier: MIT */
#include "enqueue.h"

#include <errno.h>
#include <string.h>

#include "deferred.h"
#include "loss.h"

/* At most. */
static size_t line_size(const struct file *file)
{
	return file->node.key_size + MC_RRD_UPDATE_SIZE(file->layout->sources_len);
}

bool enqueue_make_room(struct daemon *daemon, const struct file *file)
	MC_REQUIRES(daemon->shared->lock)
{
	uint64_t dropped = 0;
	bool fits = backlog_make_room(&daemon->backlog, line_size(file), &dropped);
	const char *reason = daemon->last_error[0] != '\0' ? daemon->last_error : "no answer";

	loss_add(daemon, dropped, (struct loss_cause){ ENOBUFS, reason }, "the oldest",
		 strlen("the oldest"));
	return fits;
}

static uint64_t put_line(struct daemon *daemon, struct file *file, int64_t second,
			 const union mc_value *values, struct mc_offset offset)
{
	struct backlog *backlog = &daemon->backlog;
	size_t size = line_size(file);
	char *out = backlog_room(backlog, size);
	uint64_t samples;

	memcpy(out, file->prefix, file->node.key_size);
	size = file->node.key_size +
	       mc_rrd_update(file->layout, second, values, out + file->node.key_size);
	out[size - 1] = '\n';
	samples = file->row == NULL
			  ? 1
			  : loss_count(file, out + file->node.key_size, size - file->node.key_size);
	backlog_put(backlog, size, samples, offset);
	file->position = backlog->put;
	if (file->reconciled == 0 && second <= daemon->shared->started)
		reconcile_want(daemon);
	return samples;
}

static void lose_unfit(struct daemon *daemon, struct file *file, uint64_t samples)
{
	char reason[128];
	size_t size;
	const char *path = file_path(file, &size);

	check_reason(file, reason, sizeof(reason));
	loss_add(daemon, samples, (struct loss_cause){ EINVAL, reason }, path, size);
	if (check_is_due(file, mc_now()))
		check_add(&daemon->check, file);
}

uint64_t enqueue_update(struct daemon *daemon, struct file *file, int64_t second,
			const union mc_value *values, struct mc_offset offset)
{
	char value[MC_RRD_UPDATE_SIZE(MC_SOURCES_MAX)];
	uint64_t samples;
	size_t size;

	if (!file->unfit && !file->missing && !backlog_fits(&daemon->backlog, line_size(file)))
		return 0;
	file->second = second;
	if (!file->unfit && !file->missing)
		return put_line(daemon, file, second, values, offset);
	size = mc_rrd_update(file->layout, second, values, value);
	value[size - 1] = '\n';
	samples = loss_count(file, value, size);
	if (file->unfit)
		lose_unfit(daemon, file, samples);
	else
		deferred_value(daemon, file, value, size, offset);
	return samples;
}
