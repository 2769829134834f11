/* SPDX-License-Identifier: MIT */
/* As Prometheus, a page is taken as a whole or not at all: its numbers are kept until its end has
 * been read. */
#include "target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>

#define TAKEN_KEPT 100000 /* Numbers of which the memory is kept between reads. */

/* --- Its own series ------------------------------------------------------------- */

static void put_state(struct target *target, const struct mc_scrape_reply *reply,
		      struct mc_batch *batch, bool up)
{
	struct target_state *state = &target->state;
	const struct {
		const char *name, *help;
		struct mc_series **series;
		double value;
	} all[] = {
		{ "up", "1 if the page could be read, else 0.", &state->up, up },
		{ "scrape_duration_seconds", "Time that reading the page took.", &state->duration,
		  (double)reply->took / MC_SECOND },
		{ "scrape_samples_scraped", "Number of samples of the page.", &state->samples,
		  up ? (double)target->taken_len : 0 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct described described = { .labels.name = all[i].name, .help = all[i].help };
		union mc_value value = { .gauge = all[i].value };
		enum described_kind kind;

		described.role =
			(struct page_role){ PAGE_GAUGE, MC_METRIC_VALUE, strlen(all[i].name) };
		if (*all[i].series == NULL)
			*all[i].series =
				mc_hold(described_series(batch, &target->names, &described, &kind));
		mc_put_at(batch, *all[i].series, reply->stamp, &value, 1);
	}
}

/* --- A page ------------------------------------------------------------------------ */

static void keep(struct target *target, const struct known_series *one,
		 const struct page_sample *sample)
{
	struct target_taken *taken;

	MC_ARRAY_GROW(target->taken, target->taken_len, target->taken_room);
	taken = &target->taken[target->taken_len];
	taken->series = one->series;
	taken->time = target->honor_timestamps ? sample->time : 0;
	if (one->series == NULL || described_value(one->kind, sample, &taken->value))
		target->taken_len++;
	else if (target->known.refused++ == 0)
		target->known.why = "a counter that is no number from 0 on";
}

/* NULL, or what is wrong with the page. */
static const char *read_page(struct target *target, struct page *page, struct mc_batch *batch)
{
	struct known *known = &target->known;
	struct page_sample sample;
	const char *fault = NULL;
	uint64_t len = 0;

	known_begin(known, batch, &target->names, page);
	while (page_next(page, known_guess(known), &sample)) {
		const struct known_series *one;

		if (target->sample_limit > 0 && ++len > (uint64_t)target->sample_limit)
			return "more samples than SampleLimit allows";
		one = known_find(known, &sample.series, &fault);
		if (fault != NULL)
			return fault;
		if (one != NULL)
			keep(target, one, &sample);
	}
	return page->error;
}

static void put_all(struct target *target, const struct mc_stamp *stamp, struct mc_batch *batch)
{
	for (size_t i = 0; i < target->taken_len; i++) {
		const struct target_taken *taken = &target->taken[i];
		struct mc_stamp own = *stamp;

		if (taken->time > 0)
			own.time = taken->time;
		mc_put_at(batch, taken->series, own, &taken->value, 1);
	}
}

static void log_shared(struct target *target)
{
	struct known *known = &target->known;

	if (known->shared == 0)
		return;
	if (target->shared == 0)
		mc_log(target->ctx, MC_NOTE,
		       "series of '%s' that would have the name of another one are named by a sum "
		       "of their labels: %llu",
		       target->names.instance, (unsigned long long)known->shared);
	target->shared += known->shared;
	known->shared = 0;
}

static bool fail(struct target *target, const struct mc_scrape_reply *reply, struct mc_batch *batch)
{
	known_clear(&target->known);
	target->taken_len = 0;
	put_state(target, reply, batch, false);
	return false;
}

static bool is_openmetrics(const struct mc_scrape_reply *reply)
{
	static const char type[] = "application/openmetrics-text";
	const char *header = mc_scrape_header(reply, "Content-Type");

	return header != NULL && strncmp(header, type, strlen(type)) == 0;
}

bool target_take(void *argument, const struct mc_scrape_reply *reply, struct mc_batch *batch,
		 char why[MC_SCRAPE_WHY_SIZE])
{
	struct target *target = argument;
	const struct known *known = &target->known;
	const char *fault;
	struct page page;

	mc_charge(batch, target->quota);
	target->taken_len = 0;
	if (!mc_scrape_is_okay(reply, why))
		return fail(target, reply, batch);
	page_open(&page, reply->body, reply->size, is_openmetrics(reply));
	fault = read_page(target, &page, batch);
	if (fault != NULL) {
		snprintf(why, MC_SCRAPE_WHY_SIZE, "has %s, in line %u", fault, page.line);
		return fail(target, reply, batch);
	}
	put_all(target, &reply->stamp, batch);
	put_state(target, reply, batch, true);
	known_end(&target->known);
	log_shared(target);
	if (target->taken_room > TAKEN_KEPT) {
		free(target->taken);
		target->taken = NULL;
		target->taken_room = 0;
	}
	if (known->refused == 0)
		return true;
	snprintf(why, MC_SCRAPE_WHY_SIZE, "has %s: number of samples that are not taken: %llu",
		 known->why, (unsigned long long)known->refused);
	return false;
}

void target_fail(void *argument, const struct mc_scrape_reply *reply, struct mc_batch *batch)
{
	struct target *target = argument;

	mc_charge(batch, target->quota);
	fail(target, reply, batch);
}

/* --- Life ---------------------------------------------------------------------------- */

void target_address(const char *url, char *host, size_t host_size, char *instance,
		    size_t instance_size)
{
	const char *scheme = strstr(url, "://");
	const char *at = scheme != NULL ? scheme + 3 : url;
	const char *end = at + strcspn(at, "/?#");
	const char *user = memrchr(at, '@', (size_t)(end - at)), *colon;
	bool https = strncmp(url, "https", 5) == 0;

	if (user != NULL)
		at = user + 1;
	colon = memrchr(at, ':', (size_t)(end - at));
	if (colon != NULL && memchr(colon, ']', (size_t)(end - colon)) != NULL)
		colon = NULL;
	snprintf(instance, instance_size, "%.*s%s", (int)(end - at), at,
		 colon != NULL ? ""
		 : https       ? ":443"
			       : ":80");
	end = colon != NULL ? colon : end;
	if (*at == '[' && end > at && end[-1] == ']') {
		at++;
		end--;
	}
	snprintf(host, host_size, "%.*s", (int)(end - at), at);
}

void target_start(struct mc_ctx *ctx, struct target *target)
{
	target->ctx = ctx;
	target->quota = mc_quota_new(ctx, MC_QUOTA_SOURCE, target->http.url, &target->limits);
	target_address(target->http.url, target->host, sizeof(target->host), target->instance,
		       sizeof(target->instance));
	if (target->names.instance == NULL)
		target->names.instance = target->instance;
	if (target->names.host == NULL && !mc_check_is_local(target->host))
		target->names.host = target->host;
}

void target_stop(struct target *target)
{
	struct target_state *state = &target->state;

	known_clear(&target->known);
	mc_release(state->up);
	mc_release(state->duration);
	mc_release(state->samples);
	*state = (struct target_state){ 0 };
	free(target->taken);
	target->taken = NULL;
	target->taken_len = target->taken_room = 0;
	mc_quota_free(target->quota);
	target->quota = NULL;
}
