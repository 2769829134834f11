/* SPDX-License-Identifier: MIT */
/* statsd - counters, gauges, timers and sets that programs send in datagrams.  Options and their
 * defaults as in collectd.conf(5), "Plugin statsd"; our own ones are described in manual.txt.
 *
 * The thread of run() takes what comes; read() makes values of it. */
#include <collector/check.h>
#include <collector/kit/address.h>
#include <collector/kit/alloc.h>
#include <collector/kit/listen_options.h>
#include <collector/kit/number.h>
#include <collector/kit/once.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/quota.h>

#include "kit/net/datagram_sockets.h"
#include "kit/net/datagrams.h"
#include "kit/net/sender_limit.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "refused.h"

#define PACKET_SIZE 65535 /* No datagram is longer. */

struct statsd {
	const char *host, *port;
	bool delete_counters, delete_timers, delete_gauges, delete_sets;
	bool counter_sum, lower, upper, sum, count, tags, report_stats;
	struct mc_strings percentiles;
	int64_t metric_limit, sender_limit, member_limit, receive_buffer;

	double *percents;
	struct mc_datagram_sockets sockets;
	struct mc_sender_limit senders;
	struct mc_quota *quota; /* Of all of them. */
	struct metrics metrics;
	struct mc_refusals refusals;
	_Atomic uint64_t lines;     /* That were taken. */
	char *sent_key, *clean_key; /* Room for those with tags. */
};

/* --- Options -------------------------------------------------------------- */

#define DELETE_HELP(what) "Forgets " what " that are not sent in an interval."

static const struct mc_option statsd_options[] = {
	{ "Host", MC_OPT_STRING(struct statsd, host), .default_value = "::",
	  .help = "Name or address to listen at; by default all of this "
		  "host.",
	  .sample = "127.0.0.1" },
	{ "Port", MC_OPT_STRING(struct statsd, port), .default_value = "8125",
	  .help = "Port or name of a service." },
	{ "DeleteCounters", MC_OPT_BOOL(struct statsd, delete_counters), .default_value = "false",
	  .help = DELETE_HELP("counters") },
	{ "DeleteTimers", MC_OPT_BOOL(struct statsd, delete_timers), .default_value = "false",
	  .help = DELETE_HELP("timers") },
	{ "DeleteGauges", MC_OPT_BOOL(struct statsd, delete_gauges), .default_value = "false",
	  .help = DELETE_HELP("gauges") },
	{ "DeleteSets", MC_OPT_BOOL(struct statsd, delete_sets), .default_value = "false",
	  .help = DELETE_HELP("sets") },
	{ "CounterSum", MC_OPT_BOOL(struct statsd, counter_sum), .default_value = "false",
	  .help = "Also reports by how much a counter has grown in the "
		  "interval." },
	{ "TimerPercentile", MC_OPT_STRINGS(struct statsd, percentiles),
	  .help = "Reports the time in which this percentage of the events of a timer were over; "
		  "above 0 and below 100.",
	  .sample = "90" },
	{ "TimerLower", MC_OPT_BOOL(struct statsd, lower), .default_value = "false",
	  .help = "Reports the shortest event of a timer." },
	{ "TimerUpper", MC_OPT_BOOL(struct statsd, upper), .default_value = "false",
	  .help = "Reports the longest event of a timer." },
	{ "TimerSum", MC_OPT_BOOL(struct statsd, sum), .default_value = "false",
	  .help = "Reports the sum of the events of a timer." },
	{ "TimerCount", MC_OPT_BOOL(struct statsd, count), .default_value = "false",
	  .help = "Reports the number of events of a timer." },
	{ "Tags", MC_OPT_BOOL(struct statsd, tags), .default_value = "true",
	  .help = "Makes tags the plugin instance; if false, metrics that "
		  "differ by tags alone are one." },
	{ "MetricLimit", MC_OPT_INT(struct statsd, metric_limit), .default_value = "20000",
	  .help = "Largest number of metrics that are kept; others are "
		  "refused.",
	  .min = 1, .max = 1e8 },
	{ "SenderMetricLimit", MC_OPT_INT(struct statsd, sender_limit), .default_value = "10000",
	  .help = "Number of new metrics per hour that are accepted from one "
		  "address.",
	  .min = 1, .max = 1e9 },
	{ "SetMemberLimit", MC_OPT_INT(struct statsd, member_limit), .default_value = "1000000",
	  .help = "Largest number of different members that all sets together "
		  "count in an interval.",
	  .min = 1, .max = 1e9 },
	MC_RECEIVE_BUFFER_OPTION(struct statsd, receive_buffer),
	{ "ReportStats", MC_OPT_BOOL(struct statsd, report_stats), .default_value = "false",
	  .help = "Reports packets, lines and refusals of this plugin." },
	{ 0 },
};

static bool take_percent(const char *text, double *percent)
{
	return mc_number_double(text, percent) && *percent > 0 && *percent < 100;
}

/* Their names have no decimals. */
static void check_percentile(struct mc_ctx *ctx, const struct mc_strings *texts, size_t number)
{
	double percent, other;

	if (!take_percent(texts->items[number], &percent)) {
		mc_check_error(ctx, &texts->items[number], "is not a number above 0 and below 100");
		return;
	}
	for (size_t i = 0; i < number; i++)
		if (take_percent(texts->items[i], &other) && nearbyint(other) == nearbyint(percent))
			mc_check_error(ctx, &texts->items[number],
				       "has the series of '%s': "
				       "percentile-%.0f",
				       texts->items[i], percent);
}

static void statsd_check(struct mc_ctx *ctx)
{
	const struct statsd *self = ctx->self;

	mc_check_listen(ctx, &self->host, &self->port, SOCK_DGRAM);
	mc_check_open(ctx, &self->host);
	for (size_t i = 0; i < self->percentiles.len; i++)
		check_percentile(ctx, &self->percentiles, i);
}

static int statsd_start(struct mc_ctx *ctx)
{
	const struct mc_quota_limits limits = { 0, 1 }; /* See MetricLimit. */
	struct statsd *self = ctx->self;
	size_t len = self->percentiles.len;

	self->percents = mc_alloc_array(len, sizeof(*self->percents));
	for (size_t i = 0; i < len; i++)
		if (!take_percent(self->percentiles.items[i], &self->percents[i]))
			return mc_fail(ctx, 0,
				       "TimerPercentile '%s' is not a number "
				       "above 0 and below 100",
				       self->percentiles.items[i]);
	self->refusals.reasons = refused_reasons;
	self->refusals.len = REFUSED_REASONS;
	mc_sender_limit_init(&self->senders, self->sender_limit);
	self->quota = mc_quota_new(ctx, MC_QUOTA_CROWD, "senders", &limits);
	metrics_init(&self->metrics,
		     &(struct metrics_options){ .forgets = { [LINE_COUNTER] = self->delete_counters,
							     [LINE_GAUGE] = self->delete_gauges,
							     [LINE_TIMER] = self->delete_timers,
							     [LINE_SET] = self->delete_sets },
						.counter_sum = self->counter_sum,
						.lower = self->lower,
						.upper = self->upper,
						.sum = self->sum,
						.count = self->count,
						.percentiles = self->percents,
						.percentiles_len = len,
						.metrics_max = self->metric_limit,
						.members_max = self->member_limit });
	self->sent_key = mc_alloc(PACKET_SIZE + 1);
	self->clean_key = mc_alloc(PACKET_SIZE + 1);
	return mc_datagram_sockets_open(ctx, &self->sockets, self->host, self->port,
					(int)self->receive_buffer);
}

/* --- What comes ----------------------------------------------------------- */

static unsigned reason_of(enum metrics_added added)
{
	static const unsigned reasons[] = {
		[METRICS_ADDED] = LINE_GOOD,      [METRICS_NEW] = REFUSED_SENDER,
		[METRICS_FULL] = REFUSED_LIMIT,   [METRICS_TAKEN] = REFUSED_TAKEN,
		[METRICS_SET_FULL] = REFUSED_SET, [METRICS_SUM] = REFUSED_SUM,
	};

	return reasons[added];
}

/* A line of no metric that has come like that before.  0: it is taken; else why not. */
static unsigned take_new(struct statsd *self, struct line *line, const struct metrics_key *sent,
			 const struct sockaddr_storage *sender)
{
	enum line_fault fault = line_check(line);
	struct metrics_key clean;
	enum metrics_added added;

	if (fault != LINE_GOOD)
		return fault;
	clean = metrics_clean_key(line, self->tags, self->clean_key);
	added = metrics_find(&self->metrics, line, sent, &clean);
	if (added == METRICS_NEW &&
	    mc_sender_limit_may_make(&self->senders, mc_sender_limit_key(sender, NULL), mc_now()))
		added = metrics_make(&self->metrics, line, sent, &clean);
	return reason_of(added);
}

static void refuse(struct mc_ctx *ctx, unsigned reason, const char *text, size_t size,
		   const struct sockaddr_storage *sender)
{
	struct statsd *self = ctx->self;

	mc_refuse(&self->refusals, ctx, reason,
		  &(struct mc_refused){
			  .what = "a line", .text = text, .size = size, .sender = sender });
}

/* Whether the line is taken.  Gives up the lock for one that is new, or refused. */
static bool take_line(struct mc_ctx *ctx, const char *text, size_t size,
		      const struct sockaddr_storage *sender) MC_NO_LOCK
{
	struct statsd *self = ctx->self;
	struct line line;
	struct metrics_key sent;
	enum metrics_added added;
	unsigned reason = line_split(text, size, &line);

	if (reason == LINE_GOOD) {
		sent = metrics_sent_key(&line, self->sent_key);
		added = metrics_add(&self->metrics, &line, &sent);
		if (added == METRICS_ADDED)
			return true;
		pthread_mutex_unlock(&self->metrics.lock);
		reason = added == METRICS_NEW ? take_new(self, &line, &sent, sender)
					      : reason_of(added);
	} else {
		pthread_mutex_unlock(&self->metrics.lock);
	}
	if (reason != LINE_GOOD)
		refuse(ctx, reason, text, size, sender);
	pthread_mutex_lock(&self->metrics.lock);
	return reason == LINE_GOOD;
}

/* Takes a line of the usual form of a metric that has come before; returns the next line, or
 * NULL. */
static const char *take_usual(struct metrics *metrics, const char *at, const char *end,
			      struct line *line) MC_REQUIRES(metrics->lock)
{
	const char *next = line_skim(at, end, line);
	struct metrics_key key;

	if (next == NULL)
		return NULL;
	key = (struct metrics_key){ line->name, line->name_size, line->name_size, true };
	return metrics_add(metrics, line, &key) == METRICS_ADDED ? next : NULL;
}

static void take_datagram(struct statsd *self, struct mc_ctx *ctx,
			  const struct mc_datagram *datagram)
{
	const char *at = datagram->bytes, *end = at + datagram->size, *text, *next;
	struct line usual = { 0 };
	uint64_t taken = 0;
	size_t size;

	pthread_mutex_lock(&self->metrics.lock);
	while (at < end) {
		next = take_usual(&self->metrics, at, end, &usual);
		if (next != NULL) {
			at = next;
			taken++;
		} else if (line_cut(&at, end, &text, &size)) {
			taken += take_line(ctx, text, size, datagram->sender);
		}
	}
	pthread_mutex_unlock(&self->metrics.lock);
	self->lines += taken;
	if (datagram->cut)
		mc_refuse(&self->refusals, ctx, REFUSED_CUT,
			  &(struct mc_refused){ .what = "a part of a packet",
						.sender = datagram->sender });
}

static void take_all(void *argument, int fd, const struct mc_datagrams *datagrams, int len)
{
	struct mc_ctx *ctx = argument;

	(void)fd;
	for (int i = 0; i < len; i++) {
		struct mc_datagram datagram = mc_datagrams_get(datagrams, i);

		take_datagram(ctx->self, ctx, &datagram);
	}
}

static void take_drops(void *argument, uint64_t number)
{
	struct mc_ctx *ctx = argument;
	struct statsd *self = ctx->self;

	mc_refuse_dropped(&self->refusals, ctx, REFUSED_OVERFLOW, number);
}

static int statsd_run(struct mc_ctx *ctx)
{
	struct statsd *self = ctx->self;
	const struct mc_datagram_calls calls = { ctx, take_all, take_drops };

	return mc_datagram_sockets_run(ctx, &self->sockets, &calls);
}

static int statsd_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct statsd *self = ctx->self;

	mc_charge(out, self->quota);
	metrics_report(&self->metrics, out);
	mc_charge(out, NULL);
	if (!self->report_stats)
		return 0;
	mc_datagram_sockets_report(&self->sockets, out);
	mc_refusals_report(&self->refusals, out);
	mc_put_derive(out, (int64_t)self->lines, .type = "total_values",
		      .type_instance = "accepted");
	mc_put_gauge(out, (double)mc_datagram_sockets_waiting(&self->sockets),
		     .type = "queue_length");
	return 0;
}

static void statsd_stop(struct mc_ctx *ctx)
{
	struct statsd *self = ctx->self;

	mc_datagram_sockets_close(&self->sockets);
	if (self->sent_key != NULL)
		mc_sender_limit_done(&self->senders);
	mc_quota_free(self->quota);
	metrics_done(&self->metrics);
	free(self->percents);
	free(self->sent_key);
	free(self->clean_key);
	self->percents = NULL;
	self->sent_key = self->clean_key = NULL;
}

MC_PLUGIN(statsd) = {
	MC_NAMED(statsd),
	.help = "Takes counters, gauges, timers and sets that programs send by "
		"the statsd protocol.",
	.self_size = sizeof(struct statsd),
	.options = statsd_options,
	.types = (const char *const[]){ "count", "derive", "errors", "gauge", "if_octets",
					"if_packets", "latency", "objects", "queue_length",
					"total_values", NULL },
	.check = statsd_check,
	.start = statsd_start,
	.read = statsd_read,
	.run = statsd_run,
	.stop = statsd_stop,
	.lenient = true,
};
