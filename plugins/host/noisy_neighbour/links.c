/* SPDX-License-Identifier: MIT */
#include "links.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#include "share.h"

#define BUSY 0.5        /* Part of its speed from which on a link is looked at closely. */
#define USES_MIN 4096.0 /* A guest that moves fewer bytes a second does not use the link. */
#define FULL_MAX 2.0    /* More than that is a mistake of a counter. */
#define AMOUNT_SIZE 32
#define TEXT_SIZE 160

struct view { /* A link in a direction. */
	const struct uplink *link;
	enum direction direction;
	double full; /* Part of its speed. */
	double seconds;
	struct share_user *users; /* By number of guests. */
	double *parts;            /* As well. */
	struct top top;
};

void links_init(struct links *links, struct report *report, struct guests *guests,
		const struct uplink_option *options, size_t options_len)
{
	links->report = report;
	links->guests = guests;
	links->uplinks.options = options;
	links->uplinks.options_len = options_len;
	links->uplinks.net.folder = -1;
	links->uplinks.net.kept_max = mc_kept_limit() / 4;
}

void links_done(struct links *links)
{
	nics_forget(&links->nics, &links->uplinks.net);
	uplinks_done(&links->uplinks);
}

/* --- In words ------------------------------------------------------------- */

/* "1,000", "12.5", "0.02". */
static void print_amount(double mbit, char out[AMOUNT_SIZE])
{
	unsigned long whole = (unsigned long)(mbit + 0.5);

	if (mbit >= 1e6)
		snprintf(out, AMOUNT_SIZE, "%lu,%03lu,%03lu", whole / 1000000, whole / 1000 % 1000,
			 whole % 1000);
	else if (whole >= 1000)
		snprintf(out, AMOUNT_SIZE, "%lu,%03lu", whole / 1000, whole % 1000);
	else if (mbit >= 100)
		snprintf(out, AMOUNT_SIZE, "%lu", whole);
	else
		snprintf(out, AMOUNT_SIZE, "%.3g", mbit);
}

static void print_text(const struct view *view, char out[TEXT_SIZE])
{
	char moved[AMOUNT_SIZE], speed[AMOUNT_SIZE];

	print_amount(view->full * view->link->speed / UPLINKS_MBIT, moved);
	print_amount(view->link->speed / UPLINKS_MBIT, speed);
	snprintf(out, TEXT_SIZE, "shares %s, which is full (%s of %s Mbit/s %s)", view->link->name,
		 moved, speed, view->direction == SENT ? "sent" : "received");
}

/* --- A closer look -------------------------------------------------------- */

static void fill_users(const struct links *links, size_t number, struct view *view)
{
	struct share_view share = { .moved = view->link->traffic.moved[view->direction] };

	view->users = mc_alloc_array(links->guests->len, sizeof(*view->users));
	view->parts = mc_alloc_array(links->guests->len, sizeof(*view->parts));
	for (size_t i = 0; i < links->nics.len; i++) {
		const struct nic *nic = &links->nics.items[i];

		if (nic->link != number)
			continue;
		share.lacks = share.lacks || !nic->traffic.is_counted;
		view->users[nic->guest].moved += nic->traffic.moved[view->direction];
		view->users[nic->guest].other += nic->traffic.moved[1 - view->direction];
	}
	share.users = view->users;
	share.users_len = links->guests->len;
	share_find(&share, view->parts, &view->top);
}

/* The part of its speed that it moved, in an interval of 'time' ns. */
static double full_part(const struct uplink *link, enum direction direction, double time)
{
	return time > 0 ? link->traffic.moved[direction] / (link->speed * time / MC_SECOND) : 0;
}

/* The directions in which links are full; freed by free_views(). */
static size_t find_full(const struct links *links, double time, struct view **out)
{
	double least = report_least(links->report, RESOURCE_LINK);
	struct view *views = NULL;
	size_t len = 0, room = 0;

	for (size_t i = 0; i < links->uplinks.len; i++)
		for (unsigned direction = 0; direction < DIRECTIONS_LEN; direction++) {
			const struct uplink *link = &links->uplinks.items[i];
			double full = full_part(link, direction, time);

			if (full < least || full > FULL_MAX)
				continue;
			MC_ARRAY_GROW(views, len, room);
			views[len] = (struct view){ .link = link,
						    .direction = direction,
						    .full = full,
						    .seconds = time / MC_SECOND };
			fill_users(links, i, &views[len++]);
		}
	*out = views;
	return len;
}

static void free_views(struct view *views, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		free(views[i].users);
		free(views[i].parts);
	}
	free(views);
}

/* Whether the guest is a victim there. */
static bool blame(const struct links *links, const struct view *view, size_t guest,
		  struct finding *finding)
{
	struct top shares;

	if (view->users[guest].moved < USES_MIN * view->seconds)
		return false;
	share_blame(&view->top, guest, view->parts[guest], &shares);
	for (size_t i = 0; i < shares.len; i++)
		finding->culprits[i] = (struct culprit){
			.kind = shares.items[i].user == SHARE_HOST ? CULPRIT_HOST : CULPRIT_GUEST,
			.name = shares.items[i].user == SHARE_HOST
					? NULL
					: links->guests->items[shares.items[i].user].name,
			.part = shares.items[i].part,
		};
	finding->culprits_len = shares.len;
	finding->part = view->full;
	return shares.len > 0;
}

/* One link of a guest is reported: the fullest. */
static void take_guest(const struct links *links, const struct view *views, size_t views_len,
		       size_t guest, struct mc_batch *out)
{
	struct finding worst = { 0 };
	char text[TEXT_SIZE];

	for (size_t i = 0; i < views_len; i++) {
		struct finding finding = {
			.resource = RESOURCE_LINK,
			.guest = links->guests->items[guest].name,
			.text = text,
		};

		if (views[i].full <= worst.part || !blame(links, &views[i], guest, &finding))
			continue;
		worst = finding;
		print_text(&views[i], text);
	}
	if (worst.part > 0)
		report_take(links->report, &worst, out);
}

static void look(const struct links *links, double time, struct mc_batch *out)
{
	struct view *views;
	size_t len = find_full(links, time, &views);

	for (size_t i = 0; len > 0 && i < links->guests->len; i++)
		if (!links->guests->items[i].is_second)
			take_guest(links, views, len, i, out);
	free_views(views, len);
}

/* --- A read --------------------------------------------------------------- */

static bool is_busy(const struct links *links, double time)
{
	for (size_t i = 0; i < links->uplinks.len; i++)
		for (unsigned direction = 0; direction < DIRECTIONS_LEN; direction++) {
			const struct uplink *link = &links->uplinks.items[i];

			if (full_part(link, direction, time) >= BUSY)
				return true;
		}
	return false;
}

static void list_nics(struct links *links)
{
	struct mc_ctx *ctx = links->report->ctx;
	char full[4096];
	int system = open(mc_path(ctx, "/", full, sizeof(full)), O_PATH | O_DIRECTORY | O_CLOEXEC);

	nics_list(&links->nics, links->guests, &links->uplinks.net, system);
	close(system);
	for (size_t i = 0; i < links->nics.len; i++)
		links->nics.items[i].link = uplinks_of(&links->uplinks, links->nics.items[i].name);
}

static void take(struct links *links, double time, bool anew, struct mc_batch *out)
{
	if (anew)
		uplinks_scan(&links->uplinks);
	uplinks_read(&links->uplinks);
	if (!look_take(&links->look, is_busy(links, time))) {
		nics_forget(&links->nics, &links->uplinks.net);
		links->look.has_begun = false;
		return;
	}
	if (anew || !links->look.has_begun)
		list_nics(links);
	nics_read(&links->nics, &links->uplinks.net);
	if (links->look.has_begun)
		look(links, time, out);
	links->look.has_begun = true;
}

void links_read(struct links *links, double time, bool anew, struct mc_batch *out)
{
	struct mc_ctx *ctx = links->report->ctx;
	char full[4096];

	if (links->guests->len == 0) {
		links->look = (struct look){ 0 }; /* Its counters would be out of date. */
		return;
	}
	links->uplinks.net.folder = open(mc_path(ctx, "/sys/class/net", full, sizeof(full)),
					 O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (links->uplinks.net.folder >= 0) {
		take(links, time, anew, out);
		close(links->uplinks.net.folder);
		links->uplinks.net.folder = -1;
	}
	report_end(links->report, RESOURCE_LINK, out);
}
