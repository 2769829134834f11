/* SPDX-License-Identifier: MIT */
/* collector/private/stream.h - which process counted the values of a host: a guest that moves has
 * the same series, and other counters, as these begin with its QEMU.
 *
 * A stream is a text, "GENERATION UUID HOW HYPERVISOR": the process, whose name no other has; the
 * guest; 'm' if the process was started for a guest that ran in another one before, else '-'; the
 * host that measures it.  It travels as a label
 * of the guest.
 */
#pragma once

#include <collector/judge.h>
#include <collector/label.h>

#pragma GCC visibility push(default)

#define MC_STREAM_LABEL ".stream"
#define MC_STREAM_SIZE MC_LABEL_SIZE

/* The samples of 'host' in this batch are of that stream.  Thread: the one that fills 'batch'. */
void mc_set_stream(struct mc_batch *batch, const char *host, const char *stream);

/* That of the host of the sample with that number, or NULL.  admit_samples(). */
const char *mc_admit_stream(const struct mc_arrivals *arrivals, size_t number);

/* Whether streams end here: values that leave have none from now on, as their counters go on by
 * themselves already, and another collector would add the same once more.  Thread: any. */
void mc_end_streams(struct mc_ctx *ctx, bool end);

#pragma GCC visibility pop
