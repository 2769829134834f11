/* SPDX-License-Identifier: MIT */
/* Facts: the PNG specification, 5.2 and 11.2.2: signature and IHDR.
 *
 * librrd and the fontconfig below it lose what they have allocated: no leak is
 * looked for while they draw; see lsan_interface.h. */
#include "draw.h"

#include <stdlib.h>
#include <string.h>

#include <collector/history.h>

#include "base/clock.h"

#include "mistake.h"

void __lsan_disable(void) __attribute__((weak)); /* NULL without that sanitizer. */
void __lsan_enable(void) __attribute__((weak));

struct wanted {
	char name[512];
	unsigned seconds, width, height;
	int title; /* Where it begins. */
};

static struct wanted read_words(const char *words)
{
	struct wanted wanted;
	char name[256];

	if (sscanf(words, "%255s %u %ux%u %n", name, &wanted.seconds, &wanted.width, &wanted.height,
		   &wanted.title) != 4)
		mistake(words, "no NAME SECONDS WIDTHxHEIGHT TITLE");
	snprintf(wanted.name, sizeof(wanted.name), "%s%s",
		 strchr(name, '/') == strrchr(name, '/') ? "host/" : "", name);
	return wanted;
}

static unsigned number(const unsigned char *bytes)
{
	return (unsigned)bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

static void show(const struct mc_picture *picture, FILE *out)
{
	static const char signature[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
	const unsigned char *bytes = picture->bytes;
	FILE *file = fopen("picture", "we");

	if (file == NULL || fwrite(bytes, 1, picture->size, file) != picture->size ||
	    fclose(file) != 0)
		mistake_errno("picture");
	if (picture->size < 24 || memcmp(bytes, signature, sizeof(signature) - 1) != 0)
		fprintf(out, "* no PNG\n");
	else
		fprintf(out, "PNG of %ux%u\n", number(bytes + 16), number(bytes + 20));
}

void draw(struct mc_ctx *feed, char *words, FILE *out)
{
	const struct wanted wanted = read_words(words);
	const mc_time now = clock_wall();
	const struct mc_span span = { .from = now - wanted.seconds * MC_SECOND,
				      .to = now,
				      .points = wanted.width };
	struct mc_picture picture = { 0 };
	struct mc_history *history;
	char why[MC_HISTORY_WHY] = "";
	int rc = mc_history(feed, wanted.name, span, &history, why);

	if (rc == 0) {
		const struct mc_graph graph = { .history = history,
						.title = words + wanted.title,
						.width = wanted.width,
						.height = wanted.height };

		if (__lsan_disable != NULL)
			__lsan_disable();
		rc = mc_graph(feed, &graph, &picture, why);
		if (__lsan_enable != NULL)
			__lsan_enable();
	}
	if (rc == 0)
		show(&picture, out);
	else
		fprintf(out, "* not drawn: %s\n", why[0] != '\0' ? why : strerror(-rc));
	mc_history_free(history);
	free(picture.bytes);
}
