/* SPDX-License-Identifier: MIT */
/* The target "notification": sends one for each value. */
#include "target_kinds.h"

#include <collector/check.h>

#include <stdio.h>
#include <string.h>

#include "placeholder.h"

#define MESSAGE_SIZE 1024

static void check(struct mc_ctx *ctx, const struct target_block *block)
{
	if (block->message == NULL || block->message[0] == '\0')
		mc_check_error(ctx, &block->kind, "has no Message");
}

/* The gauge, or the rate where it is known; in the notation of collectd. */
static void format(const struct subject *subject, unsigned source, char *out, size_t size)
{
	const struct mc_sample *sample = subject->sample;

	if (subject->name->type->sources[source].kind == MC_GAUGE)
		snprintf(out, size, "%.15g", subject_values(subject)[source].gauge);
	else if (subject->behind)
		snprintf(out, size, "%.15g", mc_rate(sample, source));
	else
		snprintf(out, size, "unknown");
}

static bool value_of(const void *argument, const char *name, size_t size, char *out,
		     size_t out_size)
{
	const struct subject *subject = argument;
	const struct mc_type *type = subject->name->type;

	if (placeholder_part(&subject->name->id, name, size, out, out_size))
		return true;
	if (size < 3 || strncmp(name, "ds:", 3) != 0)
		return false;
	for (unsigned i = 0; i < subject->sample->values_len; i++)
		if (strlen(type->sources[i].name) == size - 3 &&
		    memcmp(type->sources[i].name, name + 3, size - 3) == 0) {
			format(subject, i, out, out_size);
			return true;
		}
	return false;
}

static enum target_result apply(const struct target *target, struct subject *subject)
{
	char message[MESSAGE_SIZE];

	subject->each = true;
	if (subject->sample == NULL || subject->again)
		return TARGET_CONTINUE;
	placeholder_fill(target->block->message, value_of, subject, message, sizeof(message));
	mc_notify(subject->ctx,
		  &(struct mc_notification){ .severity = options_severity(target->block),
					     .id = subject->name->id,
					     .message = message });
	return TARGET_CONTINUE;
}

const struct target_kind target_notification = {
	.options = (const char *const[]){ "Message", "Severity", NULL },
	.check = check,
	.apply = apply,
};
