/* SPDX-License-Identifier: MIT */
/* history: former values of a series, as a drawing, a table, CSV or JSON. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "ctl/answer/curves.h"
#include "ctl/answer/when.h"
#include "ctl/ctl.h"
#include "ctl/print/amount.h"
#include "ctl/print/human.h"
#include "ctl/print/json.h"
#include "ctl/print/plot.h"
#include "ctl/print/table.h"
#include "formats/plaintext/plaintext.h"

#define SPAN (3600 * MC_SECOND)
#define ROWS_ALONE 13 /* Of the only drawing, */
#define ROWS 7        /* and of each of several. */

/* --- Question -------------------------------------------------------------- */

struct span { /* 0: not given. */
	mc_time from, to, step;
};

static int read_time(const char *option, const char *text, mc_time now, mc_time *time)
{
	if (text == NULL || when_time(text, now, time))
		return CTL_OK;
	return ctl_usage("invalid %s '%s': a time is 1h (ago), 17:02, 2026-11-24, "
			 "'2026-11-24 17:02', or seconds since 1970",
			 option, text);
}

static int read_span(const struct ctl *ctl, struct span *span)
{
	mc_time now = clock_wall(), since;
	int status = read_time("--from", ctl->from, now, &span->from);

	if (status == CTL_OK)
		status = read_time("--to", ctl->to, now, &span->to);
	if (status != CTL_OK)
		return status;
	if (ctl->since != NULL && ctl->from != NULL)
		return ctl_usage("--since and --from are both a begin");
	if (ctl->since != NULL && !when_duration(ctl->since, &since))
		return ctl_usage("invalid --since '%s': a duration is 90s, 15m, 1h, 2d, 1w",
				 ctl->since);
	if (ctl->step != NULL && !when_duration(ctl->step, &span->step))
		return ctl_usage("invalid --step '%s': a duration is 10s, 5m, 1h", ctl->step);
	if (span->to == 0 && (ctl->since != NULL || ctl->from != NULL))
		span->to = now;
	if (ctl->since != NULL)
		span->from = span->to - since;
	if (ctl->from == NULL && ctl->since == NULL && span->to > 0)
		span->from = span->to - SPAN;
	if (span->to > 0 && span->to <= span->from)
		return ctl_usage("the end of the span is not after its begin");
	return CTL_OK;
}

/* With minima, which a collector of before does not know. */
static int ask_line(const struct ctl *ctl, struct peer *peer, const char *line,
		    struct answer *answer)
{
	char with_minima[CTL_LINE_SIZE + 160];

	snprintf(with_minima, sizeof(with_minima), "%s minima=1", line);
	if (peer_ask(peer, with_minima, answer) == 0) {
		if (answer->status >= 0)
			return CTL_OK;
		peer_answer_done(answer);
	}
	return ctl_ask_on(ctl, peer, line, answer);
}

/* Points of one step, aligned, so that the pages continue each other. */
static int ask_page(const struct ctl *ctl, struct peer *peer, const char *name,
		    const struct span *span, struct curves *curves)
{
	char quoted[CTL_LINE_SIZE], line[CTL_LINE_SIZE + 128];
	const char *const keys[] = { "from", "to", "step" };
	const mc_time times[] = { span->from, span->to, span->step };
	struct answer answer;
	size_t size;
	int status;

	if (!ctl_line(quoted, sizeof(quoted), "HISTORY", name))
		return CTL_USAGE;
	size = (size_t)snprintf(line, sizeof(line), "%s points=%d", quoted, MC_PLAIN_POINTS_MAX);
	for (size_t i = 0; i < 3; i++)
		if (times[i] > 0)
			size += (size_t)snprintf(line + size, sizeof(line) - size,
						 " %s=%lld.%09lld", keys[i],
						 (long long)(times[i] / MC_SECOND),
						 (long long)(times[i] % MC_SECOND));
	status = ask_line(ctl, peer, line, &answer);
	if (status != CTL_OK)
		return status;
	switch (curves_add(curves, &answer)) {
	case 0:
		break;
	case -E2BIG:
		status = ctl_failed("more than %d points: give a longer --step", CURVES_POINTS_MAX);
		break;
	default:
		status = ctl_failed("the collector's answer is no history");
		break;
	}
	peer_answer_done(&answer);
	return status;
}

/* With a step of its own, a long span takes several answers. */
static int ask_pages(const struct ctl *ctl, struct peer *peer, const char *name,
		     const struct span *whole, struct curves *curves)
{
	struct span page = *whole;
	int status = CTL_OK;

	if (whole->step == 0 || whole->to == 0)
		return ask_page(ctl, peer, name, whole, curves);
	if ((whole->to - whole->from) / whole->step > CURVES_POINTS_MAX)
		return ctl_failed("more than %d points: give a longer --step", CURVES_POINTS_MAX);
	page.from -= page.from % page.step;
	for (; status == CTL_OK && page.from < whole->to; page.from = page.to) {
		page.to = page.from + (MC_PLAIN_POINTS_MAX - 1) * page.step;
		if (page.to > whole->to)
			page.to = whole->to;
		status = ask_page(ctl, peer, name, &page, curves);
	}
	return status;
}

/* Without a step, that in which it was kept is the one: no value is repeated. */
static int ask(const struct ctl *ctl, struct peer *peer, const char *name, const struct span *given,
	       struct curves *curves)
{
	struct span span = *given;
	int status = ask_pages(ctl, peer, name, &span, curves);

	if (status != CTL_OK || span.step > 0 || curves->coarsest <= curves->step)
		return status;
	span.step = (mc_time)(curves->coarsest * MC_SECOND);
	curves_done(curves);
	*curves = (struct curves){ 0 };
	return ask_pages(ctl, peer, name, &span, curves);
}

/* --- Print ----------------------------------------------------------------- */

static const double *values_of(const struct ctl *ctl, const struct curve *curve)
{
	return ctl->maximum ? curve->maxima : curve->averages;
}

static double time_of(const struct curves *curves, size_t point)
{
	return curves->start + (double)point * curves->step;
}

/* Seconds, with a fraction only where there is one. */
static void print_seconds(FILE *out, double seconds)
{
	if (seconds == floor(seconds))
		fprintf(out, "%.0f", seconds);
	else
		fprintf(out, "%.3f", seconds);
}

static void print_csv(const struct ctl *ctl, const struct curves *curves)
{
	fputs("time", stdout);
	for (unsigned i = 0; i < curves->sources_len; i++)
		printf(",%s", curves->sources[i].name);
	putchar('\n');
	for (size_t k = 0; k < curves->len; k++) {
		print_seconds(stdout, time_of(curves, k));
		for (unsigned i = 0; i < curves->sources_len; i++) {
			double value = values_of(ctl, &curves->sources[i])[k];

			putchar(',');
			if (isfinite(value))
				printf("%.10g", value);
		}
		putchar('\n');
	}
}

static void add_numbers(struct mc_json *json, const char *key, const double *numbers, size_t len)
{
	mc_json_list(json, key);
	for (size_t i = 0; i < len; i++)
		mc_json_number(json, NULL, numbers[i]);
	mc_json_list_end(json);
}

static void print_json(const struct curves *curves)
{
	struct mc_json *json = json_open(false);

	mc_json_list(json, "history");
	mc_json_map(json, NULL);
	mc_json_text(json, "name", curves->name);
	mc_json_text(json, "provider", curves->provider);
	mc_json_text(json, "unit", curves->sources[0].unit);
	mc_json_number(json, "start", curves->start);
	mc_json_number(json, "step", curves->step);
	mc_json_number(json, "coarsest", curves->coarsest);
	mc_json_bool(json, "ended", curves->missing);
	mc_json_number(json, "time", curves->last);
	mc_json_map(json, "sources");
	for (unsigned i = 0; i < curves->sources_len; i++) {
		const struct curve *curve = &curves->sources[i];

		mc_json_map(json, curve->name);
		add_numbers(json, "average", curve->averages, curves->len);
		add_numbers(json, "maximum", curve->maxima, curves->len);
		if (curves->minima)
			add_numbers(json, "minimum", curve->minima, curves->len);
		mc_json_map_end(json);
	}
	mc_json_map_end(json);
	mc_json_map_end(json);
	mc_json_list_end(json);
	json_close(json, stdout);
}

static void cell_amount(struct table *table, double value, const char *unit)
{
	struct amount amount = amount_of(value, unit, NULL);

	table_cell(table, "%s", amount_text(&amount).text);
}

static void print_summary(const struct ctl *ctl, const struct curves *curves)
{
	struct table table;

	table_init(&table);
	table_column(&table, "SOURCE", TABLE_LEFT);
	table_column(&table, "MIN", TABLE_RIGHT);
	table_column(&table, "AVERAGE", TABLE_RIGHT);
	table_column(&table, "MAX", TABLE_RIGHT);
	table_column(&table, "LAST", TABLE_RIGHT);
	table_column(&table, "UNIT", TABLE_LEFT);
	for (unsigned i = 0; i < curves->sources_len; i++) {
		const struct curve *curve = &curves->sources[i];
		struct curves_summary summary = curves_summary(curves, curve);

		table_cell(&table, "%s", curve->name);
		cell_amount(&table, summary.minimum, curve->unit);
		cell_amount(&table, summary.average, curve->unit);
		cell_amount(&table, summary.maximum, curve->unit);
		cell_amount(&table, summary.last, curve->unit);
		table_cell(&table, "%s", amount_of(0, curve->unit, NULL).unit);
	}
	table_print(&table, stdout, ctl->bold, ctl->plain);
	table_done(&table);
}

static void print_points(const struct ctl *ctl, const struct curves *curves)
{
	double now = (double)clock_wall() * CTL_NS;
	struct curves_range known = curves_known(curves);
	struct table table;

	table_init(&table);
	table_column(&table, "TIME", TABLE_LEFT);
	for (unsigned i = 0; i < curves->sources_len; i++)
		table_column(&table, curves->sources[i].name, TABLE_RIGHT);
	for (size_t k = known.begin; k < known.end; k++) {
		table_cell(&table, "%s", human_clock(time_of(curves, k), now).text);
		for (unsigned i = 0; i < curves->sources_len; i++) {
			const struct curve *curve = &curves->sources[i];

			cell_amount(&table, values_of(ctl, curve)[k], curve->unit);
		}
	}
	putchar('\n');
	table_print(&table, stdout, ctl->bold, ctl->plain);
	table_done(&table);
}

static void print_plots(const struct ctl *ctl, const struct curves *curves)
{
	for (unsigned i = 0; i < curves->sources_len; i++) {
		const struct curve *curve = &curves->sources[i];
		const char *unit = amount_of(0, curve->unit, NULL).unit;
		struct plot plot = {
			.values = values_of(ctl, curve),
			.len = curves->len,
			.unit = curve->unit,
			.start = curves->start,
			.step = curves->step,
			.width = ctl->width,
			.rows = curves->sources_len == 1 ? ROWS_ALONE : ROWS,
			.braille = plot_has_braille(),
		};

		printf("\n%s%s%s%s%s\n", ctl->bold,
		       *curve->label != '\0' ? curve->label : curve->name, ctl->plain,
		       *unit != '\0' ? ", in " : "", unit);
		plot_print(&plot, stdout);
	}
}

static void print_head(const struct ctl *ctl, const struct curves *curves)
{
	double now = (double)clock_wall() * CTL_NS;
	double end = time_of(curves, curves->len);

	printf("%s%s%s\n", ctl->bold, curves->name, ctl->plain);
	printf("%s to %s, %severy %s", human_clock(curves->start, now).text,
	       human_clock(end < now ? end : now, now).text, ctl->maximum ? "maxima, " : "",
	       human_seconds(curves->step).text);
	if (*curves->provider != '\0')
		printf(", from %s",
		       strcmp(curves->provider, "recent") == 0 ? "memory" : curves->provider);
	if (curves->missing)
		printf("; %sended %s%s", ctl->red, human_clock(curves->last, now).text, ctl->plain);
	fputs("\n\n", stdout);
}

static int print_text(const struct ctl *ctl, const struct curves *curves)
{
	print_head(ctl, curves);
	if (curves_known(curves).end == 0) {
		printf("no values in this span; the last one is of %s\n",
		       human_clock(curves->last, (double)clock_wall() * CTL_NS).text);
		return CTL_FAILED;
	}
	print_summary(ctl, curves);
	if (ctl->terminal)
		print_plots(ctl, curves);
	if (!ctl->terminal || ctl->detailed)
		print_points(ctl, curves);
	return CTL_OK;
}

int history_run(const struct ctl *ctl, int argc, char **argv)
{
	struct curves curves = { 0 };
	struct span span = { 0 };
	struct peer peer;
	int status = read_span(ctl, &span);

	(void)argc;
	if (status == CTL_OK)
		status = ctl_connect(ctl, &peer);
	if (status != CTL_OK)
		return status;
	status = ask(ctl, &peer, argv[1], &span, &curves);
	peer_close(&peer);
	if (status == CTL_OK && ctl->json)
		print_json(&curves);
	else if (status == CTL_OK && ctl->csv)
		print_csv(ctl, &curves);
	else if (status == CTL_OK)
		status = print_text(ctl, &curves);
	curves_done(&curves);
	return status;
}
