/* SPDX-License-Identifier: MIT */
#include "share.h"

#define TOLERANCE 0.05 /* Part of the link's bytes by which the counters may differ. */

static void add_top(struct share_one top[SHARE_TOP + 1], size_t *len, struct share_one new)
{
	size_t at = *len;

	if (!(new.part > 0))
		return;
	while (at > 0 && top[at - 1].part < new.part) {
		if (at <= SHARE_TOP)
			top[at] = top[at - 1];
		at--;
	}
	if (at > SHARE_TOP)
		return;
	top[at] = new;
	if (*len <= SHARE_TOP)
		++*len;
}

static double at_least_0(double number)
{
	return number > 0 ? number : 0;
}

/* Bytes that a user moved on the link, at least. */
static double on_link(const struct share_user *user, double excess, double others)
{
	double local = at_least_0(others - at_least_0(user->other));

	return at_least_0(at_least_0(user->moved) - (local < excess ? local : excess));
}

size_t share_find(const struct share_view *view, double *parts, struct share_one top[SHARE_TOP + 1])
{
	double sum = 0, others = 0, counted = 0, excess, whole;
	size_t len = 0;

	for (size_t i = 0; i < view->users_len; i++) {
		sum += at_least_0(view->users[i].moved);
		others += at_least_0(view->users[i].other);
	}
	excess = sum > view->moved * (1 + TOLERANCE) ? sum - view->moved : 0;
	for (size_t i = 0; i < view->users_len; i++)
		counted += on_link(&view->users[i], excess, others);
	whole = counted > view->moved ? counted : view->moved;
	for (size_t i = 0; i < view->users_len; i++) {
		parts[i] = whole > 0 ? on_link(&view->users[i], excess, others) / whole : 0;
		add_top(top, &len, (struct share_one){ i, parts[i] });
	}
	if (whole > 0 && !view->lacks && view->moved - sum >= SHARE_HOST_MIN * whole)
		add_top(top, &len, (struct share_one){ SHARE_HOST, (view->moved - sum) / whole });
	return len;
}

size_t share_blame(const struct share_one *top, size_t top_len, size_t victim, double part,
		   struct share_one out[SHARE_TOP])
{
	size_t len = 0;

	for (size_t i = 0; i < top_len && len < SHARE_TOP; i++)
		if (top[i].user != victim && top[i].part > part && top[i].part >= SHARE_MIN)
			out[len++] = top[i];
	return len;
}
