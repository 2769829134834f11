/* SPDX-License-Identifier: MIT */
/* Lines of plugins of Munin. */
#include "formats/munin/munin_answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "unit.h"

static const char *read_line(const char *line)
{
	static char out[256];
	char *copy = mc_alloc_copy(line);
	struct mc_munin munin;

	mc_munin_parse(&munin, copy);
	switch (munin.kind) {
	case MC_MUNIN_NOTHING:
		snprintf(out, sizeof(out), "-");
		break;
	case MC_MUNIN_BAD:
		snprintf(out, sizeof(out), "?");
		break;
	case MC_MUNIN_MULTIGRAPH:
		snprintf(out, sizeof(out), "graph %s", munin.service);
		break;
	case MC_MUNIN_GRAPH:
		snprintf(out, sizeof(out), "%s='%s'", munin.key, munin.text);
		break;
	case MC_MUNIN_FIELD:
		snprintf(out, sizeof(out), "%s %s='%s'", munin.field, munin.key, munin.text);
		break;
	case MC_MUNIN_VALUE:
		snprintf(out, sizeof(out), "%s=%.10g '%s' @%ld", munin.field, munin.value,
			 munin.digits, (long)(munin.time / MC_SECOND));
		break;
	}
	free(copy);
	return out;
}

static void lines_of_config(void **state)
{
	(void)state;
	assert_string_equal(read_line("graph_title Load average \r"), "graph_title='Load average'");
	assert_string_equal(read_line("graph"), "graph=''");
	assert_string_equal(read_line("load.label the  load"), "load label='the  load'");
	assert_string_equal(read_line("\tload.warning\t10:20"), "load warning='10:20'");
	assert_string_equal(read_line("x-y.type DERIVE"), "x_y type='DERIVE'");
	assert_string_equal(read_line("1st.info a.b"), "_st info='a.b'");
	assert_string_equal(read_line("multigraph disk-io.sda_1"), "graph disk-io.sda_1");
	assert_string_equal(read_line("# multigraph a"), "-");
	assert_string_equal(read_line(" \r"), "-");
	assert_string_equal(read_line(""), "-");
}

static void lines_of_fetch(void **state)
{
	(void)state;
	assert_string_equal(read_line("load.value 0.42"), "load=0.42 '0.42' @0");
	assert_string_equal(read_line("a.value 12e3\r"), "a=12000 '12e3' @0");
	assert_string_equal(read_line("a.value +5"), "a=5 '5' @0");
	assert_string_equal(read_line("a.value -5"), "a=-5 '-5' @0");
	assert_string_equal(read_line("a.value U"), "a=nan '' @0");
	assert_string_equal(read_line("a.value 1700000000:7"), "a=7 '7' @1700000000");
	assert_string_equal(read_line("a.value 1700000000:U"), "a=nan '' @1700000000");
	/* All digits of a counter are there. */
	assert_string_equal(read_line("a.value 18446744073709551615"),
			    "a=1.844674407e+19 '18446744073709551615' @0");
}

static void wrong_lines(void **state)
{
	static const char *const wrong[] = {
		"multigraph",
		"multigraph .a",
		"multigraph a.",
		"multigraph a..b",
		"multigraph a/b",
		"multigraph a b",
		".value 1",
		"a. 1",
		"a.value",
		"a.value x",
		"a.value nan",
		"a.value 0x10",
		"a.value 1:2:3",
		"a.value :1",
		"a.value -1:1",
		"a.value 1e400",
		"multigraph multigraph",
		"a.value 99999999999:1",
		"!",
		".",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_string_equal(read_line(wrong[i]), "?");
}

static void names_and_types(void **state)
{
	char service[] = "if-eth0.1/x", field[] = "9-a.b";
	enum mc_kind kind = MC_GAUGE;

	(void)state;
	mc_munin_clean(service, false);
	assert_string_equal(service, "if_eth0_1_x");
	mc_munin_clean(field, true);
	assert_string_equal(field, "__a_b");
	assert_true(mc_munin_type("derive", &kind));
	assert_int_equal(kind, MC_DERIVE);
	assert_true(mc_munin_type("ABSOLUTE", &kind));
	assert_int_equal(kind, MC_ABSOLUTE);
	assert_false(mc_munin_type("LEVEL", &kind));
}

static void take(struct mc_munin_answers *answers, bool is_config, const char *text)
{
	char *copy = mc_alloc_copy(text), *rest = copy, *line;

	mc_munin_answers_begin(answers, "disk-io", is_config);
	while ((line = strsep(&rest, "\n")) != NULL)
		assert_true(mc_munin_answers_line(answers, line));
	mc_munin_answers_end(answers);
	free(copy);
}

static void an_answer(void **state)
{
	struct mc_munin_answers answers = { .with_metadata = true };
	const struct mc_munin_field *field;
	union mc_value value;

	(void)state;
	take(&answers, false, "a.value 7\nb.value 8");
	assert_true(answers.wants_config);
	assert_false(answers.values[0].field->configured);
	take(&answers, true,
	     "update_rate 5m aligned\n"
	     "graph_title Disk\ngraph_title not this\n"
	     "a.type DERIVE\na.label Other a\na.label The a\n"
	     "a.warning 10:20\na.min 0\n"
	     "a.unknown_limit 5\na.draw AREA\na.cdef a,8,*\n"
	     "graph_vlabel bytes per ${graph_period}, say\n"
	     "multigraph other\na.label other\na.max 5\na.value 6");
	assert_false(answers.wants_config);
	assert_true(answers.aligned);
	assert_int_equal(answers.interval, 300 * MC_SECOND);
	assert_int_equal(answers.values_len, 1);
	field = answers.values[0].field;
	assert_string_equal(field->service, "other");
	assert_string_equal(field->name, "a");
	assert_true(mc_munin_value_fill(&answers.values[0], &value));
	assert_true(isnan(value.gauge)); /* It is more than 5. */
	take(&answers, false, "a.value 9223372036854775807\nb.value 8");
	assert_false(answers.wants_config);
	field = answers.values[0].field;
	assert_string_equal(field->service, "disk_io");
	assert_int_equal(field->kind, MC_DERIVE);
	assert_string_equal(field->metadata->label, "The a");
	assert_string_equal(field->metadata->unit, "bytes per second, say");
	assert_int_equal(field->metadata->unknown_after, 6);
	assert_true(field->metadata->warning.min == 10);
	assert_true(field->metadata->warning.max == 20);
	assert_true(isnan(field->metadata->failure.min));
	assert_int_equal(field->metadata->attributes_len, 7);
	/* Bounds as they came. */
	assert_string_equal(mc_metadata_attribute(field->metadata, "min"), "0");
	assert_string_equal(mc_metadata_attribute(field->metadata, "update_rate"), "5m aligned");
	assert_string_equal(mc_metadata_attribute(field->metadata, "graph_title"), "Disk");
	assert_string_equal(mc_metadata_attribute(field->metadata, "graph_vlabel"),
			    "bytes per ${graph_period}, say");
	assert_string_equal(mc_metadata_attribute(field->metadata, "draw"), "AREA");
	assert_string_equal(mc_metadata_attribute(field->metadata, "cdef"), "a,8,*");
	assert_true(mc_munin_value_fill(&answers.values[0], &value));
	assert_true(value.derive == INT64_MAX);
	assert_true(answers.values[1].field->configured);
	assert_int_equal(answers.values[1].field->kind, MC_GAUGE);
	mc_munin_answers_done(&answers);
}

static const char *attribute(const struct mc_munin_answers *answers, size_t i, const char *name)
{
	const char *value = mc_metadata_attribute(answers->values[i].field->metadata, name);

	return value != NULL ? value : "(none)";
}

/* A master has the order of fields from "config": series have none. */
static void orders(void **state)
{
	struct mc_munin_answers answers = { .with_metadata = true };

	(void)state;
	take(&answers, true,
	     "z.label Z\nb.type DERIVE\nb.label B\na.label A\n"
	     "graph_title After the fields\n"
	     "unlabelled.draw AREA\nz.value 1\na.value 2\n"
	     "multigraph other\ngraph_order y=host:x.y x\n"
	     "x.label X\ny.label Y\nz.label Z\nx.value 3");
	assert_int_equal(answers.values_len, 3);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(attribute(&answers, i, "graph_order"), "z b a");
		assert_string_equal(attribute(&answers, i, "graph_title"), "After the fields");
	}
	assert_string_equal(attribute(&answers, 2, "graph_order"), "y=host:x.y x z");
	assert_string_equal(attribute(&answers, 2, "graph_title"), "(none)");
	mc_munin_answers_done(&answers);
}

/* Of a graph, and of a field: the word is the same. */
static void what_is_not_drawn(void **state)
{
	struct mc_munin_answers answers = { .with_metadata = true };

	(void)state;
	take(&answers, true,
	     "a.label A\na.graph no\nb.label B\na.value 1\nb.value 1\n"
	     "multigraph hidden\ngraph no\nc.label C\nd.label D\n"
	     "d.graph yes\nc.value 1\nd.value 1\n");
	assert_string_equal(attribute(&answers, 0, "graph"), "no");
	assert_string_equal(attribute(&answers, 1, "graph"), "(none)");
	assert_string_equal(attribute(&answers, 2, "graph"), "no");
	assert_string_equal(attribute(&answers, 3, "graph"), "yes");
	assert_false(mc_attribute_is_of_graph("graph"));
	assert_true(mc_attribute_is_of_graph("graph_title"));
	assert_true(mc_attribute_is_of_graph("update_rate"));
	assert_false(mc_attribute_is_of_graph("cdef"));
	mc_munin_answers_done(&answers);
}

/* As munin.conf(5) has it: limits of a service are those of its fields that have none. */
static void what_counts_instead(void **state)
{
	const struct mc_munin_override overrides[] = {
		{ "disk_io", NULL, "warning", "7" },
		{ "disk_io", NULL, "graph_title", "Ours" },
		{ "disk_io", NULL, "update_rate", "2m" },
		{ "disk_io", "b", "warning", ":9" },
		{ "disk_io", "b", "label", "Other" },
		{ "disk_io", "b", "type", "DERIVE" },
		{ "disk_io", "gone", "label", "Nothing" },
		{ "other", "a", "label", "Not here" },
	};
	struct mc_munin_answers answers = {
		.with_metadata = true,
		.overrides = overrides,
		.overrides_len = sizeof(overrides) / sizeof(overrides[0]),
	};
	union mc_value value;

	(void)state;
	for (unsigned round = 0; round < 2; round++) {
		take(&answers, true,
		     "graph_title Theirs\na.label A\na.warning 5\nb.label B\nb.warning 6\n"
		     "c.label C\na.value 1\nb.value 2\nc.value 3\n");
		assert_int_equal(answers.values_len, 3);
		assert_string_equal(attribute(&answers, 0, "graph_title"), "Ours");
		assert_true(answers.interval == 120 * MC_SECOND);
		assert_true(answers.values[0].field->metadata->warning.max == 5);
		assert_true(answers.values[1].field->metadata->warning.max == 9);
		assert_true(answers.values[2].field->metadata->warning.max == 7);
		assert_string_equal(answers.values[1].field->metadata->label, "Other");
		assert_true(mc_munin_value_fill(&answers.values[1], &value));
		assert_int_equal(value.derive, 2);
	}
	mc_munin_answers_done(&answers);
}

/* Of an answer that was cut the whole graphs hold, and of the others the settings from before. */
static void a_cut_answer(void **state)
{
	struct mc_munin_answers answers = { .with_metadata = true };
	char lines[][32] = { "graph_title New", "a.label New", "multigraph other",
			     "graph_title New", "b.label New" };

	(void)state;
	take(&answers, true,
	     "graph_title Old\na.label Old\na.value 1\n"
	     "multigraph other\ngraph_title Old\nb.label Old\nb.value 1");
	mc_munin_answers_begin(&answers, "disk-io", true);
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		assert_true(mc_munin_answers_line(&answers, lines[i]));
	take(&answers, false, "a.value 1\nmultigraph other\nb.value 1");
	assert_string_equal(attribute(&answers, 0, "graph_title"), "New");
	assert_string_equal(attribute(&answers, 1, "graph_title"), "Old");
	assert_string_equal(answers.values[1].field->metadata->label, "Old");
	/* A service that comes again says all of the fields it names. */
	take(&answers, true,
	     "graph_title T\na.label A\nc.label C\nmultigraph other\n"
	     "b.label B\nmultigraph disk_io\nc.info later\nc.label Later\n"
	     "a.value 1\nc.value 1\n");
	assert_string_equal(attribute(&answers, 0, "graph_title"), "T");
	assert_string_equal(attribute(&answers, 1, "graph_title"), "(none)");
	assert_string_equal(attribute(&answers, 1, "info"), "later");
	mc_munin_answers_done(&answers);
}

/* A limited number is kept of a graph, and of a field: the first ones. */
static void attributes_are_bounded(void **state)
{
	struct mc_munin_answers answers = { .with_metadata = true };
	const struct mc_metadata *metadata;
	char line[2 * MC_METADATA_TEXT_SIZE];

	(void)state;
	mc_munin_answers_begin(&answers, "p", true);
	for (int i = 0; i < 3 * MC_ATTRIBUTES_MAX; i++) {
		snprintf(line, sizeof(line), "graph_%d a", i);
		assert_true(mc_munin_answers_line(&answers, line));
		snprintf(line, sizeof(line), "f.k%d a", i);
		assert_true(mc_munin_answers_line(&answers, line));
	}
	for (int i = 0; i < MC_MUNIN_FIELDS_MAX; i++) {
		snprintf(line, sizeof(line), "f%s%d.label b", i ? "" : "_", i);
		assert_int_equal(mc_munin_answers_line(&answers, line),
				 i < MC_MUNIN_FIELDS_MAX - 1);
	}
	snprintf(line, sizeof(line), "f.value 1");
	assert_true(mc_munin_answers_line(&answers, line));
	snprintf(line, sizeof(line), "f1.value 1");
	assert_true(mc_munin_answers_line(&answers, line));
	mc_munin_answers_end(&answers);
	metadata = answers.values[0].field->metadata;
	assert_int_equal(metadata->attributes_len, 2 * MC_ATTRIBUTES_MAX);
	assert_string_equal(attribute(&answers, 0, "graph_31"), "a");
	assert_string_equal(attribute(&answers, 0, "k31"), "a");
	assert_string_equal(attribute(&answers, 0, "k32"), "(none)");
	/* The order ends with a whole name. */
	mc_munin_answers_done(&answers);
	answers.with_metadata = true;
	mc_munin_answers_begin(&answers, "p", true);
	for (int i = 0; i < 500; i++) {
		snprintf(line, sizeof(line), "f%d.label b", i);
		assert_true(mc_munin_answers_line(&answers, line));
	}
	snprintf(line, sizeof(line), "f1.value 1");
	assert_true(mc_munin_answers_line(&answers, line));
	mc_munin_answers_end(&answers);
	snprintf(line, sizeof(line), "%s", attribute(&answers, 0, "graph_order"));
	assert_true(strlen(line) < MC_METADATA_TEXT_SIZE);
	assert_true(strlen(line) > MC_METADATA_TEXT_SIZE - 8);
	assert_string_equal(strrchr(line, ' '), " f225");
	mc_munin_answers_done(&answers);
}

/* Its series may have ended, and its metadata with it. */
static void a_field_that_was_away(void **state)
{
	const mc_time period = 300 * MC_SECOND;
	struct mc_munin_answers answers = { .with_metadata = true };
	mc_time now = MC_SECOND;

	(void)state;
	take(&answers, true, "a.label a\na.value 1");
	mc_munin_answers_take(&answers, answers.values[0].field, now, period);
	assert_false(answers.wants_config);
	take(&answers, false, "a.value 1");
	now += period + period / 4; /* It may be late. */
	mc_munin_answers_take(&answers, answers.values[0].field, now, period);
	assert_false(answers.wants_config);
	take(&answers, false, "a.value 1");
	now += 2 * period;
	mc_munin_answers_take(&answers, answers.values[0].field, now, period);
	assert_true(answers.wants_config);
	take(&answers, true, "a.label a\na.value 1");
	now += 2 * period; /* It has just been asked. */
	mc_munin_answers_take(&answers, answers.values[0].field, now, period);
	assert_false(answers.wants_config);
	mc_munin_answers_done(&answers);
}

/* Each field gets a copy of the attributes of its graph: of a line that is longer than an
 * attribute no more is kept than that. */
static void long_lines_are_cut(void **state)
{
	enum { SIZE = 60000 };
	struct mc_munin_answers answers = { .with_metadata = true };
	char *line = mc_alloc_zero(SIZE + 1);
	size_t size = 0;

	(void)state;
	mc_munin_answers_begin(&answers, "p", true);
	memset(line, 'x', SIZE);
	memcpy(line, "graph_info ", 11);
	assert_true(mc_munin_answers_line(&answers, line));
	memset(line, 'x', SIZE);
	memcpy(line, "graph_", 6);
	memcpy(line + SIZE - 2, " a", 2);
	assert_true(mc_munin_answers_line(&answers, line));
	snprintf(line, SIZE, "f.label b");
	assert_true(mc_munin_answers_line(&answers, line));
	snprintf(line, SIZE, "f.value 1");
	assert_true(mc_munin_answers_line(&answers, line));
	mc_munin_answers_end(&answers);
	assert_int_equal(strlen(attribute(&answers, 0, "graph_info")), MC_METADATA_TEXT_SIZE);
	for (size_t i = 0; i < answers.values[0].field->metadata->attributes_len; i++)
		size += strlen(answers.values[0].field->metadata->attributes[i].name);
	assert_true(size < 2 * MC_METADATA_LABEL_SIZE);
	free(line);
	mc_munin_answers_done(&answers);
}

/* Of many fields that have no values. */
static void what_waits_is_bounded(void **state)
{
	struct mc_munin_answers answers = { .with_metadata = true };
	char line[MC_METADATA_TEXT_SIZE + 64];

	(void)state;
	mc_munin_answers_begin(&answers, "p", true);
	for (int i = 0; i < 16; i++) {
		int size = snprintf(line, sizeof(line), "graph_%d ", i);

		memset(line + size, 'x', MC_METADATA_TEXT_SIZE - 1);
		line[size + MC_METADATA_TEXT_SIZE - 1] = '\0';
		assert_true(mc_munin_answers_line(&answers, line));
	}
	for (int i = 0; i < MC_MUNIN_FIELDS_MAX; i++) {
		snprintf(line, sizeof(line), "f%d.label %d", i, i);
		assert_true(mc_munin_answers_line(&answers, line));
	}
	snprintf(line, sizeof(line), "f0.value 1");
	assert_true(mc_munin_answers_line(&answers, line));
	mc_munin_answers_end(&answers);
	assert_string_equal(answers.values[0].field->metadata->label, "0");
	assert_true(answers.metadata_size >= MC_MUNIN_METADATA_SIZE);
	assert_true(answers.metadata_size < 3 * MC_MUNIN_METADATA_SIZE);
	mc_munin_answers_done(&answers);
	assert_int_equal(answers.metadata_size, 0);
}

static void answers_are_bounded(void **state)
{
	struct mc_munin_answers answers = { 0 };
	char line[700];

	(void)state;
	mc_munin_answers_begin(&answers, "p", false);
	for (int i = 0; i < MC_MUNIN_FIELDS_MAX; i++) {
		snprintf(line, sizeof(line), "f%d.value 1", i);
		assert_true(mc_munin_answers_line(&answers, line));
	}
	snprintf(line, sizeof(line), "more.value 1");
	assert_false(mc_munin_answers_line(&answers, line));
	memset(line, 'x', sizeof(line) - 1);
	memcpy(line + sizeof(line) - 9, ".value 1", 9);
	mc_munin_answers_begin(&answers, "p", false);
	assert_false(mc_munin_answers_line(&answers, line));
	mc_munin_answers_done(&answers);
}

static mc_time rate_of(const char *text)
{
	struct mc_munin_answers answers = { 0 };
	mc_time interval;

	take(&answers, true, text);
	interval = answers.interval;
	mc_munin_answers_done(&answers);
	return interval;
}

static void rates(void **state)
{
	(void)state;
	assert_int_equal(rate_of("update_rate 60"), 60 * MC_SECOND);
	assert_int_equal(rate_of("update_rate 1d"), 86400 * MC_SECOND);
	assert_int_equal(rate_of("update_rate 604800"), 604800 * MC_SECOND);
	assert_int_equal(rate_of("update_rate 4w"), 2419200 * MC_SECOND);
	/* More than 31 days, or nothing. */
	assert_int_equal(rate_of("update_rate 5w"), 0);
	assert_int_equal(rate_of("update_rate 86400w"), 0);
	assert_int_equal(rate_of("update_rate 18446744073709551615w"), 0);
	assert_int_equal(rate_of("update_rate 0"), 0);
	assert_int_equal(rate_of("update_rate x"), 0);
}

static void a_rate_that_is_said_no_more(void **state)
{
	struct mc_munin_answers answers = { 0 };

	(void)state;
	take(&answers, true, "update_rate 5m aligned\na.label A");
	take(&answers, false, "a.value 1");
	assert_int_equal(answers.interval, 300 * MC_SECOND);
	assert_true(answers.aligned);
	take(&answers, true, "a.label A");
	assert_int_equal(answers.interval, 0);
	assert_false(answers.aligned);
	mc_munin_answers_done(&answers);
}

/* As those of a plugin whose fields are named after processes. */
static void fields_that_are_gone(void **state)
{
	struct mc_munin_answers answers = { .with_metadata = true };
	char text[200];

	(void)state;
	for (int i = 0; i <= 2 * MC_MUNIN_FIELDS_MAX; i++) {
		snprintf(text, sizeof(text), "all.value 1\np%d.value 1", i);
		take(&answers, false, text);
		snprintf(text, sizeof(text), "all.label all\np%d.label p", i);
		take(&answers, true, text);
		assert_true(answers.fields.len <= 3);
	}
	/* A field that is not in "config" stays while it has values. */
	take(&answers, false, "silent.value 1");
	take(&answers, true, "all.label all");
	take(&answers, false, "silent.value 1\nall.value 1");
	assert_true(answers.values[0].field->configured);
	assert_true(answers.values[1].field->configured);
	mc_munin_answers_done(&answers);
}

/* A plugin may be replaced while it is asked: a type that is not given any more would cut off the
 * decimals of a gauge, a range make its values unknown. */
static void what_is_said_no_more(void **state)
{
	struct mc_munin_answers answers = { .with_metadata = true };
	union mc_value value;

	(void)state;
	take(&answers, true, "update_rate 5m aligned\na.type DERIVE\nb.max 5\nc.type COUNTER");
	take(&answers, false, "a.value 1.5\nb.value 6\nc.value 2");
	assert_int_equal(answers.values[0].field->kind, MC_DERIVE);
	assert_int_equal(answers.interval, 300 * MC_SECOND);
	/* Of c nothing at all. */
	take(&answers, true, "a.label a\nb.label b");
	take(&answers, false, "a.value 1.5\nb.value 6\nc.value 2");
	assert_false(answers.wants_config);
	assert_int_equal(answers.interval, 0);
	assert_false(answers.aligned);
	assert_int_equal(answers.values[0].field->kind, MC_GAUGE);
	assert_true(mc_munin_value_fill(&answers.values[1], &value));
	assert_true(value.gauge == 6);
	assert_int_equal(answers.values[2].field->kind, MC_GAUGE);
	/* In two parts one answer says it all the same. */
	take(&answers, true,
	     "a.type DERIVE\nmultigraph x\nx.label x\nmultigraph disk_io\n"
	     "a.label a\na.value 7");
	assert_int_equal(answers.values[0].field->kind, MC_DERIVE);
	mc_munin_answers_done(&answers);
}

static void ranges(void **state)
{
	struct mc_bounds bounds = mc_munin_range("10:20");

	(void)state;
	assert_true(bounds.min == 10 && bounds.max == 20);
	bounds = mc_munin_range(" -1.5 : ");
	assert_true(bounds.min == -1.5 && isnan(bounds.max));
	bounds = mc_munin_range(":92");
	assert_true(isnan(bounds.min) && bounds.max == 92);
	bounds = mc_munin_range("");
	assert_true(isnan(bounds.min) && isnan(bounds.max));
	bounds = mc_munin_range("98");
	assert_true(isnan(bounds.min) && bounds.max == 98);
	bounds = mc_munin_range(":");
	assert_true(isnan(bounds.min) && isnan(bounds.max));
	bounds = mc_munin_range("10%");
	assert_true(bounds.min == 0 && bounds.max == 0);
	bounds = mc_munin_range("1:2:3");
	assert_true(bounds.min == 0 && bounds.max == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_config),
		cmocka_unit_test(lines_of_fetch),
		cmocka_unit_test(wrong_lines),
		cmocka_unit_test(names_and_types),
		cmocka_unit_test(an_answer),
		cmocka_unit_test(orders),
		cmocka_unit_test(what_is_not_drawn),
		cmocka_unit_test(what_counts_instead),
		cmocka_unit_test(a_cut_answer),
		cmocka_unit_test(attributes_are_bounded),
		cmocka_unit_test(a_field_that_was_away),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(what_waits_is_bounded),
		cmocka_unit_test(answers_are_bounded),
		cmocka_unit_test(rates),
		cmocka_unit_test(a_rate_that_is_said_no_more),
		cmocka_unit_test(fields_that_are_gone),
		cmocka_unit_test(what_is_said_no_more),
		cmocka_unit_test(ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
