/* SPDX-License-Identifier: MIT */
/* tap: every sample and notification as it comes, until interrupted. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctl/answer/stream.h"
#include "ctl/ctl.h"
#include "ctl/print/human.h"
#include "ctl/print/json.h"

static const char *severity_word(enum mc_severity severity)
{
	return severity == MC_FAILURE ? "failure" : severity == MC_WARNING ? "warning" : "okay";
}

/* Writes a raw value as its kind has it. */
static void print_value(const struct mc_source *source, const union mc_value *value)
{
	char text[MC_PLAIN_NUMBER_SIZE];

	switch (source->kind) {
	case MC_GAUGE:
		mc_plain_gauge(text, sizeof(text), value->gauge);
		printf("  %s=%s", source->name, text);
		break;
	case MC_DERIVE:
		printf("  %s=%" PRId64, source->name, value->derive);
		break;
	case MC_COUNTER:
	case MC_ABSOLUTE:
		printf("  %s=%" PRIu64, source->name, value->counter);
		break;
	}
}

static void print_event(const struct ctl *ctl, const struct stream_event *event)
{
	double at;

	switch (event->kind) {
	case STREAM_SAMPLE:
		at = (double)event->stamp.time * CTL_NS;
		printf("%s%s%s  %s", ctl->dim, human_clock(at, at).text, ctl->plain, event->name);
		for (unsigned i = 0; i < event->type->sources_len; i++)
			print_value(&event->type->sources[i], &event->values[i]);
		putchar('\n');
		break;
	case STREAM_NOTICE:
		at = (double)event->notification->time * CTL_NS;
		printf("%s%s%s  %s%s%s  %s\n", ctl->dim, human_clock(at, at).text, ctl->plain,
		       ctl->bold, severity_word(event->notification->severity), ctl->plain,
		       event->notification->message);
		break;
	case STREAM_LOST:
		printf("%s(%" PRIu64 " lines lost: they came too fast)%s\n", ctl->red, event->lost,
		       ctl->plain);
		break;
	}
}

static void add_sample(struct mc_json *json, const struct stream_event *event)
{
	mc_json_text(json, "name", event->name);
	mc_json_seconds(json, "time", event->stamp.time);
	mc_json_seconds(json, "interval", event->stamp.interval);
	mc_json_map(json, "values");
	for (unsigned i = 0; i < event->type->sources_len; i++) {
		const struct mc_source *source = &event->type->sources[i];

		json_value(json, source->name, source->kind, &event->values[i]);
	}
	mc_json_map_end(json);
}

static void add_notification(struct mc_json *json, const struct mc_notification *notification)
{
	const struct mc_id *id = &notification->id;
	const char *const keys[] = { "host", "plugin",        "plugin_instance",
				     "type", "type_instance", "message" };
	const char *const texts[] = { id->host, id->plugin,        id->plugin_instance,
				      id->type, id->type_instance, notification->message };

	mc_json_text(json, "severity", severity_word(notification->severity));
	mc_json_seconds(json, "time", notification->time);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (texts[i] != NULL)
			mc_json_text(json, keys[i], texts[i]);
	if (notification->fields_len == 0)
		return;
	mc_json_map(json, "fields");
	for (unsigned i = 0; i < notification->fields_len; i++)
		mc_json_text(json, notification->fields[i].name, notification->fields[i].value);
	mc_json_map_end(json);
}

/* One line of JSON per event. */
static void json_event(const struct stream_event *event)
{
	struct mc_json *json = json_open(false);

	switch (event->kind) {
	case STREAM_SAMPLE:
		add_sample(json, event);
		break;
	case STREAM_NOTICE:
		add_notification(json, event->notification);
		break;
	case STREAM_LOST:
		mc_json_unsigned(json, "lost", event->lost);
		break;
	}
	json_close(json, stdout);
}

int tap_run(const struct ctl *ctl, int argc, char **argv)
{
	struct stream stream;
	struct stream_event event;
	int status = stream_open(&stream, ctl, argc > 1 ? argv[1] : NULL);

	if (status != CTL_OK)
		return status;
	/* Written out when nothing more waits, so that a reader of the pipe gets each line at
	 * once, and a flood does not cost a write per line. */
	do {
		status = stream_next(&stream, 0, &event);
		if (status == -ETIMEDOUT) {
			if (fflush(stdout) != 0)
				break;
			status = stream_next(&stream, -1, &event);
		}
		if (status > 0 && ctl->json)
			json_event(&event);
		else if (status > 0)
			print_event(ctl, &event);
	} while (status > 0 || status == -EINTR);
	status = status == -ETIMEDOUT ? CTL_OK : stream_lost(&stream, ctl, status);
	stream_close(&stream);
	return status;
}
