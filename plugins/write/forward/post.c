/* SPDX-License-Identifier: MIT */
#include "post.h"

#include <collector/writer.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <curl/curl.h>

#include <collector/kit/alloc.h>

#include "retry.h"

#define REPLY_MAX 65536               /* More of a reply is not kept. */
#define STOP_PATIENCE (2 * MC_SECOND) /* For an answer after the stop. */

#define FILES 3 /* That libcurl reads when it connects. */

struct version { /* Of a file; all 0: it is not there, or not given. */
	dev_t device;
	ino_t inode;
	off_t size;
	struct timespec changed;
};

struct post {
	struct mc_ctx *ctx;
	const struct post_options *options;
	mc_time stopped; /* When the stop was seen; 0: not yet. */
	CURL *curl;
	struct version versions[FILES]; /* When 'curl' was made. */
	struct pack *pack;
	unsigned char reply[REPLY_MAX];
	size_t reply_size;
	char error[CURL_ERROR_SIZE];
};

/* --- What libcurl calls -------------------------------------------------- */

static size_t take_reply(char *bytes, size_t one, size_t size, void *argument)
{
	struct post *post = argument;
	size_t room = sizeof(post->reply) - post->reply_size;

	(void)one;
	if (size < room)
		room = size;
	memcpy(post->reply + post->reply_size, bytes, room);
	post->reply_size += room;
	return size;
}

/* Ends a transfer that would delay the end of the daemon. */
static int watch_stop(void *argument, curl_off_t a, curl_off_t b, curl_off_t c,
		      curl_off_t d)
{
	struct post *post = argument;

	(void)a, (void)b, (void)c, (void)d;
	if (post->stopped == 0 && mc_stopping(post->ctx))
		post->stopped = mc_now();
	return post->stopped != 0 && mc_now() - post->stopped > STOP_PATIENCE;
}

/* --- Life ---------------------------------------------------------------- */

static void set_options(struct post *post)
{
	const struct post_options *options = post->options;
	CURL *curl = post->curl;

	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
	/* Else it waits for a name server beyond all time limits. */
	curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "collector/1");
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, post->error);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_reply);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, post);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, watch_stop);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, post);
	curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
			 (long)(options->timeout / MC_MILLISECOND));
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
			 (long)(options->connect_timeout / MC_MILLISECOND));
	curl_easy_setopt(curl, CURLOPT_SSLVERSION,
			 options->tls12 ? CURL_SSLVERSION_TLSv1_2
					: CURL_SSLVERSION_TLSv1_3);
	if (options->proxy != NULL)
		curl_easy_setopt(curl, CURLOPT_PROXY, options->proxy);
	if (options->ca != NULL)
		curl_easy_setopt(curl, CURLOPT_CAINFO, options->ca);
	if (options->certificate != NULL)
		curl_easy_setopt(curl, CURLOPT_SSLCERT, options->certificate);
	if (options->key != NULL)
		curl_easy_setopt(curl, CURLOPT_SSLKEY, options->key);
}

static void look_at_files(const struct post_options *options,
			  struct version *versions)
{
	const char *const paths[FILES] = { options->ca, options->certificate,
					   options->key };

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

struct post *post_new(struct mc_ctx *ctx, const struct post_options *options)
{
	struct post *post = mc_alloc_zero(sizeof(*post));

	post->ctx = ctx;
	post->options = options;
	post->curl = curl_easy_init();
	post->pack = pack_new();
	if (post->curl == NULL) {
		post_free(post);
		return NULL;
	}
	look_at_files(options, post->versions);
	set_options(post);
	return post;
}

void post_renew(struct post *post)
{
	struct version versions[FILES];
	CURL *curl;

	look_at_files(post->options, versions);
	if (memcmp(versions, post->versions, sizeof(versions)) == 0)
		return;
	curl = curl_easy_init();
	if (curl == NULL)
		return; /* The next connection has them all the same. */
	curl_easy_cleanup(post->curl);
	post->curl = curl;
	memcpy(post->versions, versions, sizeof(versions));
	set_options(post);
}

void post_free(struct post *post)
{
	if (post == NULL)
		return;
	pack_free(post->pack);
	curl_easy_cleanup(post->curl);
	free(post);
}

/* --- Requests ------------------------------------------------------------ */

bool post_prepare(struct post *post, const unsigned char *bytes, size_t size,
		  enum pack_encoding encoding, struct post_body *body)
{
	if (!pack_body(post->pack, encoding, bytes, size, &body->at,
		       &body->size))
		return false;
	body->encoding = encoding;
	body->crc = mc_otlp_crc(body->at, body->size);
	return true;
}

static struct curl_slist *add_header(struct curl_slist *list, const char *text)
{
	struct curl_slist *longer = curl_slist_append(list, text);

	return longer != NULL ? longer : list;
}

/* Whether the name of this host can be in a header as it is. */
static bool is_plain(const char *name)
{
	for (; *name > ' ' && *name <= '~'; name++)
		;
	return *name == '\0';
}

static struct curl_slist *make_headers(const struct post_options *options,
				       const struct post_body *body,
				       const struct post_number *number)
{
	struct curl_slist *list = NULL;
	char text[192];

	list = add_header(list, "Content-Type: application/x-protobuf");
	list = add_header(list, "Expect:");
	for (size_t i = 0; i < options->headers->len; i++)
		list = add_header(list, options->headers->items[i]);
	if (is_plain(options->sender)) {
		snprintf(text, sizeof(text), "X-Sender: %.127s",
			 options->sender);
		list = add_header(list, text);
	}
	if (body->encoding != PACK_NONE) {
		snprintf(text, sizeof(text), "Content-Encoding: %s",
			 pack_name(body->encoding));
		list = add_header(list, text);
	}
	snprintf(text, sizeof(text), "X-Body-CRC32C: %08" PRIx32, body->crc);
	list = add_header(list, text);
	if (number->gap > 0) {
		snprintf(text, sizeof(text), "Collector-Gap: %" PRIu64,
			 number->gap);
		list = add_header(list, text);
	}
	if (number->last == 0)
		return list;
	snprintf(text, sizeof(text), "X-Stream: %s", number->stream);
	list = add_header(list, text);
	if (number->first == number->last)
		snprintf(text, sizeof(text), "X-Seq: %" PRIu64, number->last);
	else
		snprintf(text, sizeof(text), "X-Seq: %" PRIu64 "-%" PRIu64,
			 number->first, number->last);
	return add_header(list, text);
}

static void read_reply(struct post *post, struct post_reply *reply)
{
	struct curl_header *accepted;
	curl_off_t seconds = 0;

	curl_easy_getinfo(post->curl, CURLINFO_RESPONSE_CODE, &reply->status);
	if (curl_easy_getinfo(post->curl, CURLINFO_RETRY_AFTER, &seconds) ==
	    CURLE_OK)
		reply->retry_after = seconds;
	if (curl_easy_header(post->curl, "Accept-Encoding", 0, CURLH_HEADER, -1,
			     &accepted) == CURLHE_OK)
		reply->takes_zstd = pack_is_in(accepted->value, PACK_ZSTD);
	mc_otlp_reply_read(post->reply, post->reply_size, reply->status == 200,
			   &reply->rejected, reply->why);
}

/* Why there is no answer: libcurl's words, and the system's if it knows more.
 */
static void read_failure(struct post *post, CURLcode rc,
			 struct post_reply *reply)
{
	long errnum = 0;

	if (curl_easy_getinfo(post->curl, CURLINFO_OS_ERRNO, &errnum) !=
		    CURLE_OK ||
	    rc != CURLE_COULDNT_CONNECT || errnum == EINPROGRESS)
		errnum = 0;
	snprintf(reply->why, sizeof(reply->why), "%.90s%s%.30s",
		 post->error[0] != '\0' ? post->error : curl_easy_strerror(rc),
		 errnum != 0 ? ": " : "",
		 errnum != 0 ? strerror((int)errnum) : "");
	retry_strip_duration(reply->why);
}

void post_send(struct post *post, const char *url, const char *path,
	       const struct post_body *body, const struct post_number *number,
	       struct post_reply *reply)
{
	struct curl_slist *headers = make_headers(post->options, body, number);
	char whole[1024];
	CURLcode rc;

	*reply = (struct post_reply){ 0 };
	post->reply_size = 0;
	post->error[0] = '\0';
	snprintf(whole, sizeof(whole), "%s%s", url, path);
	curl_easy_setopt(post->curl, CURLOPT_URL, whole);
	curl_easy_setopt(post->curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(post->curl, CURLOPT_POSTFIELDS, body->at);
	curl_easy_setopt(post->curl, CURLOPT_POSTFIELDSIZE_LARGE,
			 (curl_off_t)body->size);
	rc = curl_easy_perform(post->curl);
	if (rc == CURLE_OK)
		read_reply(post, reply);
	else
		read_failure(post, rc, reply);
	curl_slist_free_all(headers);
}
