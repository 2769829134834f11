/* SPDX-License-Identifier: MIT */
#include "alert.h"

#include <stdio.h>
#include <string.h>

#include <collector/kit/alloc.h>

static const char *or_none(const char *text)
{
	return text != NULL ? text : "";
}

size_t alert_name(const struct mc_id *id, char out[ALERT_NAME_SIZE])
{
	const char *pi = or_none(id->plugin_instance);
	const char *ti = or_none(id->type_instance);
	int size = snprintf(out, ALERT_NAME_SIZE, "%s/%s%s%s/%s%s%s", or_none(id->host),
			    or_none(id->plugin), *pi != '\0' ? "-" : "", pi, or_none(id->type),
			    *ti != '\0' ? "-" : "", ti);

	return size < ALERT_NAME_SIZE ? (size_t)size : ALERT_NAME_SIZE - 1;
}

static const char *keep(char **at, const char *text)
{
	size_t size = strlen(or_none(text)) + 1;
	char *copy = memcpy(*at, or_none(text), size);

	*at += size;
	return copy;
}

static void link_living(struct alerts *alerts, struct alert *alert)
{
	alert->lives = true;
	alert->prev = NULL;
	alert->next = alerts->living;
	if (alert->next != NULL)
		alert->next->prev = alert;
	alerts->living = alert;
	alerts->living_len++;
}

static void unlink_living(struct alerts *alerts, struct alert *alert)
{
	if (alert->next != NULL)
		alert->next->prev = alert->prev;
	if (alert->prev != NULL)
		alert->prev->next = alert->next;
	else
		alerts->living = alert->next;
	alerts->living_len--;
}

struct alert *alert_new(struct alerts *alerts, const struct mc_id *id)
{
	char name[ALERT_NAME_SIZE], *at;
	size_t name_size = alert_name(id, name);
	size_t parts = strlen(or_none(id->host)) + strlen(or_none(id->plugin)) +
		       strlen(or_none(id->plugin_instance)) + strlen(or_none(id->type)) +
		       strlen(or_none(id->type_instance)) + 5;
	struct alert *alert = mc_alloc_zero(sizeof(*alert) + name_size + 1 + parts);

	memcpy(alert->text, name, name_size + 1);
	alert->name_size = name_size;
	at = alert->text + name_size + 1;
	alert->id.host = keep(&at, id->host);
	alert->id.plugin = keep(&at, id->plugin);
	alert->id.plugin_instance = keep(&at, id->plugin_instance);
	alert->id.type = keep(&at, id->type);
	alert->id.type_instance = keep(&at, id->type_instance);
	alerts->states[MC_STATE_UNKNOWN]++;
	link_living(alerts, alert);
	return alert;
}

void alert_set(struct alerts *alerts, struct alert *alert, enum mc_state state, bool missing)
{
	alerts->states[alert->state]--;
	alerts->missing -= alert->missing;
	alert->state = state;
	alert->missing = missing;
	alerts->states[state]++;
	alerts->missing += missing;
}

void alert_free(struct alerts *alerts, struct alert *alert)
{
	if (alert->lives)
		unlink_living(alerts, alert);
	else
		mc_lru_remove(&alerts->gone, &alert->node);
	alerts->states[alert->state]--;
	alerts->missing -= alert->missing;
	free(alert);
}

void alert_free_all(struct alerts *alerts)
{
	while (alerts->living != NULL)
		alert_free(alerts, alerts->living);
	while (alerts->gone.oldest != NULL)
		alert_free(alerts, (struct alert *)alerts->gone.oldest);
	mc_lru_done(&alerts->gone);
}

void alert_leave(struct alerts *alerts, struct alert *alert)
{
	struct mc_lru_node *same = mc_lru_find(&alerts->gone, alert->text, alert->name_size);

	if (same != NULL)
		alert_free(alerts, (struct alert *)same);
	if (alerts->gone.map.len >= alerts->gone_max) {
		alert_free(alerts, (struct alert *)alerts->gone.oldest);
		alerts->forgotten++;
	}
	unlink_living(alerts, alert);
	alert->lives = false;
	alert->next = alert->prev = NULL;
	mc_lru_add(&alerts->gone, &alert->node, alert->text, alert->name_size);
}

struct alert *alert_take(struct alerts *alerts, const struct mc_id *id)
{
	char name[ALERT_NAME_SIZE];
	struct alert *alert;

	if (alerts->gone.map.len == 0)
		return NULL;
	alert = (struct alert *)mc_lru_find(&alerts->gone, name, alert_name(id, name));
	if (alert == NULL)
		return NULL;
	mc_lru_remove(&alerts->gone, &alert->node);
	link_living(alerts, alert);
	return alert;
}

struct alert *alert_next(const struct alerts *alerts, const struct alert *alert)
{
	if (alert == NULL)
		return alerts->living != NULL ? alerts->living
					      : (struct alert *)alerts->gone.oldest;
	if (!alert->lives)
		return (struct alert *)alert->node.newer;
	return alert->next != NULL ? alert->next : (struct alert *)alerts->gone.oldest;
}
