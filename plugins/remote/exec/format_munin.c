/* SPDX-License-Identifier: MIT */
/* Plugins of Munin: run with "config" once an hour, and when there is a field
 * that is not known, else without an argument.  Each field becomes a series
 * munin-SERVICE/TYPE-FIELD.  See kit/munin.h. */
#include "format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/buffer.h>
#include <collector/kit/map.h>
#include <collector/kit/munin.h>
#include <collector/kit/number.h>

#include "programs.h"

#define CONFIG_PERIOD (3600 * MC_SECOND)
#define FIELDS_MAX 4096 /* Of a program, and values of a run. */

struct field { /* What "config" says of one. */
	struct mc_map_node node;
	enum mc_kind kind;
	double min, max;
	char key[]; /* "SERVICE FIELD" */
};

struct munin_value { /* Until it is known how the run ends. */
	char *service, *field;
	char digits[40];
	double number;
	mc_time time;
};

struct munin_run {
	const char **argv; /* With "config" behind it. */
	bool is_config;
	bool wants_config; /* A field is not known. */
	mc_time config_due;
	mc_time interval; /* Of update_rate; 0: it is not said. */
	struct mc_map fields;
	struct munin_value *values;
	size_t values_len, values_room;
	char *service; /* That lines are of. */
	struct mc_buffer line;
};

/* --- Runs ----------------------------------------------------------------- */

static struct munin_run *run_new(const struct program *program)
{
	struct munin_run *run = mc_alloc_zero(sizeof(*run));
	const char *const *argv = program->command.argv;
	size_t len = 0;

	while (argv[len] != NULL)
		len++;
	run->argv = mc_alloc_array(len + 2, sizeof(*run->argv));
	memcpy(run->argv, argv, len * sizeof(*argv));
	run->argv[len] = "config";
	return run;
}

static void forget_values(struct munin_run *run)
{
	for (size_t i = 0; i < run->values_len; i++) {
		free(run->values[i].service);
		free(run->values[i].field);
	}
	run->values_len = 0;
}

/* Before the first "multigraph" the service has the name of the plugin. */
static void set_service(struct munin_run *run, const char *name, bool clean)
{
	free(run->service);
	run->service = mc_alloc_copy(name);
	if (clean)
		mc_munin_clean(run->service, false);
}

static void begin(struct program *program)
{
	struct munin_run *run = program->own;

	if (run == NULL)
		program->own = run = run_new(program);
	forget_values(run);
	set_service(run, program->instance, true);
	run->is_config = mc_now() >= run->config_due || run->wants_config;
	program->command.program.argv =
		run->is_config ? run->argv : program->command.argv;
}

/* --- Lines ---------------------------------------------------------------- */

static struct field *find_field(const struct munin_run *run,
				const char *service, const char *name)
{
	char *key = mc_alloc_printf("%s %s", service, name);
	struct mc_map_node *found = mc_map_find(&run->fields, key, strlen(key));

	free(key);
	return (struct field *)found;
}

/* NULL: there are too many. */
static struct field *make_field(struct munin_run *run, const char *service,
				const char *name)
{
	struct field *field = find_field(run, service, name);
	size_t size = strlen(service) + 1 + strlen(name);

	if (field != NULL || run->fields.len >= FIELDS_MAX)
		return field;
	field = mc_alloc_zero(sizeof(*field) + size + 1);
	snprintf(field->key, size + 1, "%s %s", service, name);
	field->kind = MC_GAUGE;
	field->min = field->max = NAN;
	field->node.key = field->key;
	field->node.key_size = size;
	mc_map_add(&run->fields, &field->node);
	return field;
}

static bool take_attribute(struct munin_run *run, const struct mc_munin *munin)
{
	struct field *field = make_field(run, run->service, munin->field);

	if (field == NULL)
		return false;
	if (strcmp(munin->key, "type") == 0)
		return mc_munin_type(munin->text, &field->kind);
	if (strcmp(munin->key, "min") == 0)
		return strcmp(munin->text, "U") == 0 ||
		       mc_number_double(munin->text, &field->min);
	if (strcmp(munin->key, "max") == 0)
		return strcmp(munin->text, "U") == 0 ||
		       mc_number_double(munin->text, &field->max);
	return true; /* How it is drawn, and limits. */
}

static bool take_value(struct munin_run *run, const struct mc_munin *munin)
{
	struct munin_value *value;

	if (run->values_len == FIELDS_MAX)
		return false;
	if (run->values_len == run->values_room) {
		run->values_room += 64;
		run->values = mc_alloc_resize(run->values, run->values_room,
					      sizeof(*run->values));
	}
	value = &run->values[run->values_len++];
	*value = (struct munin_value){
		.service = mc_alloc_copy(run->service),
		.field = mc_alloc_copy(munin->field),
		.number = munin->value,
		.time = munin->time,
	};
	snprintf(value->digits, sizeof(value->digits), "%s", munin->digits);
	return true;
}

/* "60", "5m", "60 aligned": seconds, unless it says another unit. */
static void take_rate(struct munin_run *run, const char *text)
{
	static const char units[] = "smhdw";
	static const unsigned seconds[] = { 1, 60, 3600, 86400, 604800 };
	uint64_t number;
	const char *unit;

	if (!mc_number_take(&text, 10, &number) || number == 0 ||
	    number > 86400)
		return;
	unit = *text != '\0' ? strchr(units, *text) : NULL;
	run->interval = (mc_time)number * MC_SECOND *
			(unit != NULL ? seconds[unit - units] : 1);
}

static void take_line(struct program *program, const struct mc_child_line *line)
{
	struct munin_run *run = program->own;
	struct mc_munin munin;
	bool good = true;

	mc_buffer_clear(&run->line);
	mc_buffer_add(&run->line, line->text, line->size);
	mc_munin_parse(&munin, run->line.at);
	switch (munin.kind) {
	case MC_MUNIN_NOTHING:
		break;
	case MC_MUNIN_MULTIGRAPH:
		set_service(run, munin.service, false);
		break;
	case MC_MUNIN_GRAPH:
		if (strcmp(munin.key, "update_rate") == 0)
			take_rate(run, munin.text);
		break;
	case MC_MUNIN_FIELD: /* Those of values only tell more of them. */
		good = !run->is_config || take_attribute(run, &munin);
		break;
	case MC_MUNIN_VALUE:
		good = take_value(run, &munin);
		break;
	case MC_MUNIN_BAD:
		good = false;
		break;
	}
	if (!good)
		mc_command_say(&program->command,
			       "prints a line that cannot be used", line->text);
}

/* --- The end -------------------------------------------------------------- */

/* Of a counter it is about the rate, which the range of an RRD file is for. */
static double in_range(const struct field *field, double number)
{
	return number < field->min || number > field->max ? NAN : number;
}

/* False: it cannot be one of its type, or there are too many fields. */
static bool put(struct program *program, const struct munin_value *value)
{
	static const char *const types[] = { [MC_COUNTER] = "counter",
					     [MC_GAUGE] = "gauge",
					     [MC_DERIVE] = "derive",
					     [MC_ABSOLUTE] = "absolute" };
	struct munin_run *run = program->own;
	const struct field *field =
		find_field(run, value->service, value->field);
	struct format_value out = {
		.instance = value->service,
		.label = value->field,
		.number = { value->number, value->digits },
		.time = value->time,
		.interval = run->interval,
	};

	/* "config" is asked for its type, once: it may have nothing to say. */
	if (field == NULL) {
		field = make_field(run, value->service, value->field);
		run->wants_config |= field != NULL && !run->is_config;
		if (field == NULL || !run->is_config)
			return field != NULL;
	}
	out.type = types[field->kind];
	if (field->kind == MC_GAUGE)
		out.number.number = in_range(field, value->number);
	else if (value->digits[0] == '\0')
		return true; /* What is unknown of a counter is not there. */
	return format_put(program, &out);
}

/* With dirtyconfig "config" has brought values, too; else they are asked for at
 * once. */
static void take_end(struct program *program, const struct mc_child_end *end)
{
	struct munin_run *run = program->own;
	bool good = format_ended_well(end);

	if (run->is_config && good) {
		run->config_due = mc_now() + CONFIG_PERIOD;
		run->wants_config = false;
	}
	for (size_t i = 0; good && i < run->values_len; i++)
		if (!put(program, &run->values[i]))
			mc_command_say(
				&program->command,
				"prints a number that cannot be one of its "
				"type",
				run->values[i].field);
	if (good &&
	    (run->wants_config || (run->is_config && run->values_len == 0)))
		program->every.next = mc_now();
	forget_values(run);
}

static void done(struct program *program)
{
	struct munin_run *run = program->own;
	struct mc_map_node *node;

	if (run == NULL)
		return;
	node = mc_map_next(&run->fields, NULL);
	while (node != NULL) {
		struct mc_map_node *next = mc_map_next(&run->fields, node);

		free(node);
		node = next;
	}
	mc_map_done(&run->fields);
	forget_values(run);
	free(run->values);
	free(run->argv);
	free(run->service);
	mc_buffer_free(&run->line);
	free(run);
}

const struct format format_munin = {
	.plugin = "munin",
	.env = (const char *const[]){ "LC_ALL=C", "LANG=C",
				      "MUNIN_LIBDIR=/usr/share/munin",
				      "MUNIN_CAP_MULTIGRAPH=1",
				      "MUNIN_CAP_DIRTYCONFIG=1", NULL },
	.begin = begin,
	.line = take_line,
	.end = take_end,
	.done = done,
};
