/* SPDX-License-Identifier: MIT */
/* STATUS, EXPLAIN and ALERTS: what the collector says about itself.  Only run(). */
#pragma once

#include <collector/serve.h>

#include "errands.h"
#include "reply.h"

/* Lines "collector ...", "reader ...", "writer ...". */
void report_status(struct mc_ctx *, struct mc_buffer *);

/* Lines "series ...", "type ...", "source ...", "label ...", "judge ...", "destination ...",
 * and with 'asks_writers' "keeper ...", for which files are read. */
struct errand *report_series(const struct mc_name_parts *, bool asks_writers);

/* Lines "alert ...". */
void report_alerts(struct mc_ctx *, struct mc_buffer *);
void report_past_alerts(struct mc_ctx *, struct mc_buffer *);
void report_silences(struct mc_ctx *, struct mc_buffer *);
