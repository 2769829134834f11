/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/peer/http_handshakes.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "kit/net/http_server/peer/http_hello.h"
#include "kit/net/http_server/peer/http_watch.h"

#define EVENTS 64       /* At a time; others follow in the next round. */
#define HELLO_SIZE 4096 /* Bytes of a client's first message that are looked at. */
#define FULL_EVERY 4    /* Turns: one of these is for a full handshake, if one waits. */
#define WAIT_MAX_MS 1000

/* Computing takes its time whatever a test's clock says. */
static mc_time clock_of(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * MC_SECOND + now.tv_nsec;
}

void http_handshakes_init(struct http_handshakes *all, struct http_handshake_counts *counts,
			  double share)
{
	*all = (struct http_handshakes){ .epoll_fd = -1, .counts = counts };
	http_pace_init(&all->pace, share, clock_of(CLOCK_MONOTONIC));
}

void http_handshakes_done(struct http_handshakes *all)
{
	if (all->epoll_fd >= 0)
		close(all->epoll_fd);
	all->epoll_fd = -1;
}

/* --- Lists ----------------------------------------------------------------- */

static void put_in(struct http_handshake_list *list, struct http_handshake *handshake)
{
	handshake->list = list;
	handshake->next = NULL;
	handshake->before = list->last;
	*(list->last != NULL ? &list->last->next : &list->first) = handshake;
	list->last = handshake;
}

static void take_out(struct http_handshake *handshake)
{
	struct http_handshake_list *list = handshake->list;
	struct http_handshake *next = handshake->next, *before = handshake->before;

	*(before != NULL ? &before->next : &list->first) = next;
	*(next != NULL ? &next->before : &list->last) = before;
	handshake->list = NULL;
}

/* --- Waiting --------------------------------------------------------------- */

/* If it cannot, the connection is not suspended: that costs time, but nothing is lost. */
static bool suspend(struct http_handshakes *all, struct http_handshake *handshake,
		    struct http_handshake_list *list, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = handshake };

	if (all->ended || handshake->list != NULL)
		return false;
	if (all->epoll_fd < 0)
		all->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (all->epoll_fd < 0 ||
	    epoll_ctl(all->epoll_fd, EPOLL_CTL_ADD, handshake->fd, &event) != 0)
		return false;
	put_in(list, handshake);
	MHD_suspend_connection(handshake->connection);
	return true;
}

static void go_on(struct http_handshakes *all, struct http_handshake *handshake)
{
	epoll_ctl(all->epoll_fd, EPOLL_CTL_DEL, handshake->fd, NULL);
	take_out(handshake);
	MHD_resume_connection(handshake->connection);
}

void http_handshakes_wait(struct http_handshakes *all, struct http_handshake *handshake)
{
	http_handshakes_rest(all, handshake);
	suspend(all, handshake, &all->silent, EPOLLIN);
}

/* Waits for its turn, unless it cannot wait. */
static bool queue(struct http_handshakes *all, struct http_handshake *handshake, bool resumes)
{
	if (!suspend(all, handshake, resumes ? &all->resuming : &all->full, EPOLLRDHUP))
		return false;
	atomic_fetch_add(&all->counts->queued, 1);
	if (handshake->line != NULL)
		http_watch_enter(handshake->line, HTTP_WATCH_QUEUED);
	return true;
}

/* Gives it its turn, or has it wait: false. */
static bool admit(struct http_handshakes *all, struct http_handshake *handshake)
{
	unsigned char hello[HELLO_SIZE];
	ssize_t size = recv(handshake->fd, hello, sizeof(hello), MSG_PEEK | MSG_DONTWAIT);
	bool resumes = size > 0 && http_hello_resumes(hello, (size_t)size);
	bool others = all->resuming.first != NULL || (!resumes && all->full.first != NULL);

	/* Without a hello nothing is to be computed. */
	if (size > 0 && (others || http_pace_allows(&all->pace, clock_of(CLOCK_MONOTONIC)) == 0) &&
	    queue(all, handshake, resumes))
		return false;
	handshake->admitted = size > 0;
	return true;
}

/* --- Working --------------------------------------------------------------- */

bool http_handshakes_begin(struct http_handshakes *all, struct http_handshake *handshake)
{
	if (handshake->list != NULL || (!handshake->admitted && !admit(all, handshake)))
		return false;
	if (all->working != handshake) {
		all->working = handshake;
		all->begun = clock_of(CLOCK_THREAD_CPUTIME_ID);
	}
	return true;
}

void http_handshakes_rest(struct http_handshakes *all, const struct http_handshake *handshake)
{
	if (all->working == handshake && handshake->admitted)
		http_pace_spend(&all->pace, clock_of(CLOCK_THREAD_CPUTIME_ID) - all->begun);
	all->working = NULL;
}

void http_handshakes_forget(struct http_handshakes *all, const struct http_handshake *handshake)
{
	if (all->working == handshake)
		http_handshakes_rest(all, handshake);
}

/* --- Going on -------------------------------------------------------------- */

/* Of one that waits for its turn nothing is watched but its end. */
static void look(struct http_handshakes *all, struct http_handshake *handshake)
{
	if (handshake->list != &all->silent) {
		handshake->admitted = handshake->gone = true;
		atomic_fetch_add(&all->counts->left, 1);
	}
	go_on(all, handshake);
}

void http_handshakes_resume(struct http_handshakes *all)
{
	struct epoll_event events[EVENTS];
	int len = epoll_wait(all->epoll_fd, events, EVENTS, 0);

	for (int i = 0; i < len; i++)
		look(all, events[i].data.ptr);
}

static struct http_handshake *next_of(struct http_handshakes *all)
{
	bool full = all->resuming.first == NULL || ++all->turns % FULL_EVERY == 0;

	return full && all->full.first != NULL ? all->full.first : all->resuming.first;
}

void http_handshakes_turn(struct http_handshakes *all)
{
	struct http_handshake *next = next_of(all);
	unsigned left;

	if (next == NULL)
		return;
	left = http_pace_allows(&all->pace, clock_of(CLOCK_MONOTONIC));
	for (; left > 0 && next != NULL; left--) {
		next->admitted = true;
		if (next->line != NULL)
			http_watch_enter(next->line, HTTP_WATCH_CONNECTED);
		go_on(all, next);
		next = next_of(all);
	}
}

int http_handshakes_timeout(const struct http_handshakes *all)
{
	mc_time now, left;

	if (all->full.first == NULL && all->resuming.first == NULL)
		return -1;
	now = clock_of(CLOCK_MONOTONIC);
	left = (http_pace_next(&all->pace, now) - now) / MC_MILLISECOND;
	return left < WAIT_MAX_MS ? (int)left + 1 : WAIT_MAX_MS;
}

static void end_all(struct http_handshakes *all, const struct http_handshake_list *list)
{
	while (list->first != NULL)
		go_on(all, list->first);
}

void http_handshakes_end(struct http_handshakes *all)
{
	all->ended = true;
	end_all(all, &all->silent);
	end_all(all, &all->resuming);
	end_all(all, &all->full);
}
