/* SPDX-License-Identifier: MIT */
/* collector/kit/scrape.h - reads pages by HTTP, again and again, in
 * libkit_scrape, which needs libcurl.
 *
 * A plugin has a target for each page, and its run() is:
 *
 *   return mc_scrape_run(ctx, targets, len);
 *
 * One thread reads all pages at the same time.  A page that does not answer, or does not end,
 * fails alone: after its timeout, or when it is too large.  Why is logged once, until there is
 * another reason or it works again. */
#pragma once

#include <collector/plugin.h>

/* --- Settings ------------------------------------------------------------- */

enum mc_scrape_family { MC_SCRAPE_ANY, MC_SCRAPE_IPV4, MC_SCRAPE_IPV6 };

struct mc_scrape_settings { /* Of a target: part of an instance or a block. */
	const char *url;
	const char *unix_socket; /* That is asked by HTTP for 'url', or NULL. */
	const char *stream; /* A unix socket that sends all to each client, without HTTP.  NULL:
			       'url' is read. */
	const char *user, *password;
	const char *ca;                /* A file; NULL: that of the system. */
	const char *certificate, *key; /* Files of this client; NULL: none. */
	const char *accept;            /* Value of the header Accept; NULL: all. */
	bool digest, verify_peer, verify_host;
	int family;                /* enum mc_scrape_family */
	struct mc_strings headers; /* "Name: value" */
	const char *post;          /* A body; NULL: GET. */
	int64_t timeout_ms;        /* 0: none; negative: the target's interval. */
	int64_t size_max;          /* Bytes of a page. */
};

/* Rows of an option table for 'field', the settings within 'self', that all
 * plugins have; the URL is the plugin's own row. */
#define MC_SCRAPE_OPTIONS(self, field)                                                             \
	{ .name = "User",                                                                          \
	  MC_OPT_STRING(self, field.user),                                                         \
	  .sample = "collector",                                                                   \
	  .help = "Name of the user for the server." },                                            \
		{ .name = "Password",                                                              \
		  MC_OPT_STRING(self, field.password),                                             \
		  .secret = true,                                                                  \
		  .sample = "secret",                                                              \
		  .help = "Password of that user." },                                              \
		{ .name = "VerifyPeer",                                                            \
		  MC_OPT_BOOL(self, field.verify_peer),                                            \
		  .default_value = "true",                                                         \
		  .help = "Checks that an authority has signed the "                               \
			  "certificate of the server." },                                          \
		{ .name = "VerifyHost",                                                            \
		  MC_OPT_BOOL(self, field.verify_host),                                            \
		  .default_value = "true",                                                         \
		  .help = "Checks that the certificate of the server has its "                     \
			  "name." },                                                               \
		{ .name = "CACert",                                                                \
		  MC_OPT_STRING(self, field.ca),                                                   \
		  .sample = "/etc/ssl/certs/site.pem",                                             \
		  .help = "File with the authorities; by default those of "                        \
			  "the system." },                                                         \
		MC_SCRAPE_TIMEOUT(self, field)

/* Rows of those that read pages of any kind. */
#define MC_SCRAPE_PAGE_OPTIONS(self, field)                                                        \
	{ .name = "AddressFamily",                                                                 \
	  MC_OPT_WORD(self, field.family),                                                         \
	  .default_value = "any",                                                                  \
	  .words = (const char *const[]){ "any", "ipv4", "ipv6", NULL },                           \
	  .help = "Which addresses of the server are used." },                                     \
		{ .name = "Digest",                                                                \
		  MC_OPT_BOOL(self, field.digest),                                                 \
		  .default_value = "false",                                                        \
		  .help = "Sends user and password by digest "                                     \
			  "authentication." },                                                     \
		{ .name = "Header",                                                                \
		  MC_OPT_STRINGS(self, field.headers),                                             \
		  .sample = "Accept:application/json",                                             \
		  .help = "A header of the request, \"Name: value\"." },                           \
		{ .name = "Post",                                                                  \
		  MC_OPT_STRING(self, field.post),                                                 \
		  .sample = "question=all",                                                        \
		  .help = "Body that is sent by POST; without it, the page "                       \
			  "is read by GET." },                                                     \
		MC_SCRAPE_MAX_BODY_SIZE(self, field)

/* Two of these. */
#define MC_SCRAPE_TIMEOUT(self, field)                                                             \
	{                                                                                          \
		.name = "Timeout", MC_OPT_INT(self, field.timeout_ms), .default_value = "-1",      \
		.min = -1, .max = 86400000,                                                        \
		.help = "Milliseconds that an answer may take; -1: as many "                       \
			"as the interval has; 0: no limit."                                        \
	}
#define MC_SCRAPE_MAX_BODY_SIZE(self, field)                                                       \
	{                                                                                          \
		.name = "MaxBodySize", MC_OPT_INT(self, field.size_max),                           \
		.default_value = "16777216", .min = 1, .max = 1 << 30,                             \
		.help = "Largest number of bytes of a page; a larger one is "                      \
			"not used."                                                                \
	}

/* For check(): says what is wrong with the settings. */
void mc_scrape_check(struct mc_ctx *, const struct mc_scrape_settings *);

/* --- Targets -------------------------------------------------------------- */

#define MC_SCRAPE_WHY_SIZE 160

struct mc_scrape_reply {  /* Valid in take(). */
	long status;      /* Of HTTP; 0: without HTTP. */
	const char *body; /* With a '\0' after it. */
	size_t size;
	mc_time duration;      /* From the request to the end of the answer, as libcurl measures. */
	mc_time took;          /* The same, as mc_now() does. */
	struct mc_stamp stamp; /* When the answer ended; and the interval. */
	void *transfer;        /* Of libcurl; NULL: without HTTP. */
};

struct mc_scrape_target {
	const struct mc_scrape_settings *settings;
	mc_time interval; /* Between two reads; 0: that of the instance. */

	/* Puts what the page says; the batch is committed then, whatever is
	 * returned.  False: it cannot be used, and 'why' goes on after the URL:
	 * "is no JSON".  The thread of mc_scrape_run(). */
	bool (*take)(void *argument, const struct mc_scrape_reply *, struct mc_batch *,
		     char why[MC_SCRAPE_WHY_SIZE]);

	/* It could not be read, or in part: of the reply, the times are there.  The batch is
	 * committed then.  May be NULL. */
	void (*fail)(void *argument, const struct mc_scrape_reply *, struct mc_batch *);
	void *argument;
};

/* Reads pages until the plugin must stop; returns what run() is to. */
int mc_scrape_run(struct mc_ctx *, const struct mc_scrape_target *targets, size_t len);

/* --- In take() ------------------------------------------------------------ */

/* Whether the status is 200, or absent; else the reason is in 'why'. */
bool mc_scrape_is_okay(const struct mc_scrape_reply *, char why[MC_SCRAPE_WHY_SIZE]);

/* The value of a header of the answer; NULL without it. */
const char *mc_scrape_header(const struct mc_scrape_reply *, const char *name);

/* The <Statistics> of collectd's plugins that read pages: what libcurl has
 * measured.  Of an option whose blocks are that; the first one counts. */
extern const struct mc_block mc_scrape_statistics_block;

/* Puts those that are wanted, under the host, plugin and plugin instance of 'id'. */
void mc_scrape_put_statistics(const struct mc_blocks *statistics, const struct mc_scrape_reply *,
			      struct mc_batch *, const struct mc_id *id);
