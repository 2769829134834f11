/* SPDX-License-Identifier: MIT */
#include "order.h"

#include <stdio.h>
#include <string.h>

void order_add_subject(struct order_subjects *subjects, const struct mc_notification *notification)
{
	const struct mc_id *id = &notification->id;
	struct order_subject subject = { .host = "" };

	if (id->host == NULL)
		return;
	snprintf(subject.host, sizeof(subject.host), "%s", id->host);
	if (id->plugin_instance != NULL)
		snprintf(subject.instance, sizeof(subject.instance), "%s", id->plugin_instance);
	for (unsigned i = 0; i < subjects->len; i++)
		if (strcmp(subjects->items[i].host, subject.host) == 0 &&
		    strcmp(subjects->items[i].instance, subject.instance) == 0)
			return;
	if (subjects->len < ORDER_SUBJECTS_MAX)
		subjects->items[subjects->len++] = subject;
}

static bool is(const char *text, const char *at, size_t size)
{
	return strncmp(text, at, size) == 0 && text[size] == '\0';
}

enum order_turn order_turn_of(const struct order_subjects *subjects, const char *this_host,
			      const struct mc_name_parts *name)
{
	const char *instance = name->name + name->host_size + 1 + name->plugin_size + 1;
	unsigned subjects_len = subjects != NULL ? subjects->len : 0;
	enum order_turn turn =
		is(this_host, name->name, name->host_size) ? ORDER_THIS_HOST : ORDER_OTHERS;

	for (unsigned i = 0; i < subjects_len; i++) {
		const struct order_subject *subject = &subjects->items[i];

		if (!is(subject->host, name->name, name->host_size))
			continue;
		turn = ORDER_ITS_HOST;
		if (*subject->instance == '\0' ||
		    is(subject->instance, instance, name->plugin_instance_size))
			return ORDER_SUBJECT;
	}
	return turn;
}
