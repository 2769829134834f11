/* SPDX-License-Identifier: MIT */
/* top: what the collector costs, live.  On a terminal until 'q'; anywhere else one frame. */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl/answer/busy.h"
#include "ctl/answer/overview.h"
#include "ctl/answer/stream.h"
#include "ctl/command/frame.h"
#include "ctl/ctl.h"
#include "ctl/print/term.h"

#define EVENTS_MAX 10000 /* Lines of the stream before keys are read. */
#define HISTORY 64       /* Overviews kept. */
#define WINDOW_MAX 60.0  /* Seconds that rates are an average of. */
#define ONCE_MAX 10.0    /* Seconds that a single frame waits for. */

struct top {
	const struct ctl *ctl;
	struct stream stream;
	struct overview history[HISTORY]; /* Oldest first. */
	size_t history_len;
	struct busy busy;
	struct frame frame;
	double next; /* When the next overview is due: monotonic seconds. */
	bool ended;  /* The stream has, with this of stream_next(): */
	int end;
};

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The longest interval at which anything is read: figures per second are averages over that, or
 * plugins would jump between nothing and too much. */
static double longest_interval(const struct overview *overview)
{
	const struct record *r = NULL;
	double longest = 0;

	while ((r = overview_next(overview, "reader", r)) != NULL)
		if (record_number(r, "reads") > 0)
			longest = fmax(longest, record_number(r, "interval"));
	return fmin(longest, WINDOW_MAX);
}

/* Chooses what the newest overview is compared with. */
static void choose_window(struct top *top)
{
	static const struct overview none;
	size_t newest = top->history_len - 1, i = newest;
	const struct overview *now = &top->history[newest];
	double window = 0.95 * longest_interval(now);

	while (i > 0 && (i == newest || now->time - top->history[i].time < window))
		i--;
	top->frame.now = now;
	top->frame.before = i == newest ? &none : &top->history[i];
}

/* Asks for a new overview; CTL_OK or an exit code. */
static int refresh(struct top *top)
{
	struct answer answer;
	int status = ctl_ask_on(top->ctl, &top->stream.ask, "STATUS", &answer);

	if (status != CTL_OK)
		return status;
	if (top->history_len == HISTORY) {
		overview_done(&top->history[0]);
		memmove(top->history, top->history + 1, (HISTORY - 1) * sizeof(*top->history));
		top->history_len--;
	}
	overview_init(&top->history[top->history_len++], &answer, seconds_of(CLOCK_REALTIME));
	choose_window(top);
	top->next = seconds_of(CLOCK_MONOTONIC) + (top->ctl->delay > 0 ? top->ctl->delay : 1);
	return CTL_OK;
}

/* The figures of the plugin virt about libvirtd: CPU seconds of one interval.  They are whole
 * ticks, so only their sum is meaningful. */
static void note_induced(struct top *top, const struct stream_event *event)
{
	if (strcmp(event->type->name, "virt_induced_cpu") != 0)
		return;
	top->frame.induced += event->values[0].gauge;
	top->frame.induced_time += (double)event->stamp.interval / 1e9;
}

/* Takes in what the stream has, for as long as it has some. */
static void take_events(struct top *top)
{
	struct stream_event event;
	int status = 0;

	for (int i = 0; i < EVENTS_MAX; i++) {
		status = stream_next(&top->stream, 0, &event);
		if (status <= 0)
			break;
		if (event.kind == STREAM_SAMPLE) {
			busy_add(&top->busy, &event);
			note_induced(top, &event);
		} else if (event.kind == STREAM_LOST)
			top->frame.lost += event.lost;
	}
	if (status <= 0 && status != -ETIMEDOUT && status != -EINTR) {
		top->ended = true;
		top->end = status;
	}
}

/* Waits for keys and samples until the next overview is due. */
static void wait_for_more(struct top *top, const struct term *term)
{
	double left = top->next - seconds_of(CLOCK_MONOTONIC);
	struct pollfd ready[1 + TERM_FDS] = { { .fd = top->stream.tap.fd, .events = POLLIN } };
	nfds_t len = 1;

	if (term != NULL) {
		int fds[TERM_FDS];

		term_fds(term, fds);
		for (; len <= TERM_FDS; len++)
			ready[len] = (struct pollfd){ .fd = fds[len - 1], .events = POLLIN };
	}
	poll(ready, len, (int)ceil(fmax(left, 0) * 1000));
	if (ready[0].revents != 0)
		take_events(top);
}

static void paint(struct top *top, const struct term *term)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		abort();
	top->frame.width = term->width;
	top->frame.height = term->height;
	frame_print(&top->frame, out);
	fclose(out);
	term_paint(term, text);
	free(text);
}

/* Returns false for those that end it. */
static bool press(struct top *top, int key)
{
	struct frame *frame = &top->frame;

	switch (key) {
	case 'q':
	case 'Q':
	case '\033':
	case TERM_QUIT:
		return false;
	case 'c':
		frame->order = FRAME_BY_CPU;
		break;
	case 'v':
		frame->order = FRAME_BY_VALUES;
		break;
	case 'n':
		frame->order = FRAME_BY_NAME;
		break;
	case 'r':
		frame->series_order = BUSY_BY_VALUE;
		break;
	case 'g':
		frame->series_order = BUSY_GUESTS;
		break;
	case 'x':
		frame->series_order = BUSY_BY_CHANGE;
		break;
	case 'N':
		frame->series_order = BUSY_STEAL;
		break;
	case 'u':
		frame->series_order = BUSY_BY_UPDATES;
		break;
	case 's':
		frame->series_order = BUSY_BY_NAME;
		break;
	}
	return true;
}

/* CTL_OK after 'q', or an exit code. */
static int run_live(struct top *top)
{
	struct term term;
	int status = term_open(&term);

	if (status < 0)
		return ctl_failed("cannot use the terminal: %s", strerror(-status));
	status = CTL_OK;
	paint(top, &term);
	while (!top->ended) {
		bool changed = false;
		int key;

		wait_for_more(top, &term);
		while ((key = term_key(&term)) != TERM_NO_KEY) {
			if (!press(top, key))
				goto out;
			changed = true;
		}
		if (seconds_of(CLOCK_MONOTONIC) >= top->next) {
			status = refresh(top);
			if (status != CTL_OK)
				break;
			changed = true;
		}
		if (changed)
			paint(top, &term);
	}
out:
	term_close(&term);
	if (top->ended)
		status = stream_lost(&top->stream, top->ctl, top->end);
	return status;
}

/* One frame, of what happens within one delay; unless that is given, every
 * plugin should have been read. */
static int run_once(struct top *top)
{
	double longest = longest_interval(top->frame.now);
	int status;

	if (top->ctl->delay == 0 && longest > 1)
		top->next += fmin(longest, ONCE_MAX) - 1;
	while (!top->ended && seconds_of(CLOCK_MONOTONIC) < top->next)
		wait_for_more(top, NULL);
	if (top->ended)
		return stream_lost(&top->stream, top->ctl, top->end);
	status = refresh(top);
	if (status != CTL_OK)
		return status;
	if (top->ctl->json)
		frame_json(&top->frame, stdout);
	else
		frame_print(&top->frame, stdout);
	return CTL_OK;
}

static bool find_order(const char *name, enum busy_order *order)
{
	for (int i = 0; i < BUSY_ORDERS; i++)
		if (strcmp(busy_order_names[i], name) == 0) {
			*order = i;
			return true;
		}
	return false;
}

int top_run(const struct ctl *ctl, int argc, char **argv)
{
	struct top top = { .ctl = ctl };
	bool live = !ctl->json && term_usable();
	enum busy_order order = BUSY_BY_CHANGE;
	int status;

	if (ctl->order != NULL && !find_order(ctl->order, &order))
		return ctl_usage("invalid order '%s': value, change, updates, "
				 "name, guests or steal",
				 ctl->order);
	status = stream_open(&top.stream, ctl, argc > 1 ? argv[1] : NULL);

	if (status != CTL_OK)
		return status;
	busy_init(&top.busy);
	top.frame = (struct frame){
		.ctl = ctl, .busy = &top.busy, .keys = live, .series_order = order
	};
	status = refresh(&top);
	if (status == CTL_OK)
		status = live ? run_live(&top) : run_once(&top);
	for (size_t i = 0; i < top.history_len; i++)
		overview_done(&top.history[i]);
	busy_done(&top.busy);
	stream_close(&top.stream);
	return status;
}
