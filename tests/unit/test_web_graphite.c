/* SPDX-License-Identifier: MIT */
/* Functions of Graphite's render API: their answers are those of graphite-web 1.1.10, which
 * tests/torture/graphite_web has asked, from the same values. */
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>

#include "functions.h"
#include "pattern.h"
#include "print.h"
#include "target.h"

#define UNTIL INT64_C(1700003600)
#define FROM (UNTIL - 600)
#define STEP 10
#define FIRST (UNTIL - 26 * 3600 - 600) /* Of the values. */

/* Sorted, as a file of its own has the numbers of the values. */
static const char *const names[] = {
	"db1.df-root.df_complex-free",
	"db1.df-root.df_complex-used",
	"db1.load.load.longterm",
	"db1.load.load.midterm",
	"db1.load.load.shortterm",
	"db2.empty.gauge-none",
	"web1.cpu-0.cpu-idle",
	"web1.cpu-0.cpu-system",
	"web1.cpu-0.cpu-user",
	"web1.cpu-1.cpu-idle",
	"web1.cpu-1.cpu-system",
	"web1.cpu-1.cpu-user",
	"web1.interface-eth0.if_octets.rx",
	"web1.interface-eth0.if_octets.tx",
	"web2.cpu-0.cpu-idle",
	"web2.cpu-0.cpu-system",
	"web2.cpu-0.cpu-user",
	"web2.cpu-1.cpu-idle",
	"web2.cpu-1.cpu-system",
	"web2.cpu-1.cpu-user",
	"web2.interface-eth0.if_octets.rx",
	"web2.interface-eth0.if_octets.tx",
	"web3.cpu-0.cpu-idle",
	"web3.cpu-0.cpu-system",
	"web3.cpu-0.cpu-user",
	"web3.cpu-1.cpu-idle",
	"web3.cpu-1.cpu-system",
	"web3.cpu-1.cpu-user",
	"web3.interface-eth0.if_octets.rx",
	"web3.interface-eth0.if_octets.tx",
};
#define NAMES_LEN (sizeof(names) / sizeof(*names))

static double value_of(size_t number, int64_t time)
{
	int64_t slot = time / STEP, of = (int64_t)number;

	if (strstr(names[number], "empty") != NULL || time < FIRST || time > UNTIL)
		return NAN;
	if ((slot + 3 * of) % 23 == 0 || (slot / 40 + of) % 11 == 0)
		return NAN;
	if (strstr(names[number], "if_octets") != NULL)
		return (double)(slot % 2000 * (of + 1) * 100);
	return (double)((slot * 7919 + of * 104729) % 1000) / 8;
}

static struct curve *make(struct evaluation *evaluation, size_t number, const char *path)
{
	struct curve_grid grid = { evaluation->from / STEP * STEP + STEP,
				   evaluation->until / STEP * STEP + STEP, STEP, 0 };
	struct curve *curve;

	grid.len = (unsigned)((grid.end - grid.start) / STEP);
	curve = curve_new(names[number], grid);
	for (unsigned i = 0; i < grid.len; i++)
		curve->values[i] = value_of(number, grid.start + i * STEP);
	free(curve->expression);
	curve->expression = mc_alloc_copy(path);
	return curve;
}

static struct curve *fetch(struct evaluation *evaluation, const struct expression *part)
{
	struct curve *first = NULL, **end = &first;
	struct pattern glob;

	assert_true(pattern_init(&glob, part->text));
	for (size_t i = 0; i < NAMES_LEN; i++)
		if (pattern_matches(&glob, names[i])) {
			*end = make(evaluation, i, part->text);
			end = &(*end)->next;
		}
	pattern_done(&glob);
	return first;
}

static struct evaluation begin(void)
{
	return (struct evaluation){ .fetch = fetch, .now = UNTIL, .from = FROM, .until = UNTIL };
}

/* --- Answers of graphite-web ------------------------------------------------ */

/* Whether both are the same text, or numbers that differ by rounding alone. */
static bool is_same_value(const char *a, size_t a_size, const char *b, size_t b_size)
{
	char *a_end, *b_end;
	double left = strtod(a, &a_end), right = strtod(b, &b_end);

	if (a_size == b_size && memcmp(a, b, a_size) == 0)
		return true;
	if (a_end != a + a_size || b_end != b + b_size)
		return false;
	return fabs(left - right) <= 1e-9 * fmax(1, fabs(left));
}

/* Whether two answers are the same, word by word. */
static bool is_same(const char *a, const char *b)
{
	static const char ends[] = ",|\n";

	while (*a != '\0' && *b != '\0') {
		size_t a_size = strcspn(a, ends), b_size = strcspn(b, ends);

		if (!is_same_value(a, a_size, b, b_size) || a[a_size] != b[b_size])
			return false;
		a += a_size + (a[a_size] != '\0');
		b += b_size + (b[b_size] != '\0');
	}
	return *a == *b;
}

static unsigned compare(const char *query, const char *wanted)
{
	struct evaluation evaluation = begin();
	struct curve *curves = target_evaluate(&evaluation, query);
	struct mc_buffer got = { 0 };
	bool same;

	mc_buffer_add(&got, "", 0);
	print_raw(&got, curves);
	same = !evaluation_failed(&evaluation) && is_same(got.at, wanted);
	if (!same)
		print_error("%s: %s\ngot    %.600s\nwanted %.600s\n", query, evaluation.why, got.at,
			    wanted);
	curve_free(curves);
	mc_buffer_free(&got);
	evaluation_done(&evaluation);
	return !same;
}

static FILE *open_answers(void)
{
	char *path = mc_alloc_printf("%s/tests/unit/graphite_web/answers", getenv("top_srcdir"));
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	free(path);
	return file;
}

/* A line "? QUERY" is before the lines of its answer. */
static void answers_are_those_of_graphite_web(void **state)
{
	FILE *file = open_answers();
	char *line = NULL, *query = NULL;
	struct mc_buffer answer = { 0 };
	unsigned failed = 0, len = 0;
	size_t room = 0;
	ssize_t size;

	(void)state;
	do {
		size = getline(&line, &room, file);
		if (size > 0 && line[0] != '?') {
			mc_buffer_add(&answer, line, (size_t)size);
			continue;
		}
		if (query != NULL)
			failed += compare(query, answer.at);
		free(query);
		query = size > 0 ? strndup(line + 2, (size_t)size - 3) : NULL;
		mc_buffer_clear(&answer);
		mc_buffer_add(&answer, "", 0);
		len++;
	} while (size > 0);
	fclose(file);
	free(line);
	mc_buffer_free(&answer);
	assert_true(len > 100);
	assert_int_equal(failed, 0);
}

/* --- Refusals ---------------------------------------------------------------- */

static void refused(const char *target, const char *why)
{
	struct evaluation evaluation = begin();

	assert_null(target_evaluate(&evaluation, target));
	assert_string_equal(evaluation.why, why);
	evaluation_done(&evaluation);
}

static void a_refusal_says_what_is_wrong(void **state)
{
	(void)state;
	refused("holtWintersForecast(web1.*.*)",
		"the function 'holtWintersForecast' does not exist here");
	refused("scale(web1.cpu-0.*)", "scale(): 'factor' is lacking");
	refused("scale(web1.cpu-0.*,'x')", "scale(): 'factor' is not of the type float");
	refused("scale(web1.cpu-0.*,1,2)", "scale() has 2 parameters, not more");
	refused("scale(web1.cpu-0.*,by=1)", "scale() has no 'by'");
	refused("scale(web1.cpu-0.*,1,factor=1)", "scale(): 'factor' is there twice");
	refused("scale(5,1)", "scale(): 'seriesList' is not of the type seriesList");
	refused("5", "a series is lacking where the target has something else");
	refused("limit(web1.cpu-0.*,1.5)", "limit(): 'n' is not of the type integer");
	refused("summarize(web1.cpu-0.*,'1x')",
		"summarize(): 'intervalString' is not of the type interval");
	refused("summarize(web1.cpu-0.*,'1h','mode')",
		"summarize(): 'func' is not of the type aggFunc");
	refused("divideSeries(web1.cpu-0.*,web1.cpu-0.*)",
		"divideSeries(): the divisor is 3 series, not one");
	refused("filterSeries(web1.cpu-0.*,'max','~',1)", "filterSeries(): '~' is no operator");
	refused("percentileOfSeries(web1.cpu-0.*,0)", "percentileOfSeries(): 'n' is not above 0");
}

static void work_has_limits(void **state)
{
	(void)state;
	refused("movingSum(movingSum(movingSum(movingSum(movingSum(movingSum(movingSum(movingSum("
		"movingSum(web1.cpu-0.*,2),2),2),2),2),2),2),2),2)",
		"the target has too much to compute");
	refused("timeStack(web1.cpu-0.*,'1min',-1000000000,1000000000)",
		"the target has too much to compute");
	refused("summarize(timeSlice(web1.cpu-0.*,'-1y'),'1s',alignToFrom=none,func=none)|"
		"movingAverage('90y')",
		"movingAverage(): the window is too large, or nothing");
	refused("time('x',1)|hitcount('1s')|timeShift('99y')|movingMedian(100000)",
		"movingMedian(): the window is too large, or nothing");
	refused("grep(web1.cpu-0.*,'(')",
		"grep(): invalid regular expression '(': missing closing parenthesis at "
		"character 1");
}

/* PCRE2 gives up: the names stay, or do not match. */
static void an_expression_that_explodes_is_given_up(void **state)
{
	struct evaluation evaluation = begin();
	struct curve *curves =
		target_evaluate(&evaluation, "aliasSub(alias(web1.cpu-0.cpu-user,'"
					     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'),"
					     "'^(a|a?)+$b','x')");

	(void)state;
	assert_non_null(curves);
	assert_string_equal(curves->name, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	curve_free(curves);
	evaluation_done(&evaluation);
}

static void points_are_limited(void **state)
{
	struct evaluation evaluation = begin();

	(void)state;
	evaluation.from = UNTIL - 25 * 3600;
	assert_null(target_evaluate(&evaluation, "summarize(web1.cpu-0.*,'1s')"));
	assert_string_equal(evaluation.why,
			    "too many points of one series: 90001 of at most 65536");
	evaluation_done(&evaluation);
}

/* --- The table --------------------------------------------------------------- */

static void every_row_can_be_read(void **state)
{
	(void)state;
	for (const struct functions_group *group = functions_next(NULL); group != NULL;
	     group = functions_next(group)) {
		const char *before = "";

		for (const struct functions_row *row = group->rows; row->signature != NULL; row++) {
			struct functions_parameter parameters[FUNCTIONS_PARAMETERS];
			unsigned len = functions_parameters(row->signature, parameters);

			assert_true(strcmp(before, row->signature) < 0);
			before = row->signature;
			assert_true(len > 0 && row->make != NULL);
			for (unsigned i = 0; i < len; i++)
				assert_non_null(parameters[i].type_name);
			for (unsigned i = 0; i + 1 < len; i++)
				assert_false(parameters[i].multiple);
		}
	}
	assert_null(functions_find("sumSerie"));
	assert_non_null(functions_find("sumSeries"));
}

/* --- Points of a graph -------------------------------------------------------- */

static void shows(const char *target, unsigned most, const char *wanted)
{
	struct evaluation evaluation = begin();
	struct mc_json *json = mc_json_new(false);
	struct curve *curves;
	const char *bytes;
	size_t size;

	evaluation.until = evaluation.from + 60;
	curves = target_evaluate(&evaluation, target);
	print_json(json, curves, &(struct print_options){ .points_max = most });
	bytes = mc_json_bytes(json, &size);
	assert_int_equal(size, strlen(wanted));
	assert_memory_equal(bytes, wanted, size);
	mc_json_free(json);
	curve_free(curves);
	evaluation_done(&evaluation);
}

#define ANSWER(target, name, points)                                                               \
	"[{\"target\":\"" target "\",\"tags\":{\"name\":\"" name "\"},"                            \
	"\"datapoints\":[" points "]}]"

/* As graphite-web answers with maxDataPoints. */
static void points_are_thinned_out(void **state)
{
	(void)state;
	shows("db1.load.load.shortterm", 100,
	      ANSWER("db1.load.load.shortterm", "db1.load.load.shortterm",
		     "[66.875,1700003010],[null,1700003020],[46.625,1700003030],"
		     "[36.5,1700003040],[26.375,1700003050],[16.25,1700003060]"));
	shows("db1.load.load.shortterm", 3,
	      ANSWER("db1.load.load.shortterm", "db1.load.load.shortterm",
		     "[66.875,1700003020],[41.5625,1700003040],[21.3125,1700003060]"));
	shows("db1.load.load.shortterm", 1,
	      ANSWER("db1.load.load.shortterm", "db1.load.load.shortterm", "[38.525,1700003010]"));
	shows("alias(consolidateBy(db1.load.load.shortterm,'max'),'x')", 2,
	      ANSWER("x", "x", "[46.625,1700003040],[16.25,1700003070]"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_of_graphite_web),
		cmocka_unit_test(a_refusal_says_what_is_wrong),
		cmocka_unit_test(work_has_limits),
		cmocka_unit_test(an_expression_that_explodes_is_given_up),
		cmocka_unit_test(points_are_limited),
		cmocka_unit_test(every_row_can_be_read),
		cmocka_unit_test(points_are_thinned_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
