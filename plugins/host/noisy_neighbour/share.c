/* SPDX-License-Identifier: MIT */
#include "share.h"

#define TOLERANCE 0.05 /* Part of the bytes of the link by which the counters may differ. */

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

void share_find(const struct share_view *view, double *parts, struct top *top)
{
	double sum = 0, others = 0, counted = 0, excess, whole;

	*top = (struct top){ 0 };
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
		top_add(top, SHARE_TOP + 1, i, parts[i]);
	}
	if (whole > 0 && !view->lacks && view->moved - sum >= SHARE_HOST_MIN * whole)
		top_add(top, SHARE_TOP + 1, SHARE_HOST, (view->moved - sum) / whole);
}

void share_blame(const struct top *top, size_t victim, double part, struct top *out)
{
	*out = (struct top){ 0 };
	for (size_t i = 0; i < top->len; i++) {
		const struct top_one *one = &top->items[i];

		if (one->user != victim && one->part > part && one->part >= SHARE_MIN)
			top_add(out, SHARE_TOP, one->user, one->part);
	}
}
