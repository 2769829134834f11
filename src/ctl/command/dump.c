/* SPDX-License-Identifier: MIT */
/* dump: has what the plugin recorder keeps written to a file; and prints such a file. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "ctl/command/dump_fields.h"
#include "ctl/ctl.h"
#include "ctl/print/human.h"
#include "ctl/print/json.h"
#include "ctl/print/sample.h"
#include "formats/otlp/otlp.h"
#include "formats/otlp/otlp_notices.h"

/* --- Samples ---------------------------------------------------------------- */

static void print_sample(const struct mc_otlp *otlp)
{
	struct mc_json *json = json_open(false);

	sample_json(json, otlp);
	json_close(json, stdout);
}

static void sample_line(const struct mc_otlp *otlp)
{
	printf("%.3f %s", (double)otlp->stamp.time * CTL_NS, otlp->name.name);
	for (unsigned i = 0; i < otlp->values_len; i++) {
		const union mc_value *value = &otlp->values[i];

		if (otlp->kinds[i] == MC_GAUGE)
			printf(" %.15g", value->gauge);
		else if (otlp->kinds[i] == MC_DERIVE)
			printf(" %" PRId64, value->derive);
		else
			printf(" %" PRIu64, value->counter);
	}
	putchar('\n');
}

/* --- Notices ---------------------------------------------------------------- */

static void notice_json(const struct mc_notification *notice)
{
	struct mc_json *json = json_open(false);

	mc_json_text(json, "notice", notice->message);
	mc_json_seconds(json, "time", notice->time);
	mc_json_text(json, "severity",
		     notice->severity == MC_FAILURE   ? "failure"
		     : notice->severity == MC_WARNING ? "warning"
						      : "okay");
	mc_json_text(json, "host", notice->id.host);
	mc_json_text(json, "plugin", notice->id.plugin);
	mc_json_text(json, "plugin_instance", notice->id.plugin_instance);
	mc_json_text(json, "type", notice->id.type);
	mc_json_text(json, "type_instance", notice->id.type_instance);
	json_close(json, stdout);
}

static void notice_line(const struct mc_notification *notice)
{
	printf("%.3f %s %s\n", (double)notice->time * CTL_NS,
	       notice->severity == MC_FAILURE   ? "FAILURE"
	       : notice->severity == MC_WARNING ? "WARNING"
						: "OKAY",
	       notice->message);
}

/* --- The file --------------------------------------------------------------- */

/* Prints a request; false if it is damaged. */
static bool print_request(const struct ctl *ctl, struct mc_otlp *otlp, struct mc_otlp_span span,
			  bool logs)
{
	enum mc_otlp_item item;

	mc_otlp_open(otlp, span.at, (size_t)(span.end - span.at), logs, "");
	while ((item = mc_otlp_next(otlp)) != MC_OTLP_END && item != MC_OTLP_FAULT) {
		if (item == MC_OTLP_SAMPLE && ctl->json)
			print_sample(otlp);
		else if (item == MC_OTLP_SAMPLE)
			sample_line(otlp);
		else if (item == MC_OTLP_NOTICE && ctl->json)
			notice_json(&otlp->notification);
		else if (item == MC_OTLP_NOTICE)
			notice_line(&otlp->notification);
	}
	return item == MC_OTLP_END;
}

/* Prints all fields; false if one is damaged, or the file is empty. */
static bool print_fields(const struct ctl *ctl, struct dump_fields *fields)
{
	struct mc_otlp *otlp = alloc_zero(sizeof(*otlp)); /* Some KiB: not for the stack. */
	bool whole = false;
	struct mc_otlp_span field, rest, logs;

	while (dump_fields_next(fields, &field)) {
		rest = field;
		whole = otlp_notices_next(&rest, &logs) ? print_request(ctl, otlp, logs, true)
							: print_request(ctl, otlp, field, false);
		if (!whole)
			break;
	}
	free(otlp);
	return whole && dump_fields_are_whole(fields);
}

static int print_file(const struct ctl *ctl, const char *path)
{
	struct dump_fields *fields = dump_fields_open(path);
	bool whole;

	if (fields == NULL)
		return ctl_failed("cannot read '%s': %s", path, strerror(errno));
	whole = print_fields(ctl, fields);
	dump_fields_close(fields);
	if (fflush(stdout) != 0)
		return ctl_failed("cannot write: %s", strerror(errno));
	return whole ? CTL_OK : ctl_failed("'%s' is damaged, or no dump", path);
}

int dump_run(const struct ctl *ctl, int argc, char **argv)
{
	struct answer answer;
	int status;

	if (argc > 1)
		return print_file(ctl, argv[1]);
	status = ctl_ask(ctl, "DUMP", &answer);
	if (status != CTL_OK)
		return status;
	puts(answer.message);
	peer_answer_done(&answer);
	return CTL_OK;
}
