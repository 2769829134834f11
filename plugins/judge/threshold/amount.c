/* SPDX-License-Identifier: MIT */
#include "amount.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Three digits, without an exponent below a million. */
static void write_number(double value, const char *after, char out[AMOUNT_SIZE])
{
	double size = fabs(value);
	int decimals = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
	char number[48];

	if (size > 0 && size < 0.01)
		snprintf(number, sizeof(number), "%.3g", value);
	else
		snprintf(number, sizeof(number), "%.*f", decimals, value);
	if (strchr(number, '.') != NULL && strchr(number, 'e') == NULL) {
		size_t end = strlen(number);

		while (number[end - 1] == '0')
			end--;
		number[number[end - 1] == '.' ? end - 1 : end] = '\0';
	}
	snprintf(out, AMOUNT_SIZE, "%s%s", number, after);
}

struct scale {
	double size;
	const char *word;
};

/* The largest unit that the value has at least one of. */
static void write_scaled(double value, const struct scale *scales, const char *after,
			 char out[AMOUNT_SIZE])
{
	char text[AMOUNT_SIZE];

	while (scales[1].word != NULL && fabs(value) < scales[0].size * 0.9995)
		scales++;
	snprintf(text, sizeof(text), "%s%s", scales->word, after);
	write_number(value / scales->size, text, out);
}

static const struct scale bytes[] = { { 1e12, " TB" }, { 1e9, " GB" },  { 1e6, " MB" },
				      { 1e3, " kB" },  { 1, " bytes" }, { 0, 0 } };
static const struct scale seconds[] = {
	{ 172800, " days" }, { 3600, " h" },  { 60, " min" }, { 1, " s" },
	{ 1e-3, " ms" },     { 1e-6, " us" }, { 0, 0 }
};
static const struct scale thousands[] = {
	{ 1e12, " T" }, { 1e9, " G" }, { 1e6, " M" }, { 1e3, " k" }, { 0, 0 }
};

/* Words that say nothing beside a number. */
static bool is_unit(const char *unit)
{
	static const char *const none[] = { "", "any", "code", "boolean", "count", "1" };

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (strcmp(unit, none[i]) == 0)
			return false;
	return true;
}

static void write_plain(double value, const char *unit, char out[AMOUNT_SIZE])
{
	char after[AMOUNT_SIZE / 2];

	snprintf(after, sizeof(after), "%s%s", is_unit(unit) ? " " : "", is_unit(unit) ? unit : "");
	if (fabs(value) >= 1e4)
		write_scaled(value, thousands, after, out);
	else
		write_number(value, after, out);
}

void amount_write(double value, const char *unit, char out[AMOUNT_SIZE])
{
	if (isnan(value))
		snprintf(out, AMOUNT_SIZE, "unknown");
	else if (isinf(value))
		snprintf(out, AMOUNT_SIZE, "%sinfinite", value < 0 ? "-" : "");
	else if (strcmp(unit, "percent") == 0)
		write_number(value, " %", out);
	else if (strcmp(unit, "ratio") == 0)
		write_number(100 * value, " %", out);
	else if (strcmp(unit, "bytes") == 0)
		write_scaled(value, bytes, "", out);
	else if (strcmp(unit, "bytes/s") == 0)
		write_scaled(value, bytes, "/s", out);
	else if (strcmp(unit, "seconds") == 0 || strcmp(unit, "s") == 0)
		write_scaled(value, seconds, "", out);
	else if (strcmp(unit, "ms") == 0)
		write_scaled(value / 1000, seconds, "", out);
	else if (strcmp(unit, "celsius") == 0)
		write_number(value, " degrees Celsius", out);
	else
		write_plain(value, unit, out);
}
