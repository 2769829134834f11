/* SPDX-License-Identifier: MIT */
/* Facts: the OTLP specification, "OTLP/HTTP"; RFC 9110 for what a status means. */
#include "ingest.h"

#include <collector/journal.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/private/alerts.h>
#include <collector/private/stream.h>
#include <collector/quota.h>

#include "formats/journal/dedup_id.h"
#include "formats/otlp/json.h"
#include "peer.h"

#define HOST_SIZE 256

struct content { /* Of a body, inflated. */
	const unsigned char *at;
	size_t size;
	const char *peer; /* The host of what does not say its own. */
};

struct recording {
	struct server *server;
	struct mc_host_labels *labels;
	struct mc_host_streams streams;
	const char *tenant; /* Of all resources; NULL: as they say. */
};

/* Nobody waits for more of a sender that may end. */
static void expect_end(struct server *server, const struct mc_otlp_resource *resource)
{
	char host[HOST_SIZE];

	if (resource->host.size >= sizeof(host))
		return;
	memcpy(host, resource->host.at, resource->host.size);
	host[resource->host.size] = '\0';
	mc_expect_end(server->ctx, &(struct mc_id){ .host = host, .plugin = "" }, true);
}

static bool record(void *argument, const struct mc_otlp_resource *resource)
{
	struct recording *recording = argument;

	if (!mc_host_labels_learn(recording->labels, &recording->streams, resource,
				  recording->tenant))
		return false;
	if (recording->server->senders.silent_after == 0)
		expect_end(recording->server, resource);
	return true;
}

/* False: a host has two streams in it. */
static bool record_all(struct server *server, const struct take *take,
		       const struct mc_otlp_request *request, struct mc_batch *batch)
{
	struct recording recording = { .server = server,
				       .labels = &server->labels,
				       .streams = { .batch = batch },
				       .tenant = client_tenant(&server->clients, take->client) };
	bool recorded = mc_otlp_each_resource(request, record, &recording);

	mc_host_streams_done(&recording.streams);
	return recorded;
}

/* The points that the commit did not take are rejected like those that could
 * not be read, whose reason goes first. */
static void reject_late(struct server *server, struct take *take)
{
	const struct mc_rejected *late = &take->late;

	if (late->samples == 0)
		return;
	client_late(&server->clients, take->client, late);
	if (take->result.rejected == 0) {
		snprintf(take->why, sizeof(take->why), "a value of '%s' %s", late->series,
			 late->why);
		take->result.why = take->why;
	}
	take->result.rejected += late->samples;
}

static struct mc_batch *begin_batch(struct server *server, struct take *take)
{
	struct mc_batch *batch = mc_begin(server->ctx);

	mc_charge(batch, client_quota(take->client));
	if (!take->retried)
		mc_count_rejected(batch, &take->late);
	return batch;
}

/* As collectors of others put requests together, that of a guest's old host and that of its new one
 * may be one: each resource is then a batch of its own.  All but the last are committed here. */
static struct mc_batch *read_pieces(struct server *server, struct take *take,
				    const struct mc_otlp_request *request)
{
	const unsigned char *at = request->bytes;
	struct mc_otlp_span rest = { at, at + request->size };
	struct mc_batch *batch = NULL;
	struct mc_otlp_piece piece;

	mc_otlp_owners_done(request->owners);
	take->result = (struct mc_otlp_result){ 0 };
	while (mc_otlp_next_piece(&rest, &piece)) {
		struct mc_otlp_request part = *request;
		struct mc_otlp_result result;

		if (batch != NULL) {
			mc_commit(batch);
			reject_late(server, take);
		}
		part.bytes = piece.all.at;
		part.size = (size_t)(piece.all.end - piece.all.at);
		batch = begin_batch(server, take);
		mc_otlp_put(batch, &part, &result);
		mc_otlp_add_result(&take->result, &result);
		record_all(server, take, &part, batch);
	}
	return batch;
}

static struct mc_batch *read_request(struct server *server, struct take *take,
				     const struct mc_otlp_request *request)
{
	const char *sender = take->numbered ? take->receipt.name : take->peer->client;
	struct mc_batch *batch = begin_batch(server, take);

	if (!mc_otlp_templates_put(&server->templates, sender, batch, request, &take->result)) {
		take->status = 400;
		mc_discard(batch);
		return NULL;
	}
	if (record_all(server, take, request, batch))
		return batch;
	mc_discard(batch);
	return read_pieces(server, take, request);
}

static struct mc_batch *read_metrics(struct server *server, struct take *take,
				     const struct content *content)
{
	struct mc_otlp_owners owners = { 0 };
	const struct mc_otlp_request request = {
		.stamp = { mc_wall(), server->interval },
		.host = content->peer,
		.bytes = content->at,
		.size = content->size,
		.owners = &owners,
		.naming = &server->naming,
	};
	struct mc_batch *batch = read_request(server, take, &request);

	mc_otlp_owners_done(&owners);
	if (batch != NULL && take->numbered)
		mc_set_dedup_id(batch, &take->receipt);
	return batch;
}

struct logs {
	struct mc_otlp otlp;
	const struct content *content;
	const struct mc_otlp_naming *naming;
};

/* Sends the notifications of a request, if 'ctx' is not NULL.  False: it is broken. */
static bool read_logs(struct logs *logs, struct mc_ctx *ctx, struct mc_otlp_result *result)
{
	const struct content *content = logs->content;
	struct mc_otlp *otlp = &logs->otlp;
	enum mc_otlp_item item;

	*result = (struct mc_otlp_result){ 0 };
	mc_otlp_open(otlp, content->at, content->size, true, content->peer);
	mc_otlp_name_by(otlp, logs->naming);
	while ((item = mc_otlp_next(otlp)) != MC_OTLP_END) {
		if (item == MC_OTLP_NOTICE) {
			if (ctx != NULL)
				mc_notify(ctx, &otlp->notification);
			continue;
		}
		result->why = otlp->why;
		if (item == MC_OTLP_FAULT)
			return false;
		result->rejected += otlp->rejected;
	}
	return true;
}

/* A request is taken as a whole or not at all, so it is read twice. */
static unsigned take_logs(struct server *server, const struct content *content,
			  struct mc_otlp_result *result)
{
	struct logs *logs = mc_alloc(sizeof(*logs));
	unsigned status = 200;

	logs->content = content;
	logs->naming = &server->naming;
	if (read_logs(logs, NULL, result))
		read_logs(logs, server->ctx, result);
	else
		status = 400;
	free(logs);
	return status;
}

struct unauthorized { /* A host that a client may not send of. */
	const struct mc_httpd_peer *peer;
	struct mc_otlp_labels *labels; /* Of the resource. */
	char host[MC_HTTPD_NAME_SIZE];
};

static bool is_own_host(struct unauthorized *unauthorized, struct mc_otlp_text host)
{
	size_t size = host.size;

	if (size >= sizeof(unauthorized->host))
		size = sizeof(unauthorized->host) - 1;
	memcpy(unauthorized->host, host.at, size);
	unauthorized->host[size] = '\0';
	return size == host.size && strlen(unauthorized->host) == size &&
	       mc_httpd_peer_is(unauthorized->peer, unauthorized->host);
}

static bool is_own_name(struct unauthorized *unauthorized, const char *name)
{
	return is_own_host(unauthorized, (struct mc_otlp_text){ name, strlen(name) });
}

/* A guest is that of the host that measures it, which the last word of a stream names: no other
 * may speak for that one. */
static bool has_own_stream(struct unauthorized *unauthorized,
			   const struct mc_otlp_resource *resource)
{
	unsigned len = mc_otlp_labels(resource, unauthorized->labels);

	for (unsigned i = 0; i < len; i++) {
		const struct mc_field *label = &unauthorized->labels->items[i];
		const char *last = strrchr(label->value, ' ');

		if (strcmp(label->name, MC_STREAM_LABEL) == 0 && last != NULL &&
		    !is_own_name(unauthorized, last + 1))
			return false;
	}
	return true;
}

static bool is_own(void *argument, const struct mc_otlp_resource *resource)
{
	struct unauthorized *unauthorized = argument;

	return is_own_host(unauthorized, resource->host) && has_own_stream(unauthorized, resource);
}

/* The same of what a host says of guests. */
static bool is_own_notice(struct unauthorized *unauthorized,
			  const struct mc_notification *notification)
{
	if (notification->id.plugin == NULL || strcmp(notification->id.plugin, "virt") != 0)
		return true;
	for (unsigned i = 0; i < notification->fields_len; i++)
		if (strcmp(notification->fields[i].name, "hypervisor") == 0 &&
		    !is_own_name(unauthorized, notification->fields[i].value))
			return false;
	return true;
}

/* Of a request for logs; broken ones are refused later. */
static bool has_own_notices(struct server *server, const struct content *content,
			    struct unauthorized *unauthorized)
{
	struct mc_otlp *otlp = mc_alloc(sizeof(*otlp));
	enum mc_otlp_item item = MC_OTLP_NOTICE;
	bool own = true;

	mc_otlp_open(otlp, content->at, content->size, true, content->peer);
	mc_otlp_name_by(otlp, &server->naming);
	while (own && item != MC_OTLP_END && item != MC_OTLP_FAULT) {
		item = mc_otlp_next(otlp);
		if (item == MC_OTLP_NOTICE)
			own = is_own_notice(unauthorized, &otlp->notification);
	}
	free(otlp);
	return own;
}

static bool has_own_hosts(struct server *server, struct take *take, const struct content *content)
{
	struct unauthorized unauthorized = { .peer = take->peer,
					     .labels = mc_alloc(sizeof(*unauthorized.labels)) };
	const struct mc_otlp_request request = {
		.host = content->peer,
		.bytes = content->at,
		.size = content->size,
		.naming = &server->naming,
	};

	bool own = mc_otlp_each_resource(&request, is_own, &unauthorized) &&
		   (!take->logs || has_own_notices(server, content, &unauthorized));

	free(unauthorized.labels);
	if (own)
		return true;
	take->result.why = "the certificate is for another host";
	atomic_fetch_add(&server->refused_hosts, 1);
	client_unauthorized(&server->clients, take->client, unauthorized.host);
	return false;
}

/* The status stays 200 if what is asked of 'refused' is 0. */
static void set_status(struct take *take, unsigned refused)
{
	if (refused != 0)
		take->status = refused;
}

static void convert_content(struct take *take, struct content *content,
			    struct mc_inflated *converted)
{
	const struct json_request request = { content->at, content->size, take->logs };

	set_status(take, mc_httpd_status_of(json_convert(&request, mc_httpd_memory(take->http),
							 converted, &take->result.why)));
	content->at = converted->bytes;
	content->size = converted->size;
	mc_httpd_free_body(take->http);
}

static struct mc_batch *read_content(struct server *server, struct take *take)
{
	const struct mc_httpd_peer *peer = take->peer;
	struct content content = { .peer = peer->name[0] != '\0' ? peer->name : peer->address };
	struct mc_inflated converted = { 0 };
	struct mc_batch *batch = NULL;

	set_status(take,
		   mc_httpd_content(take->http, &content.at, &content.size, &take->result.why));
	if (take->status == 200 && take->json)
		convert_content(take, &content, &converted);
	if (take->status == 200 && take->own_hosts && !has_own_hosts(server, take, &content))
		take->status = 403;
	if (take->status == 200 && !take->logs)
		batch = read_metrics(server, take, &content);
	else if (take->status == 200)
		take->status = take_logs(server, &content, &take->result);
	mc_inflate_free(mc_httpd_memory(take->http), &converted);
	return batch;
}

/* --- Once ---------------------------------------------------------------- */

/* Its sender is alive, and updates its facts from this request. */
static void count_sender(struct server *server, const struct take *take,
			 const struct mc_otlp_result *result, struct stream_gap gap)
{
	struct sender_news news = { .newest = result->newest,
				    .interval = result->interval,
				    .numbered = take->numbered,
				    .gap = gap };
	const char *count = take->gap;

	news.stated = count != NULL && dedup_id_number(&count, &news.dropped);
	sender_heard(&server->senders, take->sender, &news);
}

/* Whether it is to be read: it may have come before. */
static bool begin_numbered(struct server *server, struct take *take)
{
	if (!dedup_id_parse(take->stream, take->numbers, &take->receipt, &take->first)) {
		take->result.why = "X-Stream or X-Seq is wrong";
		take->status = 400;
		return false;
	}
	peer_own(take->peer, take->receipt.name, sizeof(take->receipt.name));
	switch (stream_begin(&server->streams, &take->receipt)) {
	case STREAM_DUPLICATE:
		sender_heard(&server->senders, take->sender, &(struct sender_news){ 0 });
		return false;
	case STREAM_BUSY:
		take->result.why = "that number is being taken";
		take->status = 503;
		return false;
	case STREAM_RETRY:
		take->retried = true;
		break;
	case STREAM_TAKE:
		break;
	}
	take->numbered = true;
	return true;
}

static void end(struct server *server, struct take *take)
{
	struct stream_gap gap = { 0 };

	if (take->numbered)
		gap = stream_end(&server->streams, &take->receipt, take->first,
				 take->status == 200 ? STREAM_TAKEN
				 : take->unsafe      ? STREAM_UNSAFE
						     : STREAM_REFUSED);
	if (take->status == 200)
		count_sender(server, take, &take->result, gap);
}

struct mc_batch *ingest_begin(struct server *server, struct take *take)
{
	struct mc_batch *batch;

	take->status = 200;
	if (take->stream != NULL && take->numbers != NULL && !begin_numbered(server, take))
		return NULL;
	batch = read_content(server, take);
	if (batch == NULL)
		end(server, take);
	return batch;
}

void ingest_end(struct server *server, struct take *take, int committed)
{
	/* Without a journal nothing is kept safely: the site's own affair. */
	if (committed != 0 && committed != -ENOTSUP) {
		/* A repetition is not newer, and so counts once. */
		take->status = 503;
		take->result.why = "cannot be kept safely now";
		take->unsafe = committed != -ECANCELED;
	} else {
		reject_late(server, take);
	}
	end(server, take);
}
