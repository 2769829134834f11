/* SPDX-License-Identifier: MIT */
/* Facts: libcurl-multi(3), CURLMOPT_SOCKETFUNCTION(3), CURLMOPT_TIMERFUNCTION(3). */
#include "kit/net/http_client/transfers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/writer.h>

#define LOOK_INTERVAL MC_SECOND       /* Between two looks whether to go on waiting. */
#define STOP_PATIENCE (2 * MC_SECOND) /* For an answer after that. */

struct watched { /* A socket of libcurl. */
	struct mc_transfers *transfers;
	struct mc_loop_file file;
};

static struct mc_transfer *transfer_of(CURL *curl)
{
	struct mc_transfer *transfer = NULL;

	curl_easy_getinfo(curl, CURLINFO_PRIVATE, (char **)&transfer);
	return transfer;
}

/* --- Ends ----------------------------------------------------------------- */

void mc_transfers_stop(struct mc_transfer *transfer)
{
	if (!transfer->running)
		return;
	transfer->running = false;
	mc_loop_unset_timer(transfer->transfers->loop, &transfer->timer);
	curl_multi_remove_handle(transfer->transfers->multi, transfer->curl);
}

static void end(struct mc_transfer *transfer, CURLcode result)
{
	if (transfer->given_up != CURLE_OK && result != CURLE_OK) {
		transfer->error[0] = '\0'; /* "Callback aborted". */
		result = transfer->given_up;
	}
	mc_transfers_stop(transfer);
	if (transfer->transfers->giving_up == transfer)
		transfer->transfers->giving_up = NULL;
	transfer->ended(transfer->argument, result);
}

/* Has libcurl do what is due, and ends what has ended thereby. */
static void go_on(struct mc_transfers *transfers, curl_socket_t fd, int mask)
{
	struct CURLMsg *message;
	int unused;

	curl_multi_socket_action(transfers->multi, fd, mask, &unused);
	while ((message = curl_multi_info_read(transfers->multi, &unused)) != NULL) {
		if (message->msg == CURLMSG_DONE)
			end(transfer_of(message->easy_handle), message->data.result);
	}
}

/* Ends it by what libcurl calls: a mail that is only removed is ended by a line with a dot, as if
 * it were whole, and libcurl waits for the reply. */
static void give_up(struct mc_transfer *transfer, CURLcode why)
{
	struct mc_transfers *transfers = transfer->transfers;

	transfer->given_up = why;
	transfers->giving_up = transfer;
	if (transfer->socket != CURL_SOCKET_BAD)
		go_on(transfers, transfer->socket, 0);
	if (transfers->giving_up == transfer) /* There is no connection. */
		end(transfer, why);
}

static void on_deadline(void *argument)
{
	give_up(argument, CURLE_OPERATION_TIMEDOUT);
}

/* --- What the loop calls -------------------------------------------------- */

static void on_socket(void *argument, uint32_t events)
{
	struct watched *watched = argument;
	int mask = 0;

	if (events & (EPOLLIN | EPOLLHUP))
		mask |= CURL_CSELECT_IN;
	if (events & EPOLLOUT)
		mask |= CURL_CSELECT_OUT;
	if (events & EPOLLERR)
		mask |= CURL_CSELECT_ERR;
	go_on(watched->transfers, watched->file.fd, mask);
}

static void on_timer(void *argument)
{
	go_on(argument, CURL_SOCKET_TIMEOUT, 0);
}

/* --- What libcurl calls --------------------------------------------------- */

/* 'socket' is what was assigned to it, NULL at first.  One that cannot be watched costs its
 * transfer the time limit. */
static int watch_socket(CURL *curl, curl_socket_t fd, int what, void *argument, void *socket)
{
	struct mc_transfers *transfers = argument;
	struct mc_transfer *transfer = transfer_of(curl);
	struct watched *watched = socket;
	uint32_t events = 0;

	if (transfer != NULL)
		transfer->socket = what == CURL_POLL_REMOVE ? CURL_SOCKET_BAD : fd;
	if (what == CURL_POLL_REMOVE) {
		if (watched != NULL)
			mc_loop_forget(transfers->loop, &watched->file);
		free(watched);
		return 0;
	}
	if (watched == NULL) {
		watched = mc_alloc_zero(sizeof(*watched));
		watched->transfers = transfers;
		watched->file =
			(struct mc_loop_file){ .fd = fd, .ready = on_socket, .argument = watched };
		curl_multi_assign(transfers->multi, fd, watched);
	}
	if (what & CURL_POLL_IN)
		events |= EPOLLIN;
	if (what & CURL_POLL_OUT)
		events |= EPOLLOUT;
	mc_loop_watch(transfers->loop, &watched->file, events);
	return 0;
}

/* Whether the instance must stop, and its patience is over. */
static bool wait_is_over(struct mc_transfers *transfers, mc_time now)
{
	if (transfers->is_wanted != NULL && !transfers->is_wanted(transfers->wanted_argument))
		return true;
	if (transfers->stopped == 0 && mc_stopping(transfers->loop->ctx))
		transfers->stopped = now;
	return transfers->stopped != 0 && now - transfers->stopped >= STOP_PATIENCE;
}

/* Ends a transfer that is given up; also where libcurl waits by itself, once a second, as for the
 * reply to a mail. */
static int look_at(void *argument, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	struct mc_transfer *transfer = argument;
	mc_time now = mc_now();

	(void)a, (void)b, (void)c, (void)d;
	if (transfer->timeout > 0 && now >= transfer->timer.due)
		transfer->given_up = CURLE_OPERATION_TIMEDOUT;
	else if (transfer->transfers->waits && wait_is_over(transfer->transfers, now))
		transfer->given_up = CURLE_ABORTED_BY_CALLBACK;
	return transfer->given_up != CURLE_OK;
}

static int set_timer(CURLM *multi, long timeout_ms, void *argument)
{
	struct mc_transfers *transfers = argument;

	(void)multi;
	if (timeout_ms < 0)
		mc_loop_unset_timer(transfers->loop, &transfers->timer);
	else
		mc_loop_set_timer(transfers->loop, &transfers->timer,
				  mc_now() + timeout_ms * MC_MILLISECOND);
	return 0;
}

/* --- Life ----------------------------------------------------------------- */

int mc_transfers_init(struct mc_transfers *transfers, struct mc_loop *loop, size_t connections_max)
{
	CURLM *multi = curl_multi_init();

	*transfers = (struct mc_transfers){ .loop = loop, .multi = multi };
	if (multi == NULL)
		return mc_fail(loop->ctx, ENOMEM, "cannot set libcurl up");
	transfers->timer = (struct mc_loop_timer){ .expired = on_timer, .argument = transfers };
	curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
	curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, transfers);
	curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl_multi_setopt(multi, CURLMOPT_TIMERDATA, transfers);
	curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)connections_max);
	return 0;
}

void mc_transfers_done(struct mc_transfers *transfers)
{
	if (transfers->multi == NULL)
		return;
	curl_multi_cleanup(transfers->multi);
	mc_loop_unset_timer(transfers->loop, &transfers->timer);
	transfers->multi = NULL;
}

void mc_transfers_begin(struct mc_transfers *transfers, struct mc_transfer *transfer,
			mc_time timeout)
{
	CURL *curl = transfer->curl;

	transfer->transfers = transfers;
	transfer->timeout = timeout;
	transfer->timer.expired = on_deadline;
	transfer->timer.argument = transfer;
	transfer->running = true;
	transfer->socket = CURL_SOCKET_BAD;
	transfer->given_up = CURLE_OK;
	transfer->error[0] = '\0';
	curl_easy_setopt(curl, CURLOPT_PRIVATE, transfer);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transfer->error);
	curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
	curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, look_at);
	curl_easy_setopt(curl, CURLOPT_XFERINFODATA, transfer);
	if (timeout > 0)
		mc_loop_set_timer(transfers->loop, &transfer->timer, mc_now() + timeout);
	curl_multi_add_handle(transfers->multi, curl);
}

/* --- Waiting -------------------------------------------------------------- */

struct waiting {
	struct mc_transfers *transfers;
	struct mc_transfer *const *list;
	size_t len;
};

static void end_wait(void *argument, CURLcode result)
{
	struct mc_transfer *transfer = argument;

	transfer->result = result;
}

static void look_for_stop(void *argument)
{
	const struct waiting *waiting = argument;
	struct mc_transfers *transfers = waiting->transfers;
	mc_time now = mc_now();

	if (!wait_is_over(transfers, now)) {
		mc_loop_set_timer(transfers->loop, &transfers->look, now + LOOK_INTERVAL);
		return;
	}
	for (size_t i = 0; i < waiting->len; i++)
		if (waiting->list[i]->running)
			give_up(waiting->list[i], CURLE_ABORTED_BY_CALLBACK);
}

static bool any_runs(const struct waiting *waiting)
{
	for (size_t i = 0; i < waiting->len; i++)
		if (waiting->list[i]->running)
			return true;
	return false;
}

static void begin_waiting(struct mc_transfers *transfers, struct mc_transfer *transfer,
			  mc_time timeout)
{
	transfer->result = CURLE_OUT_OF_MEMORY;
	if (transfers->multi == NULL || transfer->curl == NULL)
		return;
	transfer->result = CURLE_FAILED_INIT;
	transfer->ended = end_wait;
	transfer->argument = transfer;
	mc_transfers_begin(transfers, transfer, timeout);
}

void mc_transfers_wait_all(struct mc_transfers *transfers, struct mc_transfer *const *list,
			   size_t len, mc_time timeout)
{
	struct waiting waiting = { transfers, list, len };

	transfers->waits = true;
	transfers->look = (struct mc_loop_timer){ .expired = look_for_stop, .argument = &waiting };
	mc_loop_set_timer(transfers->loop, &transfers->look, mc_now());
	for (size_t i = 0; i < len; i++)
		begin_waiting(transfers, list[i], timeout);
	while (any_runs(&waiting) && mc_loop_round(transfers->loop, INT64_MAX) == 0)
		;
	mc_loop_unset_timer(transfers->loop, &transfers->look);
	for (size_t i = 0; i < len; i++)
		mc_transfers_stop(list[i]); /* The loop has failed. */
}

CURLcode mc_transfers_wait(struct mc_transfers *transfers, struct mc_transfer *transfer,
			   mc_time timeout)
{
	mc_transfers_wait_all(transfers, &transfer, 1, timeout);
	return transfer->result;
}

/* --- Reasons -------------------------------------------------------------- */

/* Takes " after 12 ms" and " after 12 milliseconds" out. */
static void strip_durations(char *reason)
{
	static const char *const units[] = { " milliseconds", " ms" };
	static const char after[] = " after ";
	char *start = reason, *end;

	while ((start = strstr(start, after)) != NULL) {
		end = start + sizeof(after) - 1;
		end += strspn(end, "0123456789");
		for (size_t i = 0; i < 2 && end > start; i++) {
			size_t size = strlen(units[i]);

			if (strncmp(end, units[i], size) != 0)
				continue;
			memmove(start, end + size, strlen(end + size) + 1);
			end = start;
		}
		start = end;
	}
}

void mc_transfers_why(const struct mc_transfer *transfer, CURLcode result, char *out, size_t size)
{
	const char *words = transfer->error;
	long errnum = 0;

	if (transfer->given_up == CURLE_OPERATION_TIMEDOUT) {
		snprintf(out, size, "no whole answer within %g s",
			 (double)transfer->timeout / MC_SECOND);
		return;
	}
	if (transfer->given_up == CURLE_ABORTED_BY_CALLBACK) {
		snprintf(out, size, "aborted: the collector stops");
		return;
	}
	if (curl_easy_getinfo(transfer->curl, CURLINFO_OS_ERRNO, &errnum) != CURLE_OK ||
	    result != CURLE_COULDNT_CONNECT || errnum == EINPROGRESS)
		errnum = 0;
	snprintf(out, size, "%.90s%s%.30s", words[0] != '\0' ? words : curl_easy_strerror(result),
		 errnum != 0 ? ": " : "", errnum != 0 ? strerror((int)errnum) : "");
	strip_durations(out);
}
