/* SPDX-License-Identifier: MIT */
/* Any text as a page of metrics, in both formats; a guess at a series changes nothing. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_labels(const struct page *page, struct page_text series)
{
	static struct page_labels labels;
	char *copy = mc_alloc_zero(series.size + 1), help[64];

	memcpy(copy, series.at, series.size);
	if (page_labels_read(&labels, copy) == NULL) {
		struct page_role role = page_role_of(page, labels.name);

		assert(labels.name[0] != '\0' && role.name_size <= strlen(labels.name));
		assert(labels.len <= PAGE_LABELS_MAX);
		for (size_t i = 0; i < labels.len; i++) {
			assert(labels.items[i].name[0] != '\0' && labels.items[i].value[0] != '\0');
			assert(i == 0 ||
			       strcmp(labels.items[i - 1].name, labels.items[i].name) < 0);
		}
	}
	page_help_read(page->help, help, sizeof(help));
	assert(strlen(help) <= page->help.size);
	free(copy);
}

static void look(const char *text, size_t size, bool openmetrics)
{
	struct page page, again;
	struct page_sample sample, other;
	bool more;

	page_open(&page, text, size, openmetrics);
	page_open(&again, text, size, openmetrics);
	do {
		more = page_next(&page, NULL, &sample);
		assert(page_next(&again, more ? &sample.series : NULL, &other) == more);
		assert(again.line == page.line && (again.error == NULL) == (page.error == NULL));
		if (!more)
			break;
		assert(sample.series.at >= text && sample.series.size > 0);
		assert(sample.series.at + sample.series.size <= text + size);
		assert(other.series.at == sample.series.at &&
		       other.series.size == sample.series.size);
		assert(other.number.at == sample.number.at && other.time == sample.time);
		look_at_labels(&page, sample.series);
	} while (more);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mc_alloc_zero(size + 1);

	if (size > 0)
		memcpy(text, data, size);
	look(text, size, false);
	look(text, size, true);
	free(text);
	return 0;
}
