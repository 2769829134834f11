/* SPDX-License-Identifier: MIT */
/* STATUS as it is shown. */
#include "ctl/answer/overview.h"

#include <stdlib.h>
#include <string.h>

void overview_init(struct overview *overview, struct answer *answer, double time)
{
	overview->time = time;
	overview->answer = *answer;
	overview->records = record_read_all(answer, OVERVIEW_MAX);
	overview->len = answer->len < OVERVIEW_MAX ? answer->len : OVERVIEW_MAX;
	*answer = (struct answer){ 0 };
}

void overview_done(struct overview *overview)
{
	free(overview->records);
	peer_answer_done(&overview->answer);
	*overview = (struct overview){ 0 };
}

const struct record *overview_next(const struct overview *overview, const char *about,
				   const struct record *previous)
{
	size_t i = previous == NULL ? 0 : (size_t)(previous - overview->records) + 1;

	for (; i < overview->len; i++)
		if (strcmp(overview->records[i].about, about) == 0)
			return &overview->records[i];
	return NULL;
}

const struct record *overview_collector(const struct overview *overview)
{
	static const struct record none = { .about = "collector" };
	const struct record *found = overview_next(overview, "collector", NULL);

	return found == NULL ? &none : found;
}

void overview_json(const struct overview *overview, struct mc_json *json, const char *key,
		   const char *about)
{
	const struct record *r = NULL;

	mc_json_list(json, key);
	while ((r = overview_next(overview, about, r)) != NULL) {
		mc_json_map(json, NULL);
		json_record(json, r);
		mc_json_map_end(json);
	}
	mc_json_list_end(json);
}
