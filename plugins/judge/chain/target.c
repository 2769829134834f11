/* SPDX-License-Identifier: MIT */
/* Targets of all kinds. */
#include "target.h"

#include "target_kinds.h"

const struct target_kind *target_kind(int kind)
{
	static const struct target_kind *const kinds[] = {
		&target_builtin_write, &target_builtin_stop, &target_builtin_return,
		&target_builtin_jump,  &target_notification, &target_set,
		&target_replace,       &target_scale,        &target_v5upgrade,
	};

	return kinds[kind];
}

bool target_open(struct target *target, const struct target_block *block, struct shared *shared)
{
	const struct target_kind *kind = target_kind(block->kind);

	*target = (struct target){ .kind = kind, .block = block };
	if (kind->keeps)
		target->number = shared->scales_len++;
	if (kind->open == NULL)
		return true;
	target->state = kind->open(block);
	return target->state != NULL;
}

void target_close(struct target *target)
{
	if (target->kind != NULL && target->kind->close != NULL)
		target->kind->close(target->state);
	*target = (struct target){ 0 };
}
