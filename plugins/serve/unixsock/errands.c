/* SPDX-License-Identifier: MIT */
#include "errands.h"

#include <signal.h>
#include <stdlib.h>

int errands_init(struct errands *errands, struct mc_ctx *ctx)
{
	errands->ctx = ctx;
	pthread_mutex_init(&errands->lock, NULL);
	pthread_cond_init(&errands->change, NULL);
	return mc_loop_wakeup_init(&errands->wakeup);
}

void errands_done(struct errands *errands)
{
	mc_loop_wakeup_done(&errands->wakeup);
	pthread_cond_destroy(&errands->change);
	pthread_mutex_destroy(&errands->lock);
}

static struct errand *take_first(struct errands *errands) MC_REQUIRES(errands->lock)
{
	struct errand *errand = errands->first;

	errands->first = errand->next;
	if (errands->first == NULL)
		errands->last = NULL;
	return errand;
}

static void add_run(struct errands *errands, struct errand *errand) MC_REQUIRES(errands->lock)
{
	errand->next = errands->run;
	errands->run = errand;
}

/* NULL: it is the end. */
static struct errand *wait_for_one(struct errands *errands)
{
	struct errand *errand = NULL;

	pthread_mutex_lock(&errands->lock);
	while (errands->first == NULL && !errands->stopping)
		pthread_cond_wait(&errands->change, &errands->lock);
	if (!errands->stopping)
		errand = take_first(errands);
	pthread_mutex_unlock(&errands->lock);
	return errand;
}

static void *run_all(void *argument)
{
	struct errands *errands = argument;
	struct errand *errand;

	while ((errand = wait_for_one(errands)) != NULL) {
		errand->run(errand, errands->ctx);
		pthread_mutex_lock(&errands->lock);
		add_run(errands, errand);
		pthread_mutex_unlock(&errands->lock);
		mc_loop_wake(&errands->wakeup);
	}
	return NULL;
}

/* Signals are for the daemon's main thread. */
static bool start(struct errands *errands)
{
	sigset_t all, before;

	if (errands->threaded)
		return true;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	errands->threaded = pthread_create(&errands->thread, NULL, run_all, errands) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return errands->threaded;
}

bool errands_add(struct errands *errands, struct errand *errand, struct client *client)
{
	if (!start(errands)) {
		free(errand);
		return false;
	}
	errand->client = client;
	errand->next = NULL;
	pthread_mutex_lock(&errands->lock);
	if (errands->last != NULL)
		errands->last->next = errand;
	else
		errands->first = errand;
	errands->last = errand;
	pthread_cond_signal(&errands->change);
	pthread_mutex_unlock(&errands->lock);
	return true;
}

struct errand *errands_next(struct errands *errands)
{
	struct errand *errand;

	pthread_mutex_lock(&errands->lock);
	errand = errands->run;
	if (errand != NULL)
		errands->run = errand->next;
	pthread_mutex_unlock(&errands->lock);
	return errand;
}

void errands_stop(struct errands *errands)
{
	pthread_mutex_lock(&errands->lock);
	errands->stopping = true;
	pthread_cond_signal(&errands->change);
	pthread_mutex_unlock(&errands->lock);
	if (errands->threaded)
		pthread_join(errands->thread, NULL);
	errands->threaded = false;
	pthread_mutex_lock(&errands->lock);
	while (errands->first != NULL)
		add_run(errands, take_first(errands));
	pthread_mutex_unlock(&errands->lock);
}
