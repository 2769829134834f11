/* SPDX-License-Identifier: MIT */
/* The bodies of records of families and of sets of labels: see catalogue_record.h.  Pure functions.
 */
#pragma once

#include "formats/catalogue/catalogue_record.h"

/* Writes the body of a family, of which 'metric' has the name, scope, kind, help, and whether it is
 * a delta; 'scope_labels' is the number of the labels of its scope.  Returns its size. */
#define CATALOGUE_PART_FAMILY_MAX (6 + 3 * MC_METRIC_NAME_SIZE + MC_METRIC_HELP_SIZE)
size_t catalogue_part_write_family(uint8_t out[CATALOGUE_PART_FAMILY_MAX],
				   const struct mc_metric *metric, uint32_t scope_labels);

/* The reverse; texts point into 'body'; 'help' is NULL if the body, of an earlier version, has
 * none. False if it is not one. */
bool catalogue_part_read_family(const uint8_t *body, size_t size, struct mc_metric *metric,
				uint32_t *scope_labels);

/* Writes the body of a set of labels; returns its size, 0 if it would need more than UINT16_MAX. */
size_t catalogue_part_write_labels(uint8_t out[UINT16_MAX], const struct mc_metric_labels *);

/* The reverse; texts and encoded values point into 'body'.  False if it is not one. */
bool catalogue_part_read_labels(const uint8_t *body, size_t size,
				struct mc_metric_label items[MC_METRIC_LABELS_MAX], size_t *len);
