/* SPDX-License-Identifier: MIT */
/* nut: uninterruptible power supplies that upsd(8) of Network UPS Tools knows, by its protocol
 * (collectd.conf(5), "Plugin nut"). */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/number.h>
#include <collector/kit/tls_stream.h>
#include <collector/plugin.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "answer.h"
#include "kit/net/dialogue.h"
#include "place.h"

struct nut {
	struct mc_strings places;
	bool force_tls, verify;
	const char *ca_path;
	int64_t connect_timeout;
	struct mc_quota_limits limits;
	struct mc_tls *tls;
};

struct ups {
	struct nut *nut;
	struct place place;
	bool starts_tls; /* The answer to STARTTLS is to come. */
};

/* --- Values ---------------------------------------------------------------- */

static const struct {
	const char *variable, *type, *type_instance;
} known[] = {
	{ "ambient.humidity", "humidity", "ambient" },
	{ "ambient.temperature", "temperature", "ambient" },
	{ "battery.charge", "percent", "charge" },
	{ "battery.current", "current", "battery" },
	{ "battery.runtime", "timeleft", "battery" },
	{ "battery.temperature", "temperature", "battery" },
	{ "battery.voltage", "voltage", "battery" },
	{ "input.frequency", "frequency", "input" },
	{ "input.voltage", "voltage", "input" },
	{ "output.current", "current", "output" },
	{ "output.frequency", "frequency", "output" },
	{ "output.power", "power", "voltampere-output" },
	{ "output.realpower", "power", "watt-output" },
	{ "output.voltage", "voltage", "output" },
	{ "ups.load", "percent", "load" },
	{ "ups.power", "power", "ups" },
	{ "ups.temperature", "temperature", "ups" },
};

static void put(struct dialogue *dialogue, const struct answer_variable *variable)
{
	const struct ups *ups = dialogue_argument(dialogue);
	bool is_here = strcasecmp(ups->place.host, "localhost") == 0;
	double level;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(variable->name, known[i].variable) == 0 &&
		    mc_number_double(variable->value, &level))
			mc_put_gauge(dialogue_batch(dialogue), level,
				     .host = is_here ? NULL : ups->place.host,
				     .plugin_instance = ups->place.name, .type = known[i].type,
				     .type_instance = known[i].type_instance);
}

/* --- The protocol ---------------------------------------------------------- */

static void ask(struct dialogue *dialogue)
{
	const struct ups *ups = dialogue_argument(dialogue);
	char *question;

	if (ups->starts_tls)
		return;
	question = mc_alloc_printf("LIST VAR %s\n", ups->place.name);
	dialogue_ask(dialogue, question, strlen(question));
	free(question);
}

static void open_conversation(struct dialogue *dialogue)
{
	static const char question[] = "STARTTLS\n";
	struct ups *ups = dialogue_argument(dialogue);

	ups->starts_tls = true;
	dialogue_ask(dialogue, question, sizeof(question) - 1);
}

static void take_tls(struct dialogue *dialogue, const char *line)
{
	struct ups *ups = dialogue_argument(dialogue);
	const struct mc_tls_start how = { .tls = ups->nut->tls, .host = ups->place.host };

	ups->starts_tls = false;
	if (strcmp(line, "OK STARTTLS") == 0) {
		if (mc_tls_stream_begin(dialogue_stream(dialogue), &how) != 0) {
			dialogue_fail(dialogue, "cannot begin TLS");
			return;
		}
	} else if (strncmp(line, "ERR ", 4) != 0) {
		dialogue_fail(dialogue, "its answer is not one of upsd");
		return;
	} else if (ups->nut->force_tls || ups->nut->verify) {
		dialogue_fail(dialogue, "it does not speak TLS: %s", line + 4);
		return;
	}
	ask(dialogue);
}

static void take_line(struct dialogue *dialogue, char *line, size_t size)
{
	const struct ups *ups = dialogue_argument(dialogue);
	struct answer_variable variable;

	(void)size;
	if (ups->starts_tls) {
		take_tls(dialogue, line);
		return;
	}
	switch (answer_read(line, ups->place.name, &variable)) {
	case ANSWER_BEGIN:
		break;
	case ANSWER_VARIABLE:
		put(dialogue, &variable);
		break;
	case ANSWER_END:
		dialogue_answered(dialogue);
		break;
	case ANSWER_ERROR:
		dialogue_fail(dialogue, "it says of '%s': %s", ups->place.name, variable.name);
		break;
	case ANSWER_BAD:
		dialogue_fail(dialogue, "its answer is not one of upsd");
		break;
	}
}

static const struct dialogue_kind kind = {
	.opened = open_conversation,
	.ask = ask,
	.line = take_line,
	.answer_max = 65536,
};

/* --- Life ------------------------------------------------------------------ */

static bool is_given_before(const struct nut *self, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (strcmp(self->places.items[k], self->places.items[i]) == 0)
			return true;
	return false;
}

/* False: it cannot be asked, and nothing is left to be freed. */
static bool find(const char *text, struct place *place)
{
	uint64_t port;

	if (!place_read(text, place))
		return false;
	if (mc_check_is_host(place->host) && mc_number_unsigned(place->port, 10, 65535, &port) &&
	    port > 0)
		return true;
	place_free(place);
	return false;
}

static void nut_check(struct mc_ctx *ctx)
{
	const struct nut *self = ctx->self;

	for (size_t i = 0; i < self->places.len; i++) {
		const char *const *text = &self->places.items[i];
		struct place place;

		if (is_given_before(self, i)) {
			mc_check_warn(ctx, text, "is given before: it is asked once");
			continue;
		}
		if (!find(*text, &place))
			mc_check_warn(ctx, text,
				      "is not NAME@HOST or NAME@HOST:PORT: it is not asked");
		else
			place_free(&place);
	}
	if (self->verify && self->ca_path == NULL)
		mc_check_warn(ctx, &self->verify,
			      "takes the authorities of the system without CAPath");
	if (self->verify && mc_check_host(ctx))
		mc_check_access(ctx, &self->ca_path, self->ca_path, MC_ACCESS_READ);
}

static int ask_all(struct mc_ctx *ctx, struct ups *all)
{
	struct nut *self = ctx->self;
	struct dialogue_target *targets = mc_alloc_array(self->places.len, sizeof(*targets));
	size_t len = 0;
	int rc;

	for (size_t i = 0; i < self->places.len; i++) {
		struct ups *ups = &all[len];

		if (is_given_before(self, i) || !find(self->places.items[i], &ups->place))
			continue;
		ups->nut = self;
		targets[len++] = (struct dialogue_target){
			.kind = &kind,
			.host = ups->place.host,
			.port = ups->place.port,
			.timeout = self->connect_timeout * MC_MILLISECOND,
			.limits = &self->limits,
			.argument = ups,
		};
	}
	rc = dialogue_run(ctx, targets, len);
	for (size_t i = 0; i < len; i++)
		place_free(&all[i].place);
	free(targets);
	return rc;
}

static int nut_run(struct mc_ctx *ctx)
{
	struct nut *self = ctx->self;
	const struct mc_tls_files files = {
		.ca = self->verify ? self->ca_path : NULL,
		.verify = self->verify,
	};
	char why[MC_TLS_WHY];
	struct ups *all;
	int rc;

	if (!mc_tls_new(&files, &self->tls, why))
		return mc_fail(ctx, 0, "TLS: %s", why);
	all = mc_alloc_array(self->places.len, sizeof(*all));
	rc = ask_all(ctx, all);
	free(all);
	mc_tls_free(self->tls);
	self->tls = NULL;
	return rc;
}

static const struct mc_option options[] = {
	{ .name = "UPS",
	  MC_OPT_STRINGS(struct nut, places),
	  .sample = "rack@localhost:3493",
	  .help = "A UPS, as upsc(8) takes it: its name, then '@' and the host of upsd, by "
		  "default localhost, then ':' and the port, by default 3493." },
	{ .name = "ForceSSL",
	  MC_OPT_BOOL(struct nut, force_tls),
	  .default_value = "false",
	  .help = "Takes no values without TLS, which is tried in any case." },
	{ .name = "VerifyPeer",
	  MC_OPT_BOOL(struct nut, verify),
	  .default_value = "false",
	  .help = "Takes no values without a certificate of the host that an authority of "
		  "CAPath has signed." },
	{ .name = "CAPath",
	  MC_OPT_STRING(struct nut, ca_path),
	  .sample = "/etc/ssl/certs",
	  .help = "Folder or file of authorities, in PEM." },
	{ .name = "ConnectTimeout",
	  MC_OPT_INT(struct nut, connect_timeout),
	  .default_value = "0",
	  .min = 0,
	  .max = 86400000,
	  .sample = "5000",
	  .help = "Milliseconds that the connection and all answers may take; 0: the interval." },
	DIALOGUE_QUOTA_OPTIONS(struct nut, limits),
	{ 0 },
};

MC_PLUGIN(nut) = {
	MC_NAMED(nut),
	.help = "Asks upsd for the state of uninterruptible power supplies.",
	.self_size = sizeof(struct nut),
	.options = options,
	.types = (const char *const[]){ "current", "frequency", "humidity", "percent", "power",
					"temperature", "timeleft", "voltage", NULL },
	.check = nut_check,
	.run = nut_run,
	.lenient = true,
};
