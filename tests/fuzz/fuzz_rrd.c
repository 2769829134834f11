/* SPDX-License-Identifier: MIT */
/* Numbers in a first line, of which the fifth is a layout, timespans in a second, values after it:
 * layouts have an argument for each source and archive, updates fit into their size, and new files
 * are of the layout. */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "formats/rrd/rrd.h"
#include "formats/rrd/rrd_head.h"
#include "formats/rrd/rrd_image.h"
#include "formats/rrd/rrd_relayout.h"

#include "lines.h"

#define SOURCES 4
#define SPANS_SIZE 64 /* Of timespans that count. */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct mc_type type = {
	.name = "fuzz", .unit = "", .help = "",
	.sources_len = SOURCES,
	.sources = {
		{ "gauge", MC_GAUGE, NAN, 1e308 },
		{ "derive", MC_DERIVE, 0, NAN },
		{ "counter", MC_COUNTER, 0, 4294967295.0 },
		{ "absolute", MC_ABSOLUTE, NAN, NAN },
	},
};

/* As options have it. */
static int64_t within(int64_t number, int64_t min, int64_t max)
{
	return number < min ? min : number > max ? max : number;
}

static void check_layout(const struct mc_rrd_layout *layout, const struct mc_rrd_rules *rules)
{
	size_t archives =
		(rules->timespans_len > 0 ? rules->timespans_len : 5) * (rules->single ? 1 : 3);
	bool collectd = rules->program == MC_RRD_COLLECTD;

	assert(layout->step > 0 && layout->heartbeat > 0);
	assert(collectd ? (size_t)layout->argc == SOURCES + archives : layout->argc > SOURCES);
	assert(layout->argv[layout->argc] == NULL);
	for (int i = 0; i < layout->argc; i++) {
		long long steps, rows;

		if (i < SOURCES) {
			assert(strncmp(layout->argv[i], "DS:", 3) == 0);
			continue;
		}
		assert(sscanf(layout->argv[i], "RRA:%*[A-Z]:%*[0-9.]:%lld:%lld", &steps, &rows) ==
		       2);
		assert(steps > 0 && rows >= (collectd ? rules->rows : 1));
	}
}

static void check_update(const struct mc_rrd_layout *layout, const union mc_value values[SOURCES])
{
	char *out = malloc(MC_RRD_UPDATE_SIZE(SOURCES)); /* Of exactly that size. */
	size_t colons = 0, size;

	if (out == NULL)
		abort();
	size = mc_rrd_update(layout, INT64_MIN / MC_SECOND, values, out);
	assert(size <= MC_RRD_UPDATE_SIZE(SOURCES) && strlen(out) + 1 == size);
	for (const char *at = out; *at != '\0'; at++)
		colons += *at == ':';
	assert(colons == SOURCES && strpbrk(out, " \n") == NULL);
	free(out);
}

/* The bytes of a new file are those of one of the layout. */
static void check_image(const struct mc_rrd_layout *layout, const struct mc_rrd_rules *rules)
{
	struct mc_rrd_image image;
	struct mc_rrd_head head;
	uint8_t *bytes;

	if (!mc_rrd_image(layout, &image) || image.size > 1 << 20)
		return;
	bytes = malloc(image.size); /* Of exactly that size. */
	if (bytes == NULL)
		abort();
	mc_rrd_image_head(layout, 1700000000, image.size, bytes);
	mc_rrd_image_rows(&image, bytes + image.head);
	assert(mc_rrd_head(bytes, image.head, &head));
	assert(head.step == (int64_t)layout->step && head.last == 1700000000 &&
	       head.sources_len == SOURCES && head.kind == 'g');
	assert(mc_rrd_relayout_is_done(bytes, image.size, rules));
	free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int64_t step = 0, heartbeat = 0, rows = 0, interval = 0, program = 0;
	union mc_value values[SOURCES] = { 0 };
	struct mc_rrd_layout *layouts = NULL;
	const struct mc_rrd_layout *layout;
	struct mc_rrd_rules rules;
	struct lines lines;
	const char *line;
	char *spans;

	lines_open(&lines, data, size);
	line = lines_take(&lines);
	sscanf(line, "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, &step, &heartbeat,
	       &rows, &interval, &program);
	rules = (struct mc_rrd_rules){
		.program = (enum mc_rrd_program)within(program, MC_RRD_COLLECTD, MC_RRD_COMPACT),
		.step = within(step, 0, 31622400),
		.heartbeat = within(heartbeat, 0, 316224000),
		.rows = within(rows, 1, 10000000),
		.xff = 0.1,
		.single = strchr(line, 's') != NULL,
		.as_given = strchr(line, 'g') != NULL,
		.partial = strchr(line, 'p') != NULL,
	};
	spans = lines_take(&lines);
	if (strlen(spans) > SPANS_SIZE)
		spans[SPANS_SIZE] = '\0';
	mc_rrd_add_timespans(&rules, spans);
	line = lines.next;
	memcpy(values, line, strlen(line) < sizeof(values) ? strlen(line) : sizeof(values));
	layout = mc_rrd_layout(&layouts, &rules, &type, within(interval, 1, INT64_MAX / 4));
	check_layout(layout, &rules);
	assert(mc_rrd_size(&rules, within(interval, 1, INT64_MAX / 4)) > 0);
	check_update(layout, values);
	check_image(layout, &rules);
	mc_rrd_layouts_free(layouts);
	free(rules.timespans);
	lines_close(&lines);
	return 0;
}
