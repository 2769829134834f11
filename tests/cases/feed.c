/* SPDX-License-Identifier: MIT */
/* A line that is neither fails the read, which is then in the outcome. */
#include "feed.h"

#include <errno.h>
#include <string.h>

#include <collector/serve.h>

#include "formats/plaintext/plaintext.h"

static const struct mc_type *find(void *argument, const char *name)
{
	return mc_type_find(argument, name);
}

static int take_lines(struct mc_ctx *ctx, char *text, struct mc_batch *out)
{
	const struct mc_plain_context context = {
		.now = mc_wall(), .interval = ctx->interval, .find = find, .argument = ctx
	};

	while (*text != '\0') {
		size_t size = strcspn(text, "\n");
		bool last = text[size] == '\0';
		struct mc_plain plain;

		if (!mc_plain_parse(&plain, text, size, &context))
			return mc_fail(ctx, EINVAL, "%s", plain.error);
		if (plain.verb == MC_PLAIN_PUTNOTIF)
			mc_notify(ctx, &plain.notification);
		while (plain.verb == MC_PLAIN_PUTVAL && mc_plain_next(&plain))
			mc_put_at(out, mc_series_named(out, &plain.name), plain.stamp, plain.values,
				  plain.type->sources_len);
		text += size + !last;
	}
	return 0;
}

int feed_lines(struct mc_ctx *feed, char *text)
{
	struct mc_batch *batch = mc_begin(feed);
	int rc = take_lines(feed, text, batch);

	mc_commit(batch);
	return rc;
}

static int feed_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	char *text;
	ssize_t rc = mc_read_optional(ctx, "/put", &text);

	if (rc == -ENOENT)
		return 0;
	return rc < 0 ? (int)rc : take_lines(ctx, text, out);
}

const struct mc_plugin feed_plugin = {
	.api = MC_API,
	.name = "feed",
	.help = "Puts samples that stand in a file.",
	.read = feed_read,
};
