/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Graphite Events", and answers of graphite-web 1.1.10. */
#include "events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/buffer.h>
#include <collector/kit/number.h>

#include "answer.h"
#include "notifications.h"
#include "parameters.h"
#include "period.h"
#include "web.h"

#define DEPTH 8 /* Of a notification in JSON. */
#define TAGS_LEN 8
#define TAG_SIZE 256
#define TEXT_SIZE 1024

struct event {
	double number, time;
	char message[TEXT_SIZE];
	char tags[TAGS_LEN][TAG_SIZE];
	unsigned tags_len;
};

struct listing {
	struct mc_json *json;
	int64_t from, until;
	const char *tags; /* With blanks in between; NULL: any. */
	bool any;         /* One of these is enough. */

	/* The text that is being read. */
	unsigned depth;
	char key[32];
	struct event event;
};

/* --- One event --------------------------------------------------------------- */

static bool has_tag(const struct event *event, const char *tag, size_t size)
{
	for (unsigned i = 0; i < event->tags_len; i++)
		if (strlen(event->tags[i]) == size && memcmp(event->tags[i], tag, size) == 0)
			return true;
	return false;
}

static bool is_wanted(const struct listing *listing)
{
	const struct event *event = &listing->event;
	unsigned wanted = 0, found = 0;

	if (event->time < (double)listing->from || event->time > (double)listing->until)
		return false;
	for (const char *at = listing->tags; at != NULL && *at != '\0';) {
		size_t size = strcspn(at, " ");

		wanted += size > 0;
		found += size > 0 && has_tag(event, at, size);
		at += size + (at[size] == ' ');
	}
	return wanted == 0 || (listing->any ? found > 0 : found == wanted);
}

static void print(const struct listing *listing)
{
	const struct event *event = &listing->event;
	struct mc_json *json = listing->json;

	mc_json_map(json, NULL);
	mc_json_signed(json, "when", (int64_t)event->time);
	mc_json_text(json, "what", event->message);
	mc_json_text(json, "data", "");
	mc_json_list(json, "tags");
	for (unsigned i = 0; i < event->tags_len; i++)
		mc_json_text(json, NULL, event->tags[i]);
	mc_json_list_end(json);
	mc_json_signed(json, "id", (int64_t)event->number);
	mc_json_map_end(json);
}

/* --- Notifications as JSON ----------------------------------------------------- */

static void copy(char *out, size_t size, const char *text, size_t text_size)
{
	snprintf(out, size, "%.*s", (int)(text_size < size ? text_size : size - 1), text);
}

static bool begin_map(void *argument)
{
	struct listing *listing = argument;

	if (++listing->depth == 1)
		listing->event = (struct event){ .tags_len = 0 };
	return true;
}

static bool end_map(void *argument)
{
	struct listing *listing = argument;

	if (--listing->depth == 0 && is_wanted(listing))
		print(listing);
	return true;
}

static bool read_key(void *argument, const char *text, size_t size)
{
	struct listing *listing = argument;

	copy(listing->key, sizeof(listing->key), text, size);
	return true;
}

static bool read_number(void *argument, const char *text, size_t size)
{
	struct listing *listing = argument;
	char number[64];
	double value;

	copy(number, sizeof(number), text, size);
	if (listing->depth != 1 || !mc_number_double(number, &value))
		return true;
	if (strcmp(listing->key, "number") == 0)
		listing->event.number = value;
	else if (strcmp(listing->key, "time") == 0)
		listing->event.time = value;
	return true;
}

/* All texts but the message are tags; a tag has no blank. */
static bool read_text(void *argument, const char *text, size_t size)
{
	struct listing *listing = argument;
	struct event *event = &listing->event;
	char *tag;

	if (listing->depth != 1)
		return true;
	if (strcmp(listing->key, "message") == 0) {
		copy(event->message, sizeof(event->message), text, size);
		return true;
	}
	if (event->tags_len == TAGS_LEN)
		return true;
	tag = event->tags[event->tags_len];
	copy(tag, TAG_SIZE, text, size);
	for (; *tag != '\0'; tag++)
		if (*tag == ' ')
			*tag = '_';
	event->tags_len++;
	return true;
}

static void print_all(struct listing *listing, struct notifications *notifications)
{
	static const struct mc_json_calls calls = {
		.number = read_number,
		.string = read_text,
		.key = read_key,
		.begin_map = begin_map,
		.end_map = end_map,
	};
	struct mc_buffer text = { 0 };

	mc_buffer_add(&text, "[", 1);
	notifications_print(notifications, 0, NOTIFICATIONS_LEN, &text);
	mc_buffer_add(&text, "]", 1);
	mc_json_read(text.at, text.size, DEPTH, &calls, listing);
	mc_buffer_free(&text);
}

/* --- The answer ----------------------------------------------------------------- */

static bool read_times(struct listing *listing, const struct parameters *parameters)
{
	const char *from = parameters_get(parameters, "from", 0);
	const char *until = parameters_get(parameters, "until", 0);
	int64_t now = mc_wall() / MC_SECOND;

	listing->from = 0;
	listing->until = now;
	return (from == NULL || period_read(from, now, &listing->from)) &&
	       (until == NULL || period_read(until, now, &listing->until));
}

void events_answer(struct mc_httpd_request *request)
{
	struct listing listing = { .depth = 0 };
	struct parameters parameters;
	const char *set, *bytes;
	size_t size;

	if (!parameters_init(&parameters, request))
		return;
	if (!read_times(&listing, &parameters)) {
		answer_refuse(request, 400,
			      "from and until are seconds since 1970, or such as -6h");
		parameters_done(&parameters);
		return;
	}
	set = parameters_get(&parameters, "set", 0);
	listing.tags = parameters_get(&parameters, "tags", 0);
	listing.any = set != NULL && strcmp(set, "union") == 0;
	listing.json = mc_json_new(false);
	mc_json_list(listing.json, NULL);
	print_all(&listing, web_notifications(request));
	mc_json_list_end(listing.json);
	bytes = mc_json_bytes(listing.json, &size);
	answer_bytes(request, "application/json", bytes, size);
	mc_json_free(listing.json);
	parameters_done(&parameters);
}
