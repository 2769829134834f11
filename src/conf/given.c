/* SPDX-License-Identifier: MIT */
/* Where in the file the fields of a filled struct come from. */
#include "conf/given.h"

#include <stdio.h>

struct given_value { /* A list, the newest first. */
	const struct given_value *next;
	const void *field;
	struct given given;
};

struct given_block { /* A list, the newest first. */
	const struct given_block *next;
	const char *self;
	const struct mc_option *options;
	const char *name;
	struct place place;
};

static const char *name_of(const struct conf_node *block)
{
	return block != NULL ? block->name : NULL;
}

void given_add_block(struct conf_keep *keep, const void *self, const struct mc_option *options,
		     const struct conf_node *block, struct place place)
{
	struct given_block *one = arena_zero(&keep->arena, sizeof(*one));

	*one = (struct given_block){
		.next = keep->given_blocks,
		.self = self,
		.options = options,
		.name = name_of(block),
		.place = place,
	};
	keep->given_blocks = one;
}

void given_add_value(struct conf_keep *keep, const void *field, const struct mc_option *option,
		     const struct conf_node *block, const struct conf_value *value)
{
	struct given_value *one = arena_zero(&keep->arena, sizeof(*one));

	*one = (struct given_value){
		.next = keep->given_values,
		.field = field,
		.given = { option, name_of(block), value->text, value->place },
	};
	keep->given_values = one;
}

static const struct mc_option *option_at(const struct given_block *block, const void *field)
{
	const struct mc_option *option = block->options;

	while (option->name != NULL && block->self + option->offset != field)
		option++;
	return option->name != NULL ? option : NULL;
}

bool given_find(const struct conf_keep *keep, const void *field, struct given *given)
{
	for (const struct given_value *one = keep->given_values; one != NULL; one = one->next) {
		if (one->field == field) {
			*given = one->given;
			return true;
		}
	}
	for (const struct given_block *one = keep->given_blocks; one != NULL; one = one->next) {
		const struct mc_option *option = option_at(one, field);

		if (option == NULL)
			continue;
		*given = (struct given){ option, one->name, NULL, one->place };
		return true;
	}
	return false;
}

const char *given_title(const struct given *given, char *out, size_t size)
{
	if (given->option->name[0] != '\0')
		snprintf(out, size, "%.64s", given->option->name);
	else
		snprintf(out, size, "<%.64s>", given->block != NULL ? given->block : "");
	return out;
}
