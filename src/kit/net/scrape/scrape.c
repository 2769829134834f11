/* SPDX-License-Identifier: MIT */
/* Facts: libcurl-multi(3), CURLMOPT_SOCKETFUNCTION(3),
 * CURLMOPT_TIMERFUNCTION(3).
 *
 * One epoll descriptor stands for all sockets.  When a page is due follows the
 * clock of mc_now(); libcurl has its own for timeouts. */
#include <collector/kit/scrape.h>

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/kit/every.h>
#include <collector/kit/wait.h>
#include <collector/serve.h>

#include "kit/net/scrape/scrape_page.h"

#define EVENTS_MAX 64

struct scraper {
	struct mc_ctx *ctx;
	CURLM *multi;
	int epoll;
	mc_time timer; /* Of libcurl, in mc_now(); INT64_MAX: none. */
	struct scrape_page *pages;
	size_t pages_len;
};

/* --- What libcurl calls --------------------------------------------------- */

static int watch_socket(CURL *curl, curl_socket_t fd, int what, void *argument, void *unused)
{
	struct scraper *scraper = argument;
	struct epoll_event event = { .data.u64 = (uint64_t)fd };

	(void)curl, (void)unused;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(scraper->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	if (what & CURL_POLL_IN)
		event.events |= EPOLLIN;
	if (what & CURL_POLL_OUT)
		event.events |= EPOLLOUT;
	if (epoll_ctl(scraper->epoll, EPOLL_CTL_MOD, fd, &event) < 0)
		epoll_ctl(scraper->epoll, EPOLL_CTL_ADD, fd, &event);
	return 0;
}

static int set_timer(CURLM *multi, long timeout_ms, void *argument)
{
	struct scraper *scraper = argument;

	(void)multi;
	scraper->timer = timeout_ms < 0 ? INT64_MAX : mc_now() + timeout_ms * MC_MILLISECOND;
	return 0;
}

/* --- Life ----------------------------------------------------------------- */

static int scraper_init(struct scraper *scraper, struct mc_ctx *ctx,
			const struct mc_scrape_target *targets, size_t len)
{
	*scraper = (struct scraper){
		.ctx = ctx,
		.timer = INT64_MAX,
		.multi = curl_multi_init(),
		.epoll = epoll_create1(EPOLL_CLOEXEC),
		.pages = mc_alloc_array(len, sizeof(*scraper->pages)),
		.pages_len = len,
	};
	if (scraper->multi == NULL)
		return mc_fail(ctx, ENOMEM, "cannot set libcurl up");
	if (scraper->epoll < 0)
		return mc_fail(ctx, errno, "cannot wait for sockets");
	curl_multi_setopt(scraper->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
	curl_multi_setopt(scraper->multi, CURLMOPT_SOCKETDATA, scraper);
	curl_multi_setopt(scraper->multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl_multi_setopt(scraper->multi, CURLMOPT_TIMERDATA, scraper);
	curl_multi_setopt(scraper->multi, CURLMOPT_MAXCONNECTS, (long)len);
	for (size_t i = 0; i < len; i++)
		if (!scrape_page_init(&scraper->pages[i], ctx, &targets[i]))
			return mc_fail(ctx, ENOMEM, "cannot set libcurl up");
	return 0;
}

static void scraper_done(struct scraper *scraper)
{
	for (size_t i = 0; i < scraper->pages_len; i++)
		scrape_page_done(&scraper->pages[i], scraper->multi);
	if (scraper->multi != NULL)
		curl_multi_cleanup(scraper->multi);
	if (scraper->epoll >= 0)
		close(scraper->epoll);
	free(scraper->pages);
}

/* --- Pages ---------------------------------------------------------------- */

static void finish(struct scraper *scraper, struct scrape_page *page, const char *why)
{
	struct mc_batch *batch;

	if (why != NULL) {
		scrape_page_failed(page, why);
		return;
	}
	batch = mc_begin(scraper->ctx);
	scrape_page_take(page, batch);
	mc_commit(batch);
}

static void finish_transfers(struct scraper *scraper)
{
	struct CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(scraper->multi, &left)) != NULL) {
		CURLcode rc = message->data.result;
		struct scrape_page *page = NULL;
		CURL *curl = message->easy_handle;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(curl, CURLINFO_PRIVATE, (char **)&page);
		curl_multi_remove_handle(scraper->multi, curl);
		finish(scraper, page, scrape_page_ended(page, rc));
	}
}

/* 'result' is that of a step of reading a stream. */
static void finish_stream(struct scraper *scraper, struct scrape_page *page, int result)
{
	if (result == -EAGAIN)
		return;
	finish(scraper, page, scrape_page_stream_ended(page, result));
}

static void start(struct scraper *scraper, struct scrape_page *page)
{
	uint64_t index = (uint64_t)(page - scraper->pages);

	mc_every_done(&page->every, mc_now());
	scrape_page_begin(page);
	if (page->curl != NULL)
		curl_multi_add_handle(scraper->multi, page->curl);
	else
		finish_stream(scraper, page,
			      scrape_stream_start(&page->stream, scraper->epoll,
						  index << 32 | UINT32_MAX));
}

/* --- Waiting -------------------------------------------------------------- */

/* An event of libcurl carries its descriptor, one of a stream the number of its page, above 32
 * bits of ones. */
static void take_event(struct scraper *scraper, const struct epoll_event *event)
{
	uint64_t what = event->data.u64;
	struct scrape_page *page;
	int running, mask = 0;

	if ((what & UINT32_MAX) == UINT32_MAX) {
		page = &scraper->pages[what >> 32];
		if (page->running)
			finish_stream(scraper, page,
				      scrape_stream_read(&page->stream, &page->body));
		return;
	}
	if (event->events & (EPOLLIN | EPOLLHUP))
		mask |= CURL_CSELECT_IN;
	if (event->events & EPOLLOUT)
		mask |= CURL_CSELECT_OUT;
	if (event->events & EPOLLERR)
		mask |= CURL_CSELECT_ERR;
	curl_multi_socket_action(scraper->multi, (curl_socket_t)what, mask, &running);
}

static mc_time next_due(const struct scraper *scraper)
{
	mc_time due = scraper->timer;

	for (size_t i = 0; i < scraper->pages_len; i++) {
		mc_time one = scrape_page_due(&scraper->pages[i]);

		if (one < due)
			due = one;
	}
	return due;
}

static void work_off_times(struct scraper *scraper)
{
	mc_time now = mc_now();
	int running;

	if (now >= scraper->timer) {
		scraper->timer = INT64_MAX;
		curl_multi_socket_action(scraper->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	}
	finish_transfers(scraper);
	for (size_t i = 0; i < scraper->pages_len; i++) {
		struct scrape_page *page = &scraper->pages[i];

		if (now < scrape_page_due(page))
			continue;
		if (page->running)
			finish_stream(scraper, page, -ETIMEDOUT);
		else
			start(scraper, page);
	}
}

static int work(struct scraper *scraper)
{
	struct epoll_event events[EVENTS_MAX];
	struct pollfd fd = { .fd = scraper->epoll, .events = POLLIN };
	int len, rc = mc_wait(scraper->ctx, &fd, 1, next_due(scraper));

	if (rc < 0)
		return rc;
	len = epoll_wait(scraper->epoll, events, EVENTS_MAX, 0);
	for (int i = 0; i < len; i++)
		take_event(scraper, &events[i]);
	work_off_times(scraper);
	return 0;
}

int mc_scrape_run(struct mc_ctx *ctx, const struct mc_scrape_target *targets, size_t len)
{
	struct scraper scraper;
	int rc = scraper_init(&scraper, ctx, targets, len);

	while (rc == 0)
		rc = work(&scraper);
	scraper_done(&scraper);
	return rc == -ECANCELED ? 0 : rc;
}
