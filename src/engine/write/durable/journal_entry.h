/* SPDX-License-Identifier: MIT */
/* A batch as it lies in the journal: an OTLP metrics request. */
#pragma once

#include <collector/private/otlp.h>

#include "model/batch.h"

/* Puts the samples of a record into a batch that was just begun; what they belong to is made where
 * it is new, and labels of hosts are recalled.  Rates are those that they had; in records of a
 * version that did not keep them only those of gauges are known.  False if it cannot be read. */
bool journal_entry_read(struct mc_batch *, const void *bytes, size_t size);
