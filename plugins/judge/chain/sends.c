/* SPDX-License-Identifier: MIT */
/* Copies for writers of a sample that was renamed or changed after the cache. */
#include "sends.h"

#include "flow.h"

bool sends_are_due(const struct subject *subject)
{
	return subject->behind &&
	       (subject->changed || !name_equal(subject->name, subject->name->root));
}

/* The series of a name that was derived, which is kept with it; NULL: it cannot be made. */
static struct mc_series *series_of(const struct subject *subject, struct name *name)
{
	struct mc_series *series = atomic_load(&name->series);

	if (series != NULL)
		return series;
	series = mc_route_series(subject->sends->route, name->id);
	return series != NULL ? name_keep(name, subject->shared, series) : NULL;
}

static void send(struct subject *subject, const struct send *send)
{
	struct sends *sends = subject->sends;
	const char *writers[FLOW_WRITERS_MAX];
	struct mc_copy copy = { .series = subject->sample->series, .values = subject->values };

	if (!name_equal(send->name, send->name->root))
		copy.series = series_of(subject, send->name);
	if (copy.series == NULL)
		return;
	for (unsigned i = 0; i < sends->flow->writers_len; i++)
		if ((send->writers >> i & 1) != 0)
			writers[copy.writers_len++] = sends->flow->writers[i];
	copy.writers = send->to_all ? NULL : writers;
	if (send->to_all || copy.writers_len > 0)
		mc_route_copy(sends->route, &copy);
}

void sends_flush(struct subject *subject)
{
	struct sends *sends = subject->sends;

	for (unsigned i = 0; i < sends->len; i++)
		send(subject, &sends->items[i]);
	sends->len = 0;
}

void sends_add(struct subject *subject, uint32_t writers, bool to_all)
{
	struct sends *sends = subject->sends;
	struct send *item;

	if (sends == NULL || subject->again)
		return;
	for (unsigned i = 0; i < sends->len; i++) {
		item = &sends->items[i];
		if (!name_equal(item->name, subject->name))
			continue;
		item->writers |= writers;
		item->to_all |= to_all;
		return;
	}
	if (sends->len == SENDS_MAX)
		sends_flush(subject);
	item = &sends->items[sends->len++];
	*item = (struct send){ subject->name, writers, to_all };
}
