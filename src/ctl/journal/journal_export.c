/* SPDX-License-Identifier: MIT */
/* collectorctl journal export: every sample as a line of JSON. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/otlp/otlp.h"

#include "base/alloc.h"
#include "ctl/journal/journal.h"
#include "ctl/print/json.h"
#include "ctl/print/sample.h"

/* Rates of all but gauges, as they were when recorded; null at first and after a reset. */
static void export_rates(struct mc_json *json, const struct mc_otlp *otlp)
{
	char name[SAMPLE_SOURCE_SIZE];
	bool any = false;

	for (unsigned i = 0; i < otlp->values_len; i++)
		any |= otlp->kinds[i] != MC_GAUGE;
	if (!any)
		return;
	mc_json_map(json, "rates");
	for (unsigned i = 0; i < otlp->values_len; i++) {
		if (otlp->kinds[i] == MC_GAUGE)
			continue;
		sample_source(otlp, i, name);
		mc_json_number(json, name, otlp->own.rates[i]);
	}
	mc_json_map_end(json);
}

static void export_sample(const struct mc_otlp *otlp, uint64_t seq)
{
	struct mc_json *json = json_open(false);

	mc_json_unsigned(json, "record", seq);
	sample_json(json, otlp);
	export_rates(json, otlp);
	json_close(json, stdout);
}

static void export_gap(const struct frame_gap *gap, uint64_t seq)
{
	struct mc_json *json = json_open(false);

	mc_json_unsigned(json, "record", seq);
	mc_json_map(json, "gap");
	mc_json_unsigned(json, "from", gap->from);
	mc_json_unsigned(json, "to", gap->to);
	mc_json_unsigned(json, "samples", gap->samples);
	mc_json_text(json, "reason", gap->reason == 1 ? "quota" : "unknown");
	mc_json_map_end(json);
	json_close(json, stdout);
}

static void export_record(struct journal *journal, const struct journal_segment *segment,
			  const struct frame *frame)
{
	enum mc_otlp_item item;
	struct frame_gap gap;
	struct mc_otlp *otlp;

	(void)journal;
	(void)segment;
	if (frame_read_gap(frame, &gap))
		export_gap(&gap, frame->seq);
	if (frame->type != FRAME_BATCH)
		return;
	otlp = alloc_zero(sizeof(*otlp)); /* Some KiB: not for the stack. */
	mc_otlp_open(otlp, frame->payload, frame->size, false, "");
	while ((item = mc_otlp_next(otlp)) != MC_OTLP_END)
		if (item == MC_OTLP_SAMPLE)
			export_sample(otlp, frame->seq);
	free(otlp);
}

int journal_export(struct journal *journal)
{
	int status = journal_each(journal, export_record);

	if (status != CTL_OK)
		return status;
	if (fflush(stdout) != 0)
		return ctl_failed("cannot write: %s", strerror(errno));
	if (journal->damaged + journal->gaps == 0)
		return CTL_OK;
	return ctl_failed("'%s' is damaged, %" PRIu64 " samples are missing "
			  "for sure: see 'journal verify'",
			  journal->path, journal->missing);
}
