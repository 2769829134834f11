/* SPDX-License-Identifier: MIT */
/* Requests to a device: as many at a time as it may have, repeated when their
 * answer does not come, each time after twice as long. */
#pragma once

#include "device.h"

/* Sends what waits, as long as there is room. */
void requests_send(struct device *);

/* Asks for sysUpTime, to see whether the device lives.  False: cannot. */
bool requests_probe(struct device *);

/* When the first answer is to be there; INT64_MAX: none is waited for. */
mc_time requests_due(const struct device *);

/* Tasks of the pass are not waited for any more; NULL: of any.  With the
 * session closed, nothing is. */
void requests_forget(struct device *, const struct pass *);
void requests_reset(struct device *);

/* Counts an answer to nothing; for session_settings.stray. */
int requests_stray(int operation, netsnmp_session *, int id, netsnmp_pdu *, void *device);
