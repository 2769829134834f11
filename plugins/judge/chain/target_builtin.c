/* SPDX-License-Identifier: MIT */
/* The targets that say how it goes on: write, stop, return, jump. */
#include "target_kinds.h"

#include <collector/check.h>

#include "sends.h"

static enum target_result apply_write(const struct target *target, struct subject *subject)
{
	bool to_all = target->block->plugin.len == 0;

	if (sends_are_due(subject)) {
		subject->each = true;
		sends_add(subject, target->writers, to_all);
		return TARGET_CONTINUE;
	}
	if (to_all)
		subject->to_all = true;
	subject->writers |= target->writers;
	return TARGET_CONTINUE;
}

const struct target_kind target_builtin_write = {
	.options = (const char *const[]){ "Plugin", NULL },
	.writes = true,
	.apply = apply_write,
};

static enum target_result apply_stop(const struct target *target, struct subject *subject)
{
	(void)target;
	(void)subject;
	return TARGET_STOP;
}

const struct target_kind target_builtin_stop = {
	.options = (const char *const[]){ NULL },
	.apply = apply_stop,
};

static enum target_result apply_return(const struct target *target, struct subject *subject)
{
	(void)target;
	(void)subject;
	return TARGET_RETURN;
}

const struct target_kind target_builtin_return = {
	.options = (const char *const[]){ NULL },
	.apply = apply_return,
};

static void check_jump(struct mc_ctx *ctx, const struct target_block *block)
{
	if (block->chain == NULL)
		mc_check_error(ctx, &block->kind, "has no Chain");
}

/* There is no such chain, or it is being gone through; else flow.c does it. */
static enum target_result apply_jump(const struct target *target, struct subject *subject)
{
	(void)target;
	(void)subject;
	return TARGET_FAILED;
}

const struct target_kind target_builtin_jump = {
	.options = (const char *const[]){ "Chain", NULL },
	.jumps = true,
	.check = check_jump,
	.apply = apply_jump,
};
