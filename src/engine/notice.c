/* SPDX-License-Identifier: MIT */
/* Notices go to every instance that wants them, each through its own lane. */
#include "engine/notice.h"

#include <errno.h>

#include "base/clock.h"
#include "engine/house.h"
#include "engine/writer_house.h"

/* After this a writer is offered again what it could not take.  It knows itself
 * when to try, so this is short. */
#define AGAIN (MC_SECOND / 2)

void notice_put(struct writer *writer, const struct mc_notice *notice)
{
	struct lane_item *item;

	if (!writer->subscribed || writer->instance->plugin->notify == NULL)
		return;
	item = lane_item_new(notice);
	pthread_mutex_lock(&writer->lock);
	if (writer->done) {
		writer->ledger.lost_notices++;
		lane_item_free(item);
	} else {
		writer->ledger.lost_notices += lane_push(&writer->lane, item);
		writer_rouse(writer, WRITER_NOTICE);
	}
	pthread_mutex_unlock(&writer->lock);
}

bool notice_is_due(const struct writer *writer)
{
	return lane_due(&writer->lane) <= clock_now();
}

/* Needs the lock.  What became of the notices that were taken. */
static void settle(struct writer *writer, int rc)
{
	uint64_t len = lane_settle(&writer->lane, rc == -EAGAIN);

	if (rc == -EAGAIN)
		writer->lane.due =
			writer->stopping ? CLOCK_NEVER : clock_now() + AGAIN;
	else if (rc < 0)
		writer->ledger.lost_notices += len;
}

void notice_hand_out(struct writer *writer)
{
	struct instance *instance = writer->instance;
	const struct mc_notice *notice;
	int rc;

	pthread_mutex_lock(&writer->lock);
	notice = lane_take(&writer->lane);
	pthread_mutex_unlock(&writer->lock);
	if (notice == NULL)
		return;
	/* It may fail while write() does not, or the other way. */
	writer->telling = true;
	rc = instance->plugin->notify(&instance->ctx, notice);
	writer->telling = false;
	complaint_judge(&writer->notices_complaint, instance->name, rc);
	pthread_mutex_lock(&writer->lock);
	settle(writer, rc);
	pthread_mutex_unlock(&writer->lock);
}

void notice_hand_out_rest(struct writer *writer)
{
	bool more = true;

	while (more && !writer_is_out_of_time(writer)) {
		notice_hand_out(writer);
		pthread_mutex_lock(&writer->lock);
		more = notice_is_due(writer);
		pthread_mutex_unlock(&writer->lock);
	}
}

void notice_wait(struct writer *writer, mc_time until)
{
	mc_time due = lane_due(&writer->lane);

	if (notice_is_due(writer)) {
		pthread_mutex_unlock(&writer->lock);
		notice_hand_out(writer);
		pthread_mutex_lock(&writer->lock);
		return;
	}
	writer->holding = true;
	clock_wait(&writer->change, &writer->lock, due < until ? due : until);
	writer->holding = false;
}

void notice_send(struct engine *engine, const struct mc_notice *notice)
{
	struct mc_notice full = *notice;
	struct roster_visit visit;

	if (full.time == 0)
		full.time = clock_wall();
	if (full.id.host == NULL)
		full.id.host = engine->host;
	engine->notices++;
	visit = roster_enter(engine);
	for (unsigned i = 0; i < visit.roster->writers_len; i++)
		notice_put(visit.roster->writers[i], &full);
	roster_leave(engine, visit);
}

/* --- The door --------------------------------------------------------- */

void mc_notify(struct mc_ctx *ctx, const struct mc_notice *notice)
{
	struct instance *instance = instance_of(ctx);
	struct mc_notice full = *notice;

	if (full.id.plugin == NULL && full.id.host == NULL)
		full.id.plugin = instance->plugin->name;
	notice_send(instance->engine, &full);
}

const struct mc_notice *mc_next_notice(struct mc_ctx *ctx)
{
	struct writer *writer = instance_of(ctx)->writer;
	const struct mc_notice *notice;

	pthread_mutex_lock(&writer->lock);
	notice = lane_take(&writer->lane);
	pthread_mutex_unlock(&writer->lock);
	return notice;
}
