/* SPDX-License-Identifier: MIT */
/* Signs of life; the protocol is that of sd_watchdog_enabled(3). */
#include "daemon/process/watchdog.h"

#include "base/clock.h"
#include "base/thread.h"

bool watchdog_sees_progress(struct watchdog *watchdog, mc_time now)
{
	uint64_t steps = watchdog->turns + engine_steps(watchdog->engine);

	if (watchdog->resting || steps != watchdog->steps) {
		watchdog->steps = steps;
		watchdog->stepped = now;
	}
	return now - watchdog->stepped < WATCHDOG_PATIENCE;
}

static void *watchdog_main(void *argument)
{
	struct watchdog *watchdog = argument;
	mc_time now = thread_time(), due = now;

	watchdog->stepped = now;
	pthread_mutex_lock(&watchdog->lock);
	do {
		pthread_mutex_unlock(&watchdog->lock);
		if (watchdog_sees_progress(watchdog, thread_time()) &&
		    engine_alive(watchdog->engine))
			systemd_say(watchdog->systemd, "WATCHDOG=1");
		due += watchdog->systemd->watchdog;
		pthread_mutex_lock(&watchdog->lock);
		while (!watchdog->ends && thread_wait(&watchdog->ending, &watchdog->lock, due))
			;
	} while (!watchdog->ends);
	pthread_mutex_unlock(&watchdog->lock);
	return NULL;
}

int watchdog_start(struct watchdog *watchdog, struct systemd *systemd, struct engine *engine)
{
	int rc;

	*watchdog = (struct watchdog){ .systemd = systemd, .engine = engine };
	if (systemd->fd < 0 || systemd->watchdog == 0)
		return 0;
	pthread_mutex_init(&watchdog->lock, NULL);
	clock_cond_init(&watchdog->ending);
	rc = thread_start(&watchdog->thread, "watchdog", watchdog_main, watchdog);
	watchdog->started = rc == 0;
	return rc;
}

void watchdog_stop(struct watchdog *watchdog)
{
	if (!watchdog->started)
		return;
	pthread_mutex_lock(&watchdog->lock);
	watchdog->ends = true;
	pthread_cond_signal(&watchdog->ending);
	pthread_mutex_unlock(&watchdog->lock);
	pthread_join(watchdog->thread, NULL);
	pthread_cond_destroy(&watchdog->ending);
	pthread_mutex_destroy(&watchdog->lock);
	watchdog->started = false;
}

void watchdog_turn(struct watchdog *watchdog, bool resting)
{
	watchdog->turns++;
	watchdog->resting = resting;
}
