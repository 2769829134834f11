/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <collector/private/alerts.h>

#define READS 5                /* A state ends after this number without the guest, ... */
#define LEAST (60 * MC_SECOND) /* ... but not before. */

static const char *name_of(const struct report *report, const struct blame_share *share)
{
	return share->is_group ? report->groups->items[share->who].path
			       : report->guests->items[share->who].name;
}

static double wait_of(const struct guest *guest)
{
	const struct vcpu *worst = guests_worst(guest);

	return worst != NULL ? worst->wait_part : 0;
}

/* --- In words ------------------------------------------------------------- */

MC_PRINTF(2, 3) static void add(char text[REPORT_TEXT_SIZE], const char *fmt, ...)
{
	size_t len = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + len, REPORT_TEXT_SIZE - len, fmt, args);
	va_end(args);
}

void report_sentence(const struct report *report, const struct guest *guest,
		     const struct blame_answer *answer, char out[REPORT_TEXT_SIZE])
{
	snprintf(out, REPORT_TEXT_SIZE, "%s waits %.0f %% of the time for ", guest->name,
		 100 * wait_of(guest));
	if (answer->cpu >= 0)
		add(out, "CPU %d", answer->cpu);
	else
		add(out, "a CPU");
	for (size_t i = 0; i < answer->shares_len; i++) {
		const struct blame_share *share = &answer->shares[i];

		if (share->part < VERDICT_NAMED_MIN)
			break;
		add(out, share->is_group ? "%s %.0f %% control group %s" : "%s %.0f %% '%s'",
		    i == 0 ? ":" : ",", 100 * share->part, name_of(report, share));
	}
}

/* --- Series and states ---------------------------------------------------- */

static struct mc_id id_of(const struct report *report, const struct guest *guest,
			  const char *type_instance)
{
	struct mc_id id = { .type = "steal_from", .type_instance = type_instance };

	if (report->guests_are_hosts)
		id.host = guest->name;
	else
		id.plugin_instance = guest->name;
	return id;
}

static bool is_named(const struct report *report, const struct blame_answer *answer,
		     const char *name)
{
	for (size_t i = 0; i < answer->shares_len; i++)
		if (answer->shares[i].part >= VERDICT_NAMED_MIN &&
		    strcmp(name_of(report, &answer->shares[i]), name) == 0)
			return true;
	return false;
}

/* A series lasts as long as its neighbour is noisy: nobody is to be alerted when it ends. */
static void put(const struct report *report, const struct guest *guest, const char *name,
		double percent, struct mc_batch *out)
{
	struct mc_id id = id_of(report, guest, name);

	mc_gauge(out, mc_series(out, id), percent);
	mc_expect_end(report->ctx, &id, true);
}

/* Those of the read before who are not named any more get a last 0. */
static void put_series(const struct report *report, struct guest *guest,
		       const struct blame_answer *answer, struct mc_batch *out)
{
	for (size_t i = 0; i < BLAME_SHARES_MAX; i++) {
		if (guest->named[i][0] != '\0' && !is_named(report, answer, guest->named[i]))
			put(report, guest, guest->named[i], 0, out);
		guest->named[i][0] = '\0';
	}
	for (size_t i = 0; i < answer->shares_len; i++) {
		const struct blame_share *share = &answer->shares[i];

		if (share->part < VERDICT_NAMED_MIN)
			break;
		snprintf(guest->named[i], sizeof(guest->named[i]), "%s", name_of(report, share));
		put(report, guest, guest->named[i], 100 * share->part, out);
	}
}

static void stand(const struct report *report, const struct guest *guest, const char *reason)
{
	mc_time lasting = report->ctx->interval * READS;

	mc_stand(report->ctx,
		 &(struct mc_standing){
			 .id = id_of(report, guest, NULL),
			 .severity = guest->verdict.is_bad ? MC_WARNING : MC_OKAY,
			 .reason = reason,
			 .advice =
				 "Move one of them to another host or to CPUs of its own, or limit "
				 "it: virsh vcpupin, virsh schedinfo.",
			 .lasting = lasting > LEAST ? lasting : LEAST,
		 });
}

/* For people who ask about a series of the guest. */
static void keep(const struct report *report, const struct guest *guest, const char *reason)
{
	sentences_add(report->sentences, report->guests_are_hosts ? guest->name : report->ctx->host,
		      report->guests_are_hosts ? "" : guest->name, reason);
}

void report_guest(const struct report *report, struct guest *guest,
		  const struct blame_answer *answer, struct mc_batch *out)
{
	static const struct blame_answer nobody = { 0 };
	double named = 0, wait = wait_of(guest);
	char reason[REPORT_TEXT_SIZE];
	bool has_changed;

	if (answer == NULL || wait <= report->rule->max)
		put_series(report, guest, &nobody, out);
	else
		put_series(report, guest, answer, out);
	for (size_t i = 0; answer != NULL && i < answer->shares_len; i++)
		named += answer->shares[i].part;
	has_changed = verdict_take(&guest->verdict, report->rule, wait, named);
	if (guest->verdict.is_bad && answer != NULL && answer->shares_len > 0) {
		report_sentence(report, guest, answer, reason);
		keep(report, guest, reason);
	} else if (has_changed) {
		snprintf(reason, sizeof(reason),
			 "%s no longer waits for its neighbours: %.0f %% of the time for a CPU",
			 guest->name, 100 * wait);
	} else {
		return;
	}
	stand(report, guest, reason);
}
