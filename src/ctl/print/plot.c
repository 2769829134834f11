/* SPDX-License-Identifier: MIT */
/* Dots of braille: Unicode, block U+2800. */
#include "ctl/print/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/alloc.h"
#include "ctl/print/amount.h"
#include "ctl/print/table.h"

struct canvas {
	unsigned columns, rows; /* Of characters. */
	unsigned char *cells;   /* Row by row from the top: the dots of each. */
	double low, high;       /* Of the scale, in the unit that is shown. */
	const char *unit;       /* That of the type. */
};

bool plot_has_braille(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *value = NULL;

	for (size_t i = 0; i < 3 && (value == NULL || *value == '\0'); i++)
		value = getenv(names[i]);
	return value != NULL &&
	       (strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL);
}

/* --- Scale ----------------------------------------------------------------- */

static double shown(const struct plot *plot, double value)
{
	return amount_of(value, plot->unit, NULL).number;
}

/* The next number from there that is easy to read: up, or down. */
static double round_easily(double number, bool bytes, bool up)
{
	static const double easy[] = { 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };
	double base = bytes && number >= 1024 ? pow(1024, floor(log2(number) / 10)) : 1;
	double power = base * pow(10, floor(log10(number / base)));
	size_t i = 0;

	while (i < 10 && easy[i + !up] * power <= number * (1 - 1e-9 * up))
		i++;
	return easy[i] * power;
}

static void choose_scale(const struct plot *plot, struct canvas *canvas)
{
	bool bytes = strncmp(plot->unit, "bytes", strlen("bytes")) == 0;
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < plot->len; i++) {
		low = fmin(low, shown(plot, plot->values[i]));
		high = fmax(high, shown(plot, plot->values[i]));
	}
	if (low >= 0 && low < 0.6 * high)
		low = 0;
	if (low == high && low > 0)
		low = 0;
	else if (low == high)
		high = 0;
	if (low > 0)
		low = round_easily(low, bytes, false);
	if (low < 0)
		low = -round_easily(-low, bytes, true);
	if (high > 0)
		high = round_easily(high, bytes, true);
	if (low == high)
		high = low + 1;
	canvas->low = low;
	canvas->high = high;
}

/* --- Curve ----------------------------------------------------------------- */

static void set_dot(struct canvas *canvas, unsigned x, unsigned y)
{
	static const unsigned char dots[4][2] = {
		{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
	};
	unsigned from_top = 4 * canvas->rows - 1 - y;

	canvas->cells[from_top / 4 * canvas->columns + x / 2] |= dots[from_top % 4][x % 2];
}

static void draw(const struct plot *plot, struct canvas *canvas)
{
	unsigned width = 2 * canvas->columns, height = 4 * canvas->rows;
	bool connected = false;
	unsigned before = 0;

	for (unsigned x = 0; x < width; x++) {
		double value = shown(plot, plot->values[(size_t)x * plot->len / width]);
		double part = (value - canvas->low) / (canvas->high - canvas->low);
		unsigned y;

		if (!isfinite(part)) {
			connected = false;
			continue;
		}
		y = (unsigned)round(fmin(fmax(part, 0), 1) * (height - 1));
		if (!connected)
			before = y;
		for (unsigned to = before; to != y; to += to < y ? 1 : -1U)
			if (to != before)
				set_dot(canvas, x, to);
		set_dot(canvas, x, y);
		before = y;
		connected = true;
	}
}

/* --- Print ----------------------------------------------------------------- */

static struct human label(const struct canvas *canvas, double part)
{
	struct amount amount = amount_of(0, canvas->unit, NULL);

	amount.number = canvas->low + part * (canvas->high - canvas->low);
	return amount_text(&amount);
}

static void print_cell(const struct plot *plot, unsigned char dots, FILE *out)
{
	if (dots == 0)
		fputc(' ', out);
	else if (plot->braille)
		fprintf(out, "\xe2%c%c", 0xa0 | dots >> 6, 0x80 | (dots & 0x3f));
	else
		fputc('*', out);
}

static void print_row(const struct plot *plot, const struct canvas *canvas, unsigned row, FILE *out)
{
	const unsigned char *cells = canvas->cells + (size_t)row * canvas->columns;
	unsigned middle = (canvas->rows - 1) / 2, last = canvas->rows - 1;
	unsigned len = canvas->columns;
	struct human text = { "" };

	if (row == 0 || row == last || (row == middle && canvas->rows % 2 == 1))
		text = label(canvas, 1 - (double)row / (double)last);
	while (len > 0 && cells[len - 1] == 0)
		len--;
	fprintf(out, "%*s %s", PLOT_LABEL_WIDTH - 2, text.text, plot->braille ? "┤" : "|");
	for (unsigned i = 0; i < len; i++)
		print_cell(plot, cells[i], out);
	fputc('\n', out);
}

/* A time, as exact as the span needs it. */
static struct human clock_text(double time, double span)
{
	const char *format = span < 600 ? "%H:%M:%S" : span < 36 * 3600 ? "%H:%M" : "%Y-%m-%d";
	time_t seconds = (time_t)time;
	struct human out;
	struct tm tm;

	localtime_r(&seconds, &tm);
	if (strftime(out.text, sizeof(out.text), format, &tm) == 0)
		out.text[0] = '\0';
	return out;
}

/* Three times below: at the begin, in the middle if there is room, at the end. */
static void print_times(const struct plot *plot, const struct canvas *canvas, FILE *out)
{
	double span = (double)plot->len * plot->step;
	struct human first = clock_text(plot->start, span);
	struct human middle = clock_text(plot->start + span / 2, span);
	struct human last = clock_text(plot->start + span, span);
	int columns = (int)canvas->columns, size = (int)strlen(middle.text);
	int before = (columns - size) / 2;

	if (columns < 3 * size + 4)
		middle.text[0] = '\0';
	fprintf(out, "%*s%-*s%-*s%s\n", PLOT_LABEL_WIDTH, "", before, first.text,
		columns - before - (int)strlen(last.text), middle.text, last.text);
}

static void print_axis(const struct plot *plot, const struct canvas *canvas, FILE *out)
{
	fprintf(out, "%*s%s", PLOT_LABEL_WIDTH - 1, "", plot->braille ? "└" : "+");
	for (unsigned i = 0; i < canvas->columns; i++)
		fputs(plot->braille ? "─" : "-", out);
	fputc('\n', out);
}

void plot_print(const struct plot *plot, FILE *out)
{
	struct canvas canvas = { .rows = plot->rows, .unit = plot->unit };
	bool known = false;

	for (size_t i = 0; i < plot->len; i++)
		known = known || isfinite(plot->values[i]);
	if (!known || plot->rows < 2 || plot->width < PLOT_WIDTH_MIN)
		return;
	canvas.columns = plot->width - PLOT_LABEL_WIDTH;
	canvas.cells = alloc_array(canvas.rows, canvas.columns);
	choose_scale(plot, &canvas);
	draw(plot, &canvas);
	for (unsigned row = 0; row < canvas.rows; row++)
		print_row(plot, &canvas, row, out);
	print_axis(plot, &canvas, out);
	print_times(plot, &canvas, out);
	free(canvas.cells);
}
