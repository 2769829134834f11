/* SPDX-License-Identifier: MIT */
/* RRD files that PNP4Nagios has begun with all labels of a service in one (RRD_STORAGE_TYPE
 * SINGLE): for writers that carry them on.
 *
 * HOST/SERVICE.rrd has data sources "1", "2", ...; which of them is which label says
 * HOST/SERVICE.xml beside it.  Facts: process_perfdata.pl of PNP4Nagios 0.6; struct stat_head_t and
 * ds_def_t of rrdtool 1.7, of the same machine.
 */
#pragma once

#include "formats/rrd/path_template.h"
#include "formats/rrd/rrd.h"

#define MC_PNP_SINGLE_WHY 128 /* Of a reason, with '\0'. */

struct mc_pnp_single {
	unsigned sources_len;
	enum mc_kind kinds[MC_SOURCES_MAX];
};

/* Reads the head of an RRD file.  False if it does not have 1 to MC_SOURCES_MAX data sources "1",
 * "2", ... of known kinds.  Pure. */
bool mc_pnp_single_read(const void *head, size_t size, struct mc_pnp_single *);

/* The data source of the label, from 0 on, by the text of the .xml: -1, and 'why', if it has none,
 * or the text is about another number of sources.  Pure. */
int mc_pnp_single_source(const char *xml, unsigned sources_len, const char *label,
			 char why[static MC_PNP_SINGLE_WHY]);

/* Its layout: with 'partial', as if made by 'rules'. */
const struct mc_rrd_layout *mc_pnp_single_layout(struct mc_rrd_layout **list,
						 const struct mc_rrd_rules *,
						 const struct mc_pnp_single *, mc_time interval);

/* --- Values that make an update together ---------------------------------- */

/* Those of one second, of which some may be missing. */
struct mc_pnp_row {
	struct mc_pnp_row *next; /* The caller's, */
	bool listed;             /* the caller's, */
	void *file;              /* the caller's. */
	int64_t second;          /* 0: it has no value. */
	unsigned sources_len;
	union mc_value values[];
};

/* To be freed with free(). */
struct mc_pnp_row *mc_pnp_row_new(const struct mc_pnp_single *, void *file);

/* Adds a value; those of the sources that have none yet are missing. */
void mc_pnp_row_set(struct mc_pnp_row *, const struct mc_rrd_layout *, int64_t second,
		    unsigned source, union mc_value value);
