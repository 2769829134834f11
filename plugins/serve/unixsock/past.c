/* SPDX-License-Identifier: MIT */
#include "past.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/private/catalogue.h>
#include <collector/private/status.h>

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

/* --- Which writers have them --------------------------------------------------- */

#define KEEPERS_TIME (10 * MC_SECOND)

struct keepers {
	struct errand base;       /* First. */
	const char *glob, *label; /* In 'texts', or NULL. */
	struct mc_ctx *ctx;
	mc_time until;
	size_t len;
	bool some; /* Writers of the series have been printed. */
	char texts[];
};

static void add_keeper(void *argument, const struct mc_keeper *keeper)
{
	struct keepers *keepers = argument;

	if (!keeper->has)
		return;
	reply_print(&keepers->base.reply, "%s%s", keepers->some ? "," : "", keeper->writer);
	keepers->some = true;
}

/* "WRITER,WRITER NAME"; "- NAME": none has it. */
static bool add_keepers(void *argument, const struct mc_ended *ended)
{
	struct keepers *keepers = argument;
	struct mc_buffer *reply = &keepers->base.reply;

	if (keepers->label != NULL &&
	    (ended->metric == NULL || !mc_metric_matches(ended->metric, keepers->label)))
		return true;
	if (mc_now() >= keepers->until)
		return false;
	keepers->some = false;
	mc_each_keeper(keepers->ctx, ended->name, add_keeper, keepers);
	reply_print(reply, "%s %s\n", keepers->some ? "" : "-", ended->name);
	keepers->len++;
	return true;
}

static void list_keepers(struct errand *errand, struct mc_ctx *ctx)
{
	struct keepers *keepers = (struct keepers *)errand;
	char head[64];
	int size;

	keepers->ctx = ctx;
	keepers->until = mc_now() + KEEPERS_TIME;
	mc_each_ended(ctx, keepers->glob, add_keepers, keepers);
	size = snprintf(head, sizeof(head), "%zu Value%s found\n", keepers->len,
			keepers->len == 1 ? "" : "s");
	reply_insert(&errand->reply, 0, head, (size_t)size);
}

struct errand *past_keepers(const char *glob, const char *label)
{
	size_t glob_size = glob != NULL ? strlen(glob) + 1 : 0;
	size_t label_size = label != NULL ? strlen(label) + 1 : 0;
	struct keepers *keepers = mc_alloc(sizeof(*keepers) + glob_size + label_size);

	*keepers = (struct keepers){ .base = { .run = list_keepers } };
	if (glob != NULL)
		keepers->glob = memcpy(keepers->texts, glob, glob_size);
	if (label != NULL)
		keepers->label = memcpy(keepers->texts + glob_size, label, label_size);
	return &keepers->base;
}
