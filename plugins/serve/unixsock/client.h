/* SPDX-License-Identifier: MIT */
/* One connection. */
#pragma once

#include <stdbool.h>

#include <collector/kit/lock.h>
#include <collector/kit/stream_server.h>

struct commits;
struct tap;

struct client {
	struct mc_stream_served base;
	struct tap *tap; /* NULL: does not tap. */

	struct commits *commits; /* Whose lock it is; see commits.h. */
	struct client *next_told MC_GUARDED_BY(commits->lock);
	/* Number of commits without a result so far. */
	unsigned commits_len MC_GUARDED_BY(commits->lock);
	/* One of the others is not safe. */
	bool unsafe MC_GUARDED_BY(commits->lock);
	/* Only run() changes these: its replies wait for that, or for an errand. */
	bool waits, has_errand;
};
