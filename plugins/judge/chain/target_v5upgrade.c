/* SPDX-License-Identifier: MIT */
/* The target "v5upgrade": names and types of collectd 4 become those of 5. */
#include "target_kinds.h"

#include <string.h>

#include "split.h"

/* collectd 4 had the interface in the type instance. */
static enum target_result swap_instances(const struct target *target, struct subject *subject)
{
	struct name *next = name_find(subject->name, target);
	struct mc_id id = subject->name->id;

	if (next == NULL) {
		id.plugin_instance = subject->name->id.type_instance;
		id.type_instance = "";
		next = name_derive(subject->name, target, &id, subject->shared->verdicts_len);
	}
	if (next == NULL)
		return TARGET_FAILED;
	subject->name = next;
	return TARGET_CONTINUE;
}

static enum target_result apply(const struct target *target, struct subject *subject)
{
	const struct mc_id *id = &subject->name->id;

	switch (split_of(subject->name)) {
	case SPLIT_INTO:
		subject->split = true;
		return TARGET_STOP;
	case SPLIT_NOTHING:
		return TARGET_STOP;
	case SPLIT_NONE:
		break;
	}
	if (strcmp(id->type, "df") != 0 && strcmp(id->plugin, "interface") == 0 &&
	    id->plugin_instance[0] == '\0' && id->type_instance[0] != '\0')
		return swap_instances(target, subject);
	return TARGET_CONTINUE;
}

const struct target_kind target_v5upgrade = {
	.options = (const char *const[]){ NULL },
	.changes = true,
	.splits = true,
	.apply = apply,
};
