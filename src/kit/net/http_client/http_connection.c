/* SPDX-License-Identifier: MIT */
/* Facts: curl_easy_setopt(3), curl_easy_getinfo(3). */
#include "kit/net/http_client/http_connection.h"
#include "kit/base/tenant_text.h"

#include "kit/net/http_client/transfers.h"
#include "kit/net/http_dictionary.h"
#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REPLY_MAX 65536     /* By default. */
#define RETRY_AFTER_MAX 300 /* Seconds; a day may be a typing error. */
#define HEADER_SIZE 256
#define CONNECTIONS_MAX 64 /* That are kept open. */

#define FILES 3 /* That libcurl reads when it connects. */

struct version { /* Of a file; all 0: it is not there, or not given. */
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
};

struct line { /* For a request. */
	struct http_connection *connection;
	struct mc_transfer transfer;
	struct mc_buffer reply;
	bool too_large;             /* The reply was. */
	struct curl_slist *headers; /* Of the present request, as the next. */
	char *url;
};

struct http_connection {
	const struct mc_http_settings *settings;
	const struct mc_http_protocol *protocol;
	struct mc_loop loop;
	struct mc_transfers transfers;
	struct version versions[FILES]; /* When they were opened. */
	struct line **lines;
	size_t lines_len, lines_room;
};

struct mc_http_headers {
	struct curl_slist *list;
};

/* --- What libcurl calls -------------------------------------------------- */

static size_t reply_max(const struct mc_http_protocol *protocol)
{
	return protocol->reply_max > 0 ? protocol->reply_max : REPLY_MAX;
}

static size_t take_reply(char *bytes, size_t one, size_t size, void *argument)
{
	struct line *line = argument;
	const struct mc_http_protocol *protocol = line->connection->protocol;
	size_t left = reply_max(protocol) - line->reply.size;

	(void)one;
	line->too_large = size > left;
	if (line->too_large && protocol->whole_replies)
		return 0; /* libcurl ends it. */
	mc_buffer_add(&line->reply, bytes, size < left ? size : left);
	return size;
}

/* --- Life ---------------------------------------------------------------- */

/* libcurl may have a file and a folder with the authorities of the system, and reads both for each
 * connection: where the user names a file, no other authority is trusted; and without verification
 * they need not be read. */
static void set_authorities(CURL *curl, const struct mc_http_settings *settings)
{
	if (settings->ca == NULL && !settings->any_certificate)
		return;
	curl_easy_setopt(curl, CURLOPT_CAINFO, settings->ca);
	curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
}

static void set_tls(CURL *curl, const struct mc_http_settings *settings)
{
	curl_easy_setopt(curl, CURLOPT_SSLVERSION,
			 settings->tls12 ? CURL_SSLVERSION_TLSv1_2 : CURL_SSLVERSION_TLSv1_3);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, settings->any_certificate ? 0L : 1L);
	curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, settings->any_host ? 0L : 2L);
	set_authorities(curl, settings);
	if (settings->certificate != NULL)
		curl_easy_setopt(curl, CURLOPT_SSLCERT, settings->certificate);
	if (settings->key != NULL)
		curl_easy_setopt(curl, CURLOPT_SSLKEY, settings->key);
}

void http_connection_set(CURL *curl, const struct mc_http_settings *settings,
			 const struct mc_http_protocol *protocol)
{
	long redirects_max = protocol->redirects_max;

	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, redirects_max > 0 ? 1L : 0L);
	curl_easy_setopt(curl, CURLOPT_MAXREDIRS, redirects_max);
	/* Else it waits for a name server beyond all time limits. */
	curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "collector/1");
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
			 (long)(settings->connect_timeout / MC_MILLISECOND));
	if (settings->proxy != NULL)
		curl_easy_setopt(curl, CURLOPT_PROXY, settings->proxy);
	if (settings->user != NULL) {
		curl_easy_setopt(curl, CURLOPT_USERNAME, settings->user);
		curl_easy_setopt(curl, CURLOPT_PASSWORD,
				 settings->password != NULL ? settings->password : "");
	}
	set_tls(curl, settings);
}

static void look_at_files(const struct mc_http_settings *settings, struct version *versions)
{
	const char *const paths[FILES] = { settings->ca, settings->certificate, settings->key };

	memset(versions, 0, FILES * sizeof(*versions));
	for (unsigned i = 0; i < FILES; i++) {
		struct stat now;

		if (paths[i] == NULL || stat(paths[i], &now) != 0)
			continue;
		versions[i].device = now.st_dev;
		versions[i].inode = now.st_ino;
		versions[i].size = now.st_size;
		versions[i].changed = now.st_ctim;
	}
}

/* 0, or what mc_fail() returned. */
static int open_line(struct http_connection *connection, struct line *line)
{
	CURL *curl = curl_easy_init();

	line->transfer.curl = curl;
	if (curl == NULL)
		return mc_fail(connection->loop.ctx, ENOMEM, "cannot set libcurl up");
	http_connection_set(curl, connection->settings, connection->protocol);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_reply);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, line);
	return 0;
}

/* One more. */
static int add_line(struct http_connection *connection)
{
	struct line *line = mc_alloc_zero(sizeof(*line));

	line->connection = connection;
	MC_ARRAY_GROW(connection->lines, connection->lines_len, connection->lines_room);
	connection->lines[connection->lines_len++] = line;
	return open_line(connection, line);
}

static int open_transfers(struct http_connection *connection)
{
	int rc = mc_transfers_init(&connection->transfers, &connection->loop, CONNECTIONS_MAX);

	look_at_files(connection->settings, connection->versions);
	for (size_t i = 0; i < connection->lines_len && rc == 0; i++)
		rc = open_line(connection, connection->lines[i]);
	return rc;
}

static void close_transfers(struct http_connection *connection)
{
	for (size_t i = 0; i < connection->lines_len; i++)
		curl_easy_cleanup(connection->lines[i]->transfer.curl);
	mc_transfers_done(&connection->transfers);
}

int http_connection_new(struct mc_ctx *ctx, const struct mc_http_settings *settings,
			const struct mc_http_protocol *protocol,
			struct http_connection **connection)
{
	struct http_connection *made = mc_alloc_zero(sizeof(*made));
	int rc;

	made->settings = settings;
	made->protocol = protocol;
	made->loop.ctx = ctx;
	rc = mc_loop_init(&made->loop);
	if (rc == 0)
		rc = open_transfers(made);
	if (rc == 0)
		rc = add_line(made);
	if (rc < 0)
		http_connection_free(made);
	else
		*connection = made;
	return rc;
}

void http_connection_renew(struct http_connection *connection)
{
	struct version versions[FILES];

	look_at_files(connection->settings, versions);
	if (memcmp(versions, connection->versions, sizeof(versions)) == 0)
		return;
	close_transfers(connection);
	open_transfers(connection); /* If it fails, so do the requests. */
}

void http_connection_free(struct http_connection *connection)
{
	if (connection == NULL)
		return;
	close_transfers(connection);
	mc_loop_done(&connection->loop);
	for (size_t i = 0; i < connection->lines_len; i++) {
		mc_buffer_free(&connection->lines[i]->reply);
		free(connection->lines[i]);
	}
	free(connection->lines);
	free(connection);
}

/* --- Requests ------------------------------------------------------------ */

static void add_header(struct mc_http_headers *headers, const char *text)
{
	struct curl_slist *longer = curl_slist_append(headers->list, text);

	if (longer != NULL)
		headers->list = longer;
}

void mc_http_header(struct mc_http_headers *headers, const char *fmt, ...)
{
	char text[HEADER_SIZE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	add_header(headers, text);
}

static void add_users_header(struct mc_http_headers *headers, const char *text, const char *tenant)
{
	char *filled = mc_tenant_is_in(text) ? mc_tenant_fill(text, tenant) : NULL;

	add_header(headers, filled != NULL ? filled : text);
	free(filled);
}

static struct curl_slist *make_headers(const struct http_sending *sending)
{
	const struct mc_http_request *request = sending->request;
	const struct http_body *body = &sending->body;
	struct mc_http_headers headers = { NULL };

	if (request->content_type != NULL)
		mc_http_header(&headers, "Content-Type: %s", request->content_type);
	add_header(&headers, "Expect:");
	for (size_t i = 0; i < sending->headers->len; i++)
		add_users_header(&headers, sending->headers->items[i], request->tenant);
	if (body->encoding != HTTP_NONE)
		mc_http_header(&headers, "Content-Encoding: %s", http_pack_name(body->encoding));
	if (sending->dictionary != NULL && sending->dictionary[0] != '\0')
		add_header(&headers, sending->dictionary);
	if (request->add_headers != NULL)
		request->add_headers(request->argument, body->at, body->size, &headers);
	return headers.list;
}

static void set_body(CURL *curl, const struct http_sending *sending)
{
	const char *method = sending->request->method;
	bool get = method != NULL && strcmp(method, "GET") == 0;

	curl_easy_setopt(curl, CURLOPT_HTTPGET, 1L);
	curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, NULL);
	if (get)
		return;
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	if (method != NULL)
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, sending->body.size > 0 ? sending->body.at : "");
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)sending->body.size);
}

static void read_header(CURL *curl, const char *name, char *value, size_t size)
{
	struct curl_header *header;

	if (name != NULL && curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK)
		snprintf(value, size, "%s", header->value);
}

static void read_reply(const struct line *line, struct mc_http_reply *reply)
{
	CURL *curl = line->transfer.curl;
	struct curl_header *accepted;
	curl_off_t seconds = 0;

	curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply->status);
	if (curl_easy_getinfo(curl, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK)
		reply->retry_after = seconds < RETRY_AFTER_MAX ? seconds * MC_SECOND
							       : RETRY_AFTER_MAX * MC_SECOND;
	if (curl_easy_header(curl, "Accept-Encoding", 0, CURLH_HEADER, -1, &accepted) == CURLHE_OK)
		reply->takes_zstd = http_pack_is_in(accepted->value, HTTP_ZSTD);
	read_header(curl, HTTP_DICTIONARY_HEADER, reply->dictionary, sizeof(reply->dictionary));
	read_header(curl, line->connection->protocol->reply_header, reply->header,
		    sizeof(reply->header));
}

static void begin(struct line *line, const struct http_sending *sending,
		  struct mc_http_reply *reply)
{
	const char *path = sending->request->path;
	CURL *curl = line->transfer.curl;
	char *url = mc_tenant_fill(sending->url, sending->request->tenant);

	*reply = (struct mc_http_reply){ .url = reply->url };
	mc_buffer_clear(&line->reply);
	line->too_large = false;
	line->headers = make_headers(sending);
	line->url = mc_alloc_printf("%s%s", url, path != NULL ? path : "");
	free(url);
	set_body(curl, sending);
	curl_easy_setopt(curl, CURLOPT_URL, line->url);
	curl_easy_setopt(curl, CURLOPT_HTTPHEADER, line->headers);
}

static void finish(struct line *line, struct mc_http_reply *reply)
{
	curl_off_t microseconds = 0;
	CURLcode rc = line->transfer.result;

	if (rc == CURLE_OK)
		read_reply(line, reply);
	else if (line->too_large)
		snprintf(reply->why, sizeof(reply->why), "its answer is larger than %zu bytes",
			 reply_max(line->connection->protocol));
	else
		mc_transfers_why(&line->transfer, rc, reply->why, sizeof(reply->why));
	if (curl_easy_getinfo(line->transfer.curl, CURLINFO_TOTAL_TIME_T, &microseconds) ==
	    CURLE_OK)
		reply->duration = microseconds * 1000;
	mc_buffer_add(&line->reply, NULL, 0);
	reply->body = line->reply.at;
	reply->size = line->reply.size;
	curl_slist_free_all(line->headers);
	free(line->url);
}

static mc_time timeout_of(const struct http_connection *connection,
			  const struct mc_http_request *request)
{
	mc_time left = request->until - mc_now(), most = connection->settings->timeout;

	if (request->until == 0 || left > most)
		return most;
	return left > 1 ? left : 1; /* 0 would be for ever. */
}

void http_connection_send_all(struct http_connection *connection,
			      const struct http_sending *sendings,
			      struct mc_http_reply *const *replies, size_t len)
{
	struct mc_transfer **list = mc_alloc_array(len, sizeof(*list));
	const struct mc_http_request *first = sendings[0].request;

	while (connection->lines_len < len)
		add_line(connection); /* If it fails, so does its request. */
	for (size_t i = 0; i < len; i++) {
		begin(connection->lines[i], &sendings[i], replies[i]);
		list[i] = &connection->lines[i]->transfer;
	}
	connection->transfers.is_wanted = first->is_wanted;
	connection->transfers.wanted_argument = first->argument;
	mc_transfers_wait_all(&connection->transfers, list, len, timeout_of(connection, first));
	for (size_t i = 0; i < len; i++)
		finish(connection->lines[i], replies[i]);
	free(list);
}

void http_connection_send(struct http_connection *connection, const struct http_sending *sending,
			  struct mc_http_reply *reply)
{
	http_connection_send_all(connection, sending, &reply, 1);
}
