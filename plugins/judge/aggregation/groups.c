/* SPDX-License-Identifier: MIT */
#include "groups.h"

#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>

/* --- Names, as keys of maps ----------------------------------------------- */

static void add_part(struct mc_buffer *key, const char *part)
{
	mc_buffer_add(key, part, strlen(part) + 1);
}

/* The name with that plugin instance. */
static void add_name(struct mc_buffer *key, const struct block_name *name,
		     const char *plugin_instance, const char *type)
{
	add_part(key, name->host);
	add_part(key, name->plugin);
	add_part(key, plugin_instance);
	add_part(key, type);
	add_part(key, name->type_instance);
}

/* Two blocks never share a group: their members differ. */
static struct mc_buffer group_key(const struct block *block, const struct mc_type *type,
				  const struct block_name *name)
{
	struct mc_buffer key = { 0 };

	mc_buffer_add(&key, &block, sizeof(block));
	add_name(&key, name, name->plugin_instance, type->name);
	return key;
}

/* --- Outputs ------------------------------------------------------------- */

/* NULL: another block, or function, makes a series of that name already. */
static struct output *make_output(struct groups *groups, const struct group *group,
				  enum block_function function)
{
	size_t sources = group->type->sources_len;
	char *instance = block_instance(&group->name, function);
	struct mc_buffer key = { 0 };
	struct output *output;

	add_name(&key, &group->name, instance, group->type->name);
	if (mc_map_find(&groups->outputs, key.at, key.size) != NULL) {
		free(groups->name_taken);
		groups->name_taken =
			mc_alloc_printf("%s/%s-%s/%s-%s", group->name.host, group->name.plugin,
					instance, group->type->name, group->name.type_instance);
		mc_buffer_free(&key);
		free(instance);
		return NULL;
	}
	output = mc_alloc_zero(sizeof(*output) + sources * sizeof(*output->totals));
	output->group = group;
	output->plugin_instance = instance;
	output->node.key = key.at;
	output->node.key_size = key.size;
	mc_map_add(&groups->outputs, &output->node);
	return output;
}

static void free_output(struct output *output)
{
	if (output == NULL)
		return;
	free((void *)output->node.key);
	free(output->plugin_instance);
	free(output);
}

/* --- Groups -------------------------------------------------------------- */

static void link_group(struct groups *groups, struct group *group)
{
	group->previous = groups->last;
	if (groups->last != NULL)
		groups->last->next = group;
	else
		groups->first = group;
	groups->last = group;
	mc_map_add(&groups->by_name, &group->node);
}

static void unlink_group(struct groups *groups, struct group *group)
{
	if (group->previous != NULL)
		group->previous->next = group->next;
	else
		groups->first = group->next;
	if (group->next != NULL)
		group->next->previous = group->previous;
	else
		groups->last = group->previous;
	mc_map_remove(&groups->by_name, &group->node);
}

static struct group *make_group(struct groups *groups, const struct block *block,
				const struct mc_type *type, const struct block_name *name)
{
	struct mc_buffer key = group_key(block, type, name);
	struct group *group = mc_alloc_zero(sizeof(*group));

	group->node.key = key.at;
	group->node.key_size = key.size;
	group->type = type;
	group->metadata = block_metadata(block);
	group->name = *name;
	link_group(groups, group);
	for (unsigned i = 0; i < BLOCK_FUNCTIONS; i++)
		if (block->calculate[i])
			group->outputs[i] = make_output(groups, group, i);
	group->summed = group->outputs[BLOCK_MIN] == NULL && group->outputs[BLOCK_MAX] == NULL &&
			group->outputs[BLOCK_STDDEV] == NULL;
	return group;
}

static void end_group(struct groups *groups, struct group *group)
{
	for (unsigned i = 0; i < BLOCK_FUNCTIONS; i++)
		if (group->outputs[i] != NULL)
			mc_map_remove(&groups->outputs, &group->outputs[i]->node);
	unlink_group(groups, group);
	group->next = groups->ended;
	groups->ended = group;
}

static void free_group(struct group *group)
{
	for (unsigned i = 0; i < BLOCK_FUNCTIONS; i++)
		free_output(group->outputs[i]);
	block_name_free(&group->name);
	free((void *)group->node.key);
	free(group->members);
	free(group);
}

/* Finds the group of that block for the series, or makes it; NULL: there are too many. */
static struct group *have_group(struct groups *groups, const struct block *block,
				const struct mc_series *series)
{
	const struct mc_type *type = block_type(block, series);
	struct block_name name;
	struct mc_buffer key;
	struct group *group;

	block_name(block, series, &name);
	key = group_key(block, type, &name);
	group = (struct group *)mc_map_find(&groups->by_name, key.at, key.size);
	mc_buffer_free(&key);
	if (group == NULL && groups->by_name.len < groups->limit)
		return make_group(groups, block, type, &name);
	block_name_free(&name);
	return group;
}

/* --- Members ------------------------------------------------------------- */

static struct member *make_member(const struct groups *groups, const struct mc_series *series)
{
	size_t rates_len = mc_type(series)->sources_len;
	struct member *member = mc_alloc_zero(sizeof(*member) + rates_len * sizeof(*member->rates));

	member->rates_len = (unsigned)rates_len;
	member->memberships = mc_alloc_array(groups->blocks_len, sizeof(*member->memberships));
	return member;
}

/* False: there are too many groups. */
static bool join_block(struct groups *groups, struct member *member, const struct block *block,
		       const struct mc_series *series)
{
	struct group *group = have_group(groups, block, series);

	if (group == NULL)
		return false;
	group_add(group, member);
	groups->members++;
	return true;
}

struct member *groups_join(struct groups *groups, const struct mc_series *series, bool *refused)
{
	struct member *member = NULL;

	*refused = false;
	for (size_t i = 0; i < groups->blocks_len; i++) {
		const struct block *block = &groups->blocks[i];

		if (!block_takes(block, series))
			continue;
		if (member == NULL)
			member = make_member(groups, series);
		if (join_block(groups, member, block, series))
			continue;
		*refused = true;
		groups_leave(groups, member);
		return NULL;
	}
	return member;
}

void groups_leave(struct groups *groups, struct member *member)
{
	for (unsigned i = 0; i < member->memberships_len && !groups->done; i++) {
		struct group *group = member->memberships[i].group;

		group_remove(group, member->memberships[i].index);
		groups->members--;
		if (group->len == 0)
			end_group(groups, group);
	}
	free(member->memberships);
	free(member);
}

void groups_free_ended(struct groups *groups)
{
	while (groups->ended != NULL) {
		struct group *group = groups->ended;

		groups->ended = group->next;
		free_group(group);
	}
}

void groups_done(struct groups *groups)
{
	while (groups->first != NULL)
		end_group(groups, groups->first);
	groups_free_ended(groups);
	groups->done = true;
	free(groups->name_taken);
	groups->name_taken = NULL;
	mc_map_done(&groups->by_name);
	mc_map_done(&groups->outputs);
}
