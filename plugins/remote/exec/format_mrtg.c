/* SPDX-License-Identifier: MIT */
/* Programs made for MRTG, which print four lines: two numbers, in and out, how long the target has
 * been up, and its name.  Facts: mrtg-reference(1), "External Monitoring Scripts".  The last two
 * are for its pages, and are not read. */
#include "format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "programs.h"

#define NUMBERS_LEN 2
#define DIGITS_MAX 64 /* Of a number. */

static const char *const labels[NUMBERS_LEN] = { "in", "out" };

struct mrtg_run {
	unsigned lines; /* Of this run. */
	struct format_number numbers[NUMBERS_LEN];
	char digits[NUMBERS_LEN][DIGITS_MAX + 1];
};

static void begin(struct program *program)
{
	struct mrtg_run *run = program->own;

	if (run == NULL)
		program->own = run = mc_alloc_zero(sizeof(*run));
	run->lines = 0;
}

/* UNKNOWN is NaN; blanks around a number do not count.  False: it is neither. */
static bool take_number(struct mrtg_run *run, unsigned i, const char *text)
{
	struct format_number *number = &run->numbers[i];
	const char *start = text + strspn(text, " \t");
	size_t size;

	start += *start == '+';
	size = strcspn(start, " \t\r");
	*number = (struct format_number){ .number = NAN };
	if (size > DIGITS_MAX || start[size + strspn(start + size, " \t\r")])
		return false;
	memcpy(run->digits[i], start, size);
	run->digits[i][size] = '\0';
	if (strcmp(run->digits[i], "UNKNOWN") == 0)
		return true;
	if (!mc_number_double(run->digits[i], &number->number))
		return false;
	number->digits = run->digits[i];
	return true;
}

static void take_line(struct program *program, const struct mc_child_line *line)
{
	struct mrtg_run *run = program->own;

	if (run->lines < NUMBERS_LEN && !take_number(run, run->lines, line->text))
		mc_command_say(&program->command, "prints no number, and not UNKNOWN", line->text);
	if (run->lines < NUMBERS_LEN)
		run->lines++;
}

/* An unknown value of a counter is left out. */
static bool is_there(const struct mc_type *type, unsigned source,
		     const struct format_number *number)
{
	return !isnan(number->number) || type->sources[source].kind == MC_GAUGE;
}

/* Both numbers are sources of one series if the type has two; else each has a series of its own. */
static bool put(struct program *program, const struct mrtg_run *run)
{
	const char *name = program->type != NULL ? program->type : "if_octets";
	const struct mc_type *type = mc_type_find(program->all->ctx, name);
	const struct format_number *numbers = run->numbers;
	bool pair = type != NULL && type->sources_len == NUMBERS_LEN;
	bool good = type != NULL;

	if (pair)
		return !is_there(type, 0, &numbers[0]) || !is_there(type, 1, &numbers[1]) ||
		       format_put(program, &(struct format_value){ .type = name,
								   .number = numbers[0],
								   .second = &numbers[1] });
	for (unsigned i = 0; good && i < NUMBERS_LEN; i++)
		good = !is_there(type, 0, &numbers[i]) ||
		       format_put(program, &(struct format_value){ .type = name,
								   .label = labels[i],
								   .number = numbers[i] });
	return good;
}

/* As with MRTG, what a program has printed counts whatever its exit status. */
static void take_end(struct program *program, const struct mc_child_end *end)
{
	const struct mrtg_run *run = program->own;

	if (end->errnum != 0 || end->signal != 0 || end->timed_out || end->flooded)
		return;
	if (run->lines < NUMBERS_LEN)
		mc_command_say(&program->command, "prints fewer than two lines", "");
	else if (!put(program, run))
		mc_command_say(&program->command, "prints numbers that cannot be of its Type", "");
}

static void done(struct program *program)
{
	free(program->own);
}

const struct format format_mrtg = {
	.plugin = "exec",
	.status_max = 255,
	.sources_max = NUMBERS_LEN,
	.begin = begin,
	.line = take_line,
	.end = take_end,
	.done = done,
};
