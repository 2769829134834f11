/* SPDX-License-Identifier: MIT */
#include "past.h"

#include <errno.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/private/catalogue.h>

struct task {
	struct errand base; /* First. */
	bool files;
	char glob[];
};

static void print_len(struct mc_buffer *reply, const char *start, const struct task *task,
		      const struct mc_forgotten *result)
{
	reply_print(reply, "%s%zu series forgotten", start, result->len);
	if (task->files)
		reply_print(reply, ", %zu file%s removed", result->files,
			    result->files == 1 ? "" : "s");
}

static void forget(struct errand *errand, struct mc_ctx *ctx)
{
	const struct task *task = (const struct task *)errand;
	struct mc_buffer *reply = &errand->reply;
	struct mc_forgotten result;

	switch (mc_forget(ctx, task->glob, task->files, &result)) {
	case 0:
		print_len(reply, "0 Done: ", task, &result);
		break;
	case -EBUSY:
		reply_print(reply, "-1 '%s'", result.name);
		if (result.sending > 1)
			reply_print(reply, " and %zu more", result.sending - 1);
		reply_print(reply, " still ha%s values", result.sending > 1 ? "ve" : "s");
		break;
	default:
		print_len(reply, "-1 ", task, &result);
		reply_print(reply, "; not '%s': %s", result.name, result.why);
		if (result.kept > 1)
			reply_print(reply, " (and %zu more)", result.kept - 1);
		break;
	}
	reply_print(reply, "\n");
}

struct errand *past_forget(const char *glob, bool files)
{
	size_t size = strlen(glob) + 1;
	struct task *task = mc_alloc(sizeof(*task) + size);

	*task = (struct task){ .base = { .run = forget }, .files = files };
	memcpy(task->glob, glob, size);
	return &task->base;
}

static void scan(struct errand *errand, struct mc_ctx *ctx)
{
	struct mc_learned result;

	mc_learn(ctx, &result);
	reply_print(&errand->reply, "0 Done: %zu series are known now%s, of %zu files\n",
		    result.len, result.full ? ", as many as CatalogueLimit" : "", result.files);
}

struct errand *past_scan(void)
{
	struct errand *errand = mc_alloc(sizeof(*errand));

	*errand = (struct errand){ .run = scan };
	return errand;
}
