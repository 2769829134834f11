/* SPDX-License-Identifier: MIT */
/* The difference between two configurations.  Names of options have no case, as in the file; values
 * are compared as they are written, because a plugin may make a difference between them. */
#include "daemon/config/difference.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* The size in front makes a text one value, whatever is in it. */
static void put_value(const struct conf_value *value, FILE *out)
{
	fprintf(out, " %c%zu:%s", value->quoted ? 'q' : 'p', strlen(value->text), value->text);
}

static void put_node(const struct conf_node *node, FILE *out)
{
	for (const char *c = node->name; *c != '\0'; c++)
		fputc(tolower((unsigned char)*c), out);
	for (size_t i = 0; i < node->values_len; i++)
		put_value(&node->values[i], out);
	fputs(node->block ? " {\n" : "\n", out);
	for (size_t i = 0; i < node->children_len; i++)
		put_node(node->children[i], out);
	if (node->block)
		fputs("}\n", out);
}

char *difference_text(const struct wanted *wanted, mc_time interval)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return alloc_copy(""); /* Out of memory ends it anyway. */
	fprintf(out, "%lld %lld %lld %d\n",
		(long long)(wanted->interval > 0 ? wanted->interval : interval),
		(long long)wanted->flush_interval, (long long)wanted->flush_timeout,
		wanted->recorded);
	for (size_t i = 0; i < wanted->blocks_len; i++)
		for (size_t j = 0; j < wanted->blocks[i]->children_len; j++)
			put_node(wanted->blocks[i]->children[j], out);
	fclose(out);
	return text;
}

static size_t find(const struct identity *items, size_t len, const char *name)
{
	for (size_t i = 0; i < len; i++)
		if (strcmp(items[i].name, name) == 0)
			return i;
	return DIFFERENCE_NONE;
}

struct difference difference_find(const struct identity *before, size_t before_len,
				  const struct identity *after, size_t after_len)
{
	struct difference difference = {
		.kept = alloc_array(after_len, sizeof(*difference.kept)),
		.stays = alloc_array(before_len, sizeof(*difference.stays)),
		.removed = before_len,
	};

	for (size_t i = 0; i < after_len; i++) {
		size_t at = find(before, before_len, after[i].name);

		difference.kept[i] = DIFFERENCE_NONE;
		if (at == DIFFERENCE_NONE) {
			difference.added++;
			continue;
		}
		difference.removed--;
		if (before[at].fails || strcmp(before[at].text, after[i].text) != 0) {
			difference.changed++;
			continue;
		}
		difference.kept[i] = at;
		difference.stays[at] = true;
		difference.kept_len++;
	}
	return difference;
}

void difference_done(struct difference *difference)
{
	free(difference->kept);
	free(difference->stays);
	*difference = (struct difference){ 0 };
}
