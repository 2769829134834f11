/* SPDX-License-Identifier: MIT */
/* Facts: the documentation of the HTTP interfaces of InfluxDB 1.8 and 2; Icinga
 * 2.13, telegraf and Proxmox VE as clients. */
#include "request.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/alloc.h>
#include <collector/serve.h>

#define JOURNAL_FULL "the journal is full of what writers have not taken"
#define SAFE_MAX (10 * MC_SECOND) /* For the journal to be on disk. */
#define JSON "application/json"
#define QUERY_SHOWN 512 /* Bytes of a query that are looked at. */

struct request {
	struct mc_httpd_request *http;
	struct points_result result;
	int rc; /* Of the commit. */
};

/* --- Answers -------------------------------------------------------------- */

/* As a text in JSON; special characters become '?'. */
static void copy_plain(const char *text, char *out, size_t size)
{
	size_t i = 0;

	for (; text[i] != '\0' && i + 1 < size; i++)
		out[i] = text[i] < ' ' || text[i] > '~' || text[i] == '"' || text[i] == '\\'
				 ? '?'
				 : text[i];
	out[i] = '\0';
}

void request_refuse(struct mc_httpd_request *http, unsigned status, const char *why)
{
	char body[512], text[400];
	int size;

	copy_plain(why, text, sizeof(text));
	size = snprintf(body, sizeof(body), "{\"code\":\"%s\",\"message\":\"%s\",\"error\":\"%s\"}",
			status < 500 ? "invalid" : "unavailable", text, text);
	if (size >= (int)sizeof(body)) /* Once will do. */
		size = snprintf(body, sizeof(body), "{\"error\":\"%s\"}", text);
	mc_httpd_add_header(http, "X-Influxdb-Error", text);
	mc_httpd_answer(http, status, JSON, body, (size_t)size);
}

/* InfluxDB stores the good points of a request and says of the others so;
 * clients do not send it again. */
static void answer_result(struct mc_httpd_request *http, const struct points_result *result)
{
	char why[400];

	if (result->refused == 0) {
		mc_httpd_answer(http, 204, JSON, "", 0);
		return;
	}
	snprintf(why, sizeof(why), "partial write: %s dropped=%llu", result->why,
		 (unsigned long long)result->refused);
	mc_httpd_refuse(http, 400, why);
}

/* --- Writing -------------------------------------------------------------- */

static unsigned on_head(struct mc_httpd_request *http, const char **why)
{
	const struct influx_server *server = mc_httpd_argument(http);

	*why = "precision is not one of ns, us, ms, s, m, h";
	if (points_precision(mc_httpd_query(http, "precision")) == 0)
		return 400;
	*why = JOURNAL_FULL;
	return mc_journal_has_room(server->ctx) ? 0 : 503;
}

static void committed(void *argument, int rc)
{
	struct request *request = argument;

	request->rc = rc;
	mc_httpd_resume(request->http);
}

static void on_resume(struct mc_httpd_request *http)
{
	const struct request *request = mc_httpd_state(http);

	/* Without a journal nothing is kept safely: the site's own affair. */
	if (request->rc != 0 && request->rc != -ENOTSUP)
		mc_httpd_refuse(http, 503, "cannot be kept safely now");
	else
		answer_result(http, &request->result);
}

static void commit(struct request *request, struct mc_batch *batch)
{
	struct mc_httpd_request *http = request->http;

	request->rc = -ECANCELED;
	if (mc_httpd_hold(http)) {
		mc_commit_then(batch, SAFE_MAX, committed, request);
		return;
	}
	mc_discard(batch);
	on_resume(http);
}

static void on_write(struct mc_httpd_request *http)
{
	struct influx_server *server = mc_httpd_argument(http);
	struct mc_quota *quota = mc_httpd_client(http);
	struct request *request;
	const unsigned char *bytes;
	struct mc_batch *batch;
	const char *why;
	mc_time precision;
	size_t size;
	unsigned status = mc_httpd_content(http, &bytes, &size, &why);

	if (status != 0) {
		mc_httpd_refuse(http, status, why);
		return;
	}
	precision = points_precision(mc_httpd_query(http, "precision"));
	request = mc_alloc_zero(sizeof(*request));
	mc_httpd_set_state(http, request);
	request->http = http;
	batch = mc_begin(server->ctx);
	mc_charge(batch, quota);
	points_put(&server->points, batch, &(struct points_text){ bytes, size, precision },
		   &request->result);
	mc_httpd_free_body(http);
	server->requests++;
	if (request->result.taken > 0) {
		commit(request, batch);
		return;
	}
	mc_discard(batch);
	answer_result(http, &request->result);
}

static void on_done(struct mc_httpd_request *http)
{
	free(mc_httpd_state(http));
}

/* --- What is asked before ------------------------------------------------- */

static void on_ping(struct mc_httpd_request *http)
{
	mc_httpd_add_header(http, "X-Influxdb-Version", "1.8.10");
	mc_httpd_add_header(http, "X-Influxdb-Build", "OSS");
	mc_httpd_answer(http, 204, JSON, "", 0);
}

/* Proxmox VE is not set up to write where this fails. */
static void on_health(struct mc_httpd_request *http)
{
	static const char well[] = "{\"name\":\"influxdb\",\"message\":\"ready for writes\","
				   "\"status\":\"pass\",\"checks\":[],\"version\":\"1.8.10\"}";

	mc_httpd_answer(http, 200, JSON, well, sizeof(well) - 1);
}

/* Senders make a database first; here is one for all. */
static void on_query(struct mc_httpd_request *http)
{
	static const char done[] = "{\"results\":[{\"statement_id\":0}]}\n";
	const char *query = mc_httpd_query(http, "q");
	char text[QUERY_SHOWN + 1] = "";
	const unsigned char *bytes;
	size_t size;

	if (query == NULL) {
		bytes = mc_httpd_body(http, &size);
		if (bytes != NULL && size > 2 && memcmp(bytes, "q=", 2) == 0)
			snprintf(text, sizeof(text), "%.*s",
				 (int)(size - 2 < QUERY_SHOWN ? size - 2 : QUERY_SHOWN),
				 (const char *)bytes + 2);
		query = text;
	}
	if (strncasecmp(query, "create", 6) == 0 && strcasestr(query, "database") != NULL)
		mc_httpd_answer(http, 200, JSON, done, sizeof(done) - 1);
	else
		mc_httpd_refuse(http, 400,
				"values can be written here, and "
				"not be asked for");
}

const struct mc_httpd_route request_routes[] = {
	{ .path = "/write",
	  .method = "POST",
	  .head = on_head,
	  .handle = on_write,
	  .resume = on_resume,
	  .done = on_done },
	{ .path = "/api/v2/write",
	  .method = "POST",
	  .head = on_head,
	  .handle = on_write,
	  .resume = on_resume,
	  .done = on_done },
	{ .path = "/ping", .method = "GET", .handle = on_ping },
	{ .path = "/health", .method = "GET", .handle = on_health },
	{ .path = "/query", .method = "POST", .handle = on_query },
	{ 0 },
};
