/* SPDX-License-Identifier: MIT */
#include "bmc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include "report.h"

#define SENSORS_MAX ((size_t)10000)
#define SETTLING_TIME (60 * MC_SECOND) /* Sensors until then are not new. */
#define READING_MAX (60 * MC_SECOND)   /* Then the process is killed. */
#define STARTS_PAUSE_MAX (300 * MC_SECOND)
#define LINE_MAX 8192

const char *const bmc_auths[] = { "best", "MD5", "rmcp+", NULL };

struct bmc_sensor {
	unsigned id;
	char *type, *type_instance, *name;
	bool absent, has_value;
	double value; /* Of the reading under way. */
	struct mc_once trouble;
};

/* --- Notifications --------------------------------------------------------------------- */

static bool has_settled(const struct bmc *bmc)
{
	return mc_now() - bmc->started >= SETTLING_TIME;
}

static void notify(struct bmc *bmc, enum mc_severity severity, const struct bmc_sensor *sensor,
		   const char *what)
{
	char message[256];
	const struct mc_notification notification = {
		.severity = severity,
		.id = { .host = bmc->settings->host,
			.plugin = "ipmi",
			.type = sensor->type,
			.type_instance = sensor->type_instance },
		.message = message,
	};

	snprintf(message, sizeof(message), "sensor %s %s", sensor->name, what);
	mc_notify(bmc->ctx, &notification);
}

static void notify_connection(struct bmc *bmc, enum mc_severity severity, const char *message)
{
	const struct mc_notification notification = {
		.severity = severity,
		.id = { .host = bmc->settings->host, .plugin = "ipmi" },
		.message = message,
	};

	if (bmc->settings->notify_connection && has_settled(bmc))
		mc_notify(bmc->ctx, &notification);
}

static void notify_event(struct bmc *bmc, const struct report *report)
{
	const struct mc_notification notification = {
		.severity = report->severity,
		.time = report->time,
		.id = { .host = bmc->settings->host,
			.plugin = "ipmi",
			.type = report->type,
			.type_instance = report->type_instance },
		.message = report->text,
		.fields = report->fields,
		.fields_len = report->fields_len,
	};

	if (mc_selected(bmc->settings->event_sensors, bmc->settings->events_ignore,
			report->type_instance))
		mc_notify(bmc->ctx, &notification);
}

/* --- Sensors --------------------------------------------------------------------------- */

/* Identifiers grow. */
static int compare(const void *key, const void *member)
{
	unsigned id = *(const unsigned *)key, other = ((const struct bmc_sensor *)member)->id;

	return (id > other) - (id < other);
}

static struct bmc_sensor *find(struct bmc *bmc, unsigned id)
{
	return bmc->len > 0 ? bsearch(&id, bmc->sensors, bmc->len, sizeof(*bmc->sensors), compare)
			    : NULL;
}

static void free_sensor(struct bmc_sensor *sensor)
{
	free(sensor->type);
	free(sensor->type_instance);
	free(sensor->name);
}

static bool add(struct bmc *bmc, const struct report *report)
{
	struct bmc_sensor *sensor;
	char wanted[32];

	if (bmc->len == SENSORS_MAX ||
	    (bmc->len > 0 && bmc->sensors[bmc->len - 1].id >= report->id))
		return false;
	if (!mc_selected(bmc->settings->sensors, bmc->settings->ignore, report->text))
		return true;
	bmc->sensors = mc_alloc_resize(bmc->sensors, bmc->len + 1, sizeof(*bmc->sensors));
	sensor = &bmc->sensors[bmc->len++];
	*sensor = (struct bmc_sensor){
		.id = report->id,
		.type = mc_alloc_copy(report->type),
		.type_instance = mc_alloc_copy(report->type_instance),
		.name = mc_alloc_copy(report->text),
	};
	snprintf(wanted, sizeof(wanted), "w %u\n", sensor->id);
	mc_child_write(bmc->child, wanted, strlen(wanted));
	if (bmc->settings->notify_add && has_settled(bmc))
		notify(bmc, MC_OKAY, sensor, "added");
	return true;
}

static void take_away(struct bmc *bmc, struct bmc_sensor *sensor)
{
	size_t place = (size_t)(sensor - bmc->sensors);

	if (bmc->settings->notify_remove)
		notify(bmc, MC_WARNING, sensor, "removed");
	free_sensor(sensor);
	bmc->len--;
	memmove(sensor, sensor + 1, (bmc->len - place) * sizeof(*sensor));
}

static void set_absent(struct bmc *bmc, struct bmc_sensor *sensor, bool absent)
{
	if (sensor->absent == absent)
		return;
	sensor->absent = absent;
	if (bmc->settings->notify_absent)
		notify(bmc, absent ? MC_WARNING : MC_OKAY, sensor,
		       absent ? "not present" : "present");
}

static void set_value(struct bmc *bmc, struct bmc_sensor *sensor, double value)
{
	set_absent(bmc, sensor, false);
	sensor->value = value;
	sensor->has_value = true;
	mc_works(bmc->ctx, &sensor->trouble, "'%s': sensor '%s' is read again", bmc->settings->name,
		 sensor->name);
}

static void forget_sensors(struct bmc *bmc)
{
	for (size_t i = 0; i < bmc->len; i++)
		free_sensor(&bmc->sensors[i]);
	free(bmc->sensors);
	bmc->sensors = NULL;
	bmc->len = 0;
}

/* --- Readings -------------------------------------------------------------------------- */

/* Commits the values that have come. */
static void commit(struct bmc *bmc)
{
	struct mc_batch *batch = mc_begin(bmc->ctx);

	mc_charge(batch, bmc->quota);
	for (size_t i = 0; i < bmc->len; i++) {
		struct bmc_sensor *sensor = &bmc->sensors[i];

		if (sensor->has_value)
			mc_put_gauge(batch, sensor->value, .host = bmc->settings->host,
				     .type = sensor->type, .type_instance = sensor->type_instance);
		sensor->has_value = false;
	}
	mc_commit(batch);
}

static void end_reading(struct bmc *bmc)
{
	bmc->asked = 0;
	commit(bmc);
	if (bmc->connected)
		mc_works(bmc->ctx, &bmc->slow, "'%s' answers in time", bmc->settings->name);
}

static void connect_bmc(struct bmc *bmc)
{
	mc_backoff_done(&bmc->backoff);
	mc_works(bmc->ctx, &bmc->trouble, "'%s' is connected", bmc->settings->name);
	if (!bmc->connected && bmc->was_connected)
		notify_connection(bmc, MC_OKAY, "IPMI connection restored");
	bmc->connected = bmc->was_connected = true;
}

static void disconnect_bmc(struct bmc *bmc, const char *why)
{
	mc_complain(bmc->ctx, &bmc->trouble, 0, "'%s': %s", bmc->settings->name, why);
	if (bmc->connected)
		notify_connection(bmc, MC_FAILURE, "IPMI connection lost");
	bmc->connected = false;
}

/* --- Lines of the process -------------------------------------------------------------- */

/* A line about a sensor.  One that is not wanted has none. */
static void take_sensor(struct bmc *bmc, const struct report *report)
{
	struct bmc_sensor *sensor = find(bmc, report->id);

	if (sensor == NULL)
		return;
	switch (report->letter) {
	case '-':
		take_away(bmc, sensor);
		break;
	case 'v':
		set_value(bmc, sensor, report->value);
		break;
	case 'n':
		set_absent(bmc, sensor, true);
		break;
	default:
		/* Without a connection all fail. */
		if (bmc->connected)
			mc_complain(bmc->ctx, &sensor->trouble, 0, "'%s': sensor '%s': %s",
				    bmc->settings->name, sensor->name, report->why);
	}
}

static bool take(struct bmc *bmc, const struct report *report)
{
	switch (report->letter) {
	case '+':
		return add(bmc, report);
	case '.':
		end_reading(bmc);
		return true;
	case 'u':
		connect_bmc(bmc);
		return true;
	case 'd':
		disconnect_bmc(bmc, report->why);
		return true;
	case 'e':
		notify_event(bmc, report);
		return true;
	case 'i':
		mc_log(bmc->ctx, MC_INFO, "'%s': %s", bmc->settings->name, report->why);
		return true;
	default:
		take_sensor(bmc, report);
		return true;
	}
}

static void on_line(void *argument, const struct mc_child_line *line)
{
	struct bmc *bmc = argument;
	struct report report;
	char *copy;

	if (line->fd != 1) {
		mc_command_say(&bmc->command, NULL, line->text);
		return;
	}
	copy = mc_alloc_bytes(line->text, line->size + 1);
	if (!line->whole || strlen(copy) != line->size || !report_read(copy, &report) ||
	    !take(bmc, &report))
		mc_command_say(&bmc->command, "says what is not understood", line->text);
	free(copy);
}

/* --- The process ----------------------------------------------------------------------- */

static void on_ended(void *argument, const struct mc_child_end *end)
{
	struct bmc *bmc = argument;

	mc_command_ended(&bmc->command, end, 0);
	mc_backoff_failed(&bmc->backoff, mc_now(), 0);
	commit(bmc);
	forget_sensors(bmc);
	bmc->child = NULL;
	bmc->asked = 0;
	bmc->connected = false;
}

static void tell(struct bmc *bmc, const char *name, const char *value)
{
	if (value == NULL)
		return;
	mc_child_write(bmc->child, name, strlen(name));
	mc_child_write(bmc->child, " ", 1);
	mc_child_write(bmc->child, value, strlen(value));
	mc_child_write(bmc->child, "\n", 1);
}

static void start(struct bmc *bmc, mc_time now)
{
	const struct bmc_settings *settings = bmc->settings;

	bmc->started = now;
	if (!mc_command_start(&bmc->command, bmc->spawner, &bmc->child)) {
		bmc->child = NULL;
		mc_backoff_failed(&bmc->backoff, now, 0);
		return;
	}
	tell(bmc, "address", settings->address);
	tell(bmc, "port", settings->port);
	tell(bmc, "user", settings->user);
	tell(bmc, "password", settings->password);
	tell(bmc, "auth", bmc_auths[settings->auth]);
	tell(bmc, "events", settings->events ? "true" : NULL);
	tell(bmc, "clear", settings->clear ? "true" : NULL);
	mc_child_write(bmc->child, "\n", 1);
}

/* A reading that is under way takes longer than the interval. */
static void wait_longer(struct bmc *bmc, mc_time now)
{
	mc_complain(bmc->ctx, &bmc->slow, 0, "'%s': no answer in time", bmc->settings->name);
	commit(bmc);
	if (now - bmc->asked >= READING_MAX + bmc->every.period)
		mc_child_kill(bmc->child);
}

static void on_turn(void *argument)
{
	struct bmc *bmc = argument;
	mc_time now = bmc->loop->now;

	mc_every_done(&bmc->every, now);
	mc_loop_set_timer(bmc->loop, &bmc->turn, bmc->every.next);
	if (bmc->child == NULL) {
		if (now >= bmc->backoff.until)
			start(bmc, now);
		return;
	}
	if (bmc->asked > 0) {
		wait_longer(bmc, now);
		return;
	}
	if (!bmc->connected)
		return;
	bmc->asked = now;
	mc_child_write(bmc->child, "r\n", 2);
}

/* --- Life ------------------------------------------------------------------------------ */

void bmc_init(struct bmc *bmc, struct mc_ctx *ctx, const struct bmc_settings *settings,
	      const char *program, const char *const *env)
{
	const char *argv[] = { program, settings->name };
	const struct mc_command_words words = { .argv = { argv, 2 } };

	*bmc = (struct bmc){ .ctx = ctx, .settings = settings };
	bmc->backoff.longest = STARTS_PAUSE_MAX;
	bmc->every.period = ctx->interval;
	bmc->turn = (struct mc_loop_timer){ .expired = on_turn, .argument = bmc };
	mc_command_init(&bmc->command, ctx, &words, env);
	bmc->command.name = settings->name;
	bmc->command.program.never_root = false;
	bmc->command.program.input_open = true;
	bmc->command.program.line_max = LINE_MAX;
	bmc->command.program.line = on_line;
	bmc->command.program.ended = on_ended;
	bmc->command.program.argument = bmc;
	bmc->quota = mc_quota_new(ctx, MC_QUOTA_SOURCE, settings->name, &settings->limits);
}

void bmc_begin(struct bmc *bmc, struct mc_loop *loop, struct mc_spawner *spawner)
{
	bmc->loop = loop;
	bmc->spawner = spawner;
	mc_loop_set_timer(loop, &bmc->turn, mc_now());
}

void bmc_end(struct bmc *bmc)
{
	mc_loop_unset_timer(bmc->loop, &bmc->turn);
	bmc->child = NULL;
	forget_sensors(bmc);
}

void bmc_done(struct bmc *bmc)
{
	mc_command_done(&bmc->command);
	mc_quota_free(bmc->quota);
}
