/* SPDX-License-Identifier: MIT */
#include "alerts.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/writer.h>

#include "formats/check_result.h"

#define NAME_SIZE 1024
#define TIME_SIZE 40
#define LIVES 4 /* Intervals until one that is not sent again is resolved. */

struct alert {                   /* That fires. */
	struct mc_map_node node; /* Its key: the severity and the name. */
	struct alert *previous, *next;
	uint64_t number; /* Larger than those of all before it. */
	enum mc_severity severity;
	struct mc_id id;
	char *message;
	mc_time begun, ended;
	uint64_t stands; /* When a judge last reported it; 0: it came as a notification. */
};

/* --- As JSON -------------------------------------------------------------- */

static void add_time(struct mc_json *json, const char *key, mc_time time)
{
	time_t seconds = (time_t)(time / MC_SECOND);
	char text[TIME_SIZE];
	struct tm at;
	size_t size;

	if (gmtime_r(&seconds, &at) == NULL)
		return;
	size = strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &at);
	snprintf(text + size, sizeof(text) - size, ".%03dZ", (int)(time / MC_MILLISECOND % 1000));
	mc_json_text(json, key, text);
}

static void add_label(struct mc_json *json, const char *name, const char *value)
{
	if (value != NULL && *value != '\0')
		mc_json_text(json, name, value);
}

static void add_labels(struct mc_json *json, const struct mc_id *id, enum mc_severity severity)
{
	char name[NAME_SIZE];

	mc_check_result_service(id, name, sizeof(name));
	mc_json_map(json, "labels");
	mc_json_text(json, "alertname", *name != '\0' ? name : "collector");
	mc_json_text(json, "job", "collector");
	mc_json_text(json, "severity", severity == MC_FAILURE ? "critical" : "warning");
	add_label(json, "instance", id->host);
	add_label(json, "plugin", id->plugin);
	add_label(json, "plugin_instance", id->plugin_instance);
	add_label(json, "type", id->type);
	add_label(json, "type_instance", id->type_instance);
	mc_json_map_end(json);
}

struct times {
	mc_time begun, ends;
};

static void add_alert(struct mc_json *json, const struct mc_id *id, enum mc_severity severity,
		      const char *message, struct times times)
{
	mc_json_map(json, NULL);
	add_labels(json, id, severity);
	mc_json_map(json, "annotations");
	add_label(json, "summary", message);
	mc_json_map_end(json);
	add_time(json, "startsAt", times.begun);
	add_time(json, "endsAt", times.ends);
	mc_json_map_end(json);
}

static void add_firing(const struct alerts *alerts, const struct alert *alert, mc_time now,
		       struct mc_json *json)
{
	add_alert(json, &alert->id, alert->severity, alert->message,
		  (struct times){ alert->begun, now + LIVES * alerts->resend });
}

/* --- Those that fire ------------------------------------------------------ */

static void add_part(struct mc_buffer *key, const char *part)
{
	part = part != NULL ? part : "";
	mc_buffer_add(key, part, strlen(part) + 1);
}

static struct mc_buffer make_key(const struct mc_id *id, enum mc_severity severity)
{
	struct mc_buffer key = { 0 };

	mc_buffer_add(&key, &severity, sizeof(severity));
	add_part(&key, id->host);
	add_part(&key, id->plugin);
	add_part(&key, id->plugin_instance);
	add_part(&key, id->type);
	add_part(&key, id->type_instance);
	return key;
}

static struct alert *find(const struct alerts *alerts, const struct mc_id *id,
			  enum mc_severity severity)
{
	struct mc_buffer key = make_key(id, severity);
	struct mc_map_node *node = mc_map_find(&alerts->map, key.at, key.size);

	mc_buffer_free(&key);
	return (struct alert *)node;
}

/* The parts of the name are in its key. */
static void set_id(struct alert *alert)
{
	const char *at = (const char *)alert->node.key + sizeof(alert->severity);
	const char **parts[] = { &alert->id.host, &alert->id.plugin, &alert->id.plugin_instance,
				 &alert->id.type, &alert->id.type_instance };

	for (unsigned i = 0; i < 5; i++) {
		*parts[i] = at;
		at += strlen(at) + 1;
	}
}

/* NULL: there are too many. */
static struct alert *add(struct alerts *alerts, const struct mc_id *id, enum mc_severity severity,
			 mc_time begun)
{
	struct mc_buffer key;
	struct alert *alert;

	if (alerts->map.len >= alerts->limit) {
		alerts->refused++;
		return NULL;
	}
	key = make_key(id, severity);
	alert = mc_alloc_zero(sizeof(*alert));
	alert->node.key = key.at;
	alert->node.key_size = key.size;
	alert->severity = severity;
	alert->begun = begun;
	set_id(alert);
	mc_map_add(&alerts->map, &alert->node);
	alert->previous = alerts->last;
	if (alerts->last != NULL) {
		alert->number = alerts->last->number + 1;
		alerts->last->next = alert;
	} else {
		alert->number = 1;
		alerts->first = alert;
	}
	alerts->last = alert;
	return alert;
}

static void take_out(struct alerts *alerts, struct alert *alert)
{
	if (alert->previous != NULL)
		alert->previous->next = alert->next;
	else
		alerts->first = alert->next;
	if (alert->next != NULL)
		alert->next->previous = alert->previous;
	else
		alerts->last = alert->previous;
	mc_map_remove(&alerts->map, &alert->node);
}

static void free_alert(struct alert *alert)
{
	free((void *)alert->node.key);
	free(alert->message);
	free(alert);
}

static void drop(struct alerts *alerts, struct alert *alert)
{
	take_out(alerts, alert);
	free_alert(alert);
}

/* Kept until what is on its way has arrived. */
static void keep_ended(struct alerts *alerts, struct alert *alert,
		       const struct mc_notification *news)
{
	take_out(alerts, alert);
	free(alert->message);
	alert->message = mc_alloc_copy(news->message);
	alert->ended = news->time;
	alert->next = alerts->ended;
	alerts->ended = alert;
	alerts->ended_len++;
}

static struct alert *next_ended(struct alerts *alerts)
{
	struct alert *alert = alerts->ended;

	if (alert != NULL) {
		alerts->ended = alert->next;
		alerts->ended_len--;
	}
	return alert;
}

void alerts_done(struct alerts *alerts)
{
	struct alert *alert;

	while (alerts->first != NULL)
		drop(alerts, alerts->first);
	while ((alert = next_ended(alerts)) != NULL)
		free_alert(alert);
	mc_map_done(&alerts->map);
}

/* --- Notifications -------------------------------------------------------- */

/* Ends it if it fires, or 'anyway'. */
static void end(struct alerts *alerts, const struct mc_notification *news,
		enum mc_severity severity, bool anyway, struct mc_json *json)
{
	struct alert *alert = find(alerts, &news->id, severity);

	if (alert == NULL && !anyway)
		return;
	add_alert(json, &news->id, severity, news->message,
		  (struct times){ alert != NULL ? alert->begun : news->time, news->time });
	if (alert == NULL)
		return;
	if (alerts->resending && alerts->ended_len < alerts->limit)
		keep_ended(alerts, alert, news);
	else
		drop(alerts, alert);
}

/* No recovery comes of it. */
static bool is_summary(const struct mc_notification *news)
{
	for (unsigned i = 0; i < news->fields_len; i++)
		if (strcmp(news->fields[i].name, MC_SUMMARY_FIELD) == 0)
			return true;
	return false;
}

static void fire(struct alerts *alerts, const struct mc_notification *news, mc_time now,
		 struct mc_json *json)
{
	struct alert *alert = find(alerts, &news->id, news->severity);

	if (alert == NULL && !is_summary(news))
		alert = add(alerts, &news->id, news->severity, news->time);
	if (alert == NULL) { /* It is sent, and not again. */
		add_alert(json, &news->id, news->severity, news->message,
			  (struct times){ news->time, now + LIVES * alerts->resend });
		return;
	}
	free(alert->message);
	alert->message = mc_alloc_copy(news->message);
	alert->stands = 0;
	add_firing(alerts, alert, now, json);
}

void alerts_take(struct alerts *alerts, const struct mc_notification *news, mc_time now,
		 struct mc_json *json)
{
	bool known = find(alerts, &news->id, MC_FAILURE) != NULL ||
		     find(alerts, &news->id, MC_WARNING) != NULL;

	if (news->severity != MC_OKAY) {
		end(alerts, news, news->severity == MC_FAILURE ? MC_WARNING : MC_FAILURE, false,
		    json);
		fire(alerts, news, now, json);
		return;
	}
	end(alerts, news, MC_FAILURE, !known, json);
	end(alerts, news, MC_WARNING, !known, json);
}

void alerts_stand(struct alerts *alerts, const struct mc_notification *news)
{
	struct alert *alert = find(alerts, &news->id, news->severity);

	if (alert == NULL) {
		alert = add(alerts, &news->id, news->severity, news->time);
		if (alert == NULL)
			return;
		alert->message = mc_alloc_copy(news->message);
		alert->stands = alerts->look;
	} else if (alert->stands != 0) {
		alert->stands = alerts->look;
	}
}

/* One that stood by itself, and stands no more. */
static bool is_over(const struct alerts *alerts, const struct alert *alert)
{
	return alert->stands != 0 && alert->stands != alerts->look;
}

void alerts_write(struct alerts *alerts, mc_time now, size_t len, uint64_t *after,
		  struct mc_json *json)
{
	struct alert *alert = alerts->first, *next;

	alerts->resending = true;
	while (alert != NULL && alert->number <= *after)
		alert = alert->next;
	for (; alert != NULL && len > 0; alert = next, len--) {
		next = alert->next;
		*after = alert->number;
		if (!is_over(alerts, alert)) {
			add_firing(alerts, alert, now, json);
			continue;
		}
		add_alert(json, &alert->id, alert->severity, alert->message,
			  (struct times){ alert->begun, now });
		drop(alerts, alert);
	}
	if (alert == NULL)
		*after = 0;
}

bool alerts_write_ended(struct alerts *alerts, struct mc_json *json)
{
	struct alert *alert;
	bool any = false;

	alerts->resending = false;
	while ((alert = next_ended(alerts)) != NULL) {
		/* It does not fire again. */
		if (find(alerts, &alert->id, alert->severity) == NULL) {
			add_alert(json, &alert->id, alert->severity, alert->message,
				  (struct times){ alert->begun, alert->ended });
			any = true;
		}
		free_alert(alert);
	}
	return any;
}
