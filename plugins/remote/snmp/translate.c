/* SPDX-License-Identifier: MIT */
#include "translate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/spawn.h>

#include "formats/snmp/names.h"

#define LIMIT (10 * MC_SECOND)

static void want(struct translate *translate, const char *name)
{
	struct mc_object_id id;

	if (name == NULL || *name == '\0')
		return;
	if (mc_snmp_find_name(name, &id)) {
		mc_object_id_done(&id);
		return;
	}
	for (size_t i = 0; i < translate->names_len; i++)
		if (strcmp(translate->names[i], name) == 0)
			return;
	translate->names =
		mc_alloc_resize(translate->names, translate->names_len + 1, sizeof(char *));
	translate->names[translate->names_len++] = mc_alloc_copy(name);
}

static void want_all(struct translate *translate, const struct snmp_options *options)
{
	const struct data_options *items = options->data.items;

	for (size_t i = 0; i < options->data.len; i++) {
		const struct data_options *data = &items[i];

		for (size_t j = 0; j < data->values.len; j++)
			want(translate, data->values.items[j]);
		if (!data->table)
			continue;
		want(translate, options_type_instance_oid(data));
		want(translate, data->plugin_instance_oid);
		want(translate, data->host_oid);
		want(translate, data->filter_oid);
	}
	translate->ids = mc_alloc_array(translate->names_len, sizeof(*translate->ids));
}

/* The number of the name, or something else. */
static void take_line(void *argument, const struct mc_child_line *line)
{
	struct translate *translate = argument;
	struct mc_object_id id;

	if (line->fd == 1 && translate->ids[translate->asked].len == 0 &&
	    mc_object_id_parse(line->text, &id))
		translate->ids[translate->asked] = id;
}

static void ended(void *argument, const struct mc_child_end *end)
{
	struct translate *translate = argument;

	(void)end;
	translate->ended = true;
	mc_loop_end(translate->loop);
}

/* One name each: of one that is not known nothing is written. */
static int ask(struct translate *translate, struct mc_spawner *spawner, const char *name)
{
	const struct mc_program program = {
		.argv = (const char *const[]){ "snmptranslate", "-On", "-IR", "-m", "ALL", name,
					       NULL },
		.time_max = LIMIT,
		.output_max = 1 << 20,
		.line = take_line,
		.ended = ended,
		.argument = translate,
	};
	int rc;

	translate->ended = false;
	rc = mc_spawn(spawner, &program, NULL);
	if (rc < 0)
		return 0; /* The <Data> says so. */
	rc = mc_loop_run(translate->loop);
	return rc == 0 && !translate->ended ? -ECANCELED : rc;
}

int translate_run(struct translate *translate, struct mc_loop *loop,
		  const struct snmp_options *options)
{
	struct mc_spawner *spawner;
	int rc = 0;

	want_all(translate, options);
	if (translate->names_len == 0)
		return 0;
	translate->loop = loop;
	spawner = mc_spawner_new(loop, NULL);
	for (size_t i = 0; i < translate->names_len && rc == 0; i++) {
		translate->asked = i;
		rc = ask(translate, spawner, translate->names[i]);
	}
	mc_spawner_free(spawner);
	return rc;
}

void translate_done(struct translate *translate)
{
	for (size_t i = 0; i < translate->names_len; i++) {
		free(translate->names[i]);
		mc_object_id_done(&translate->ids[i]);
	}
	free(translate->names);
	free(translate->ids);
	*translate = (struct translate){ 0 };
}

bool translate_find(const struct translate *translate, const char *name, struct mc_object_id *id)
{
	for (size_t i = 0; i < translate->names_len; i++)
		if (strcmp(translate->names[i], name) == 0 && translate->ids[i].len > 0) {
			*id = mc_object_id_copy(&translate->ids[i]);
			return true;
		}
	return false;
}
