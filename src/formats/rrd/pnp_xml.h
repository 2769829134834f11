/* SPDX-License-Identifier: MIT */
/* SERVICE.xml, which PNP4Nagios has beside the RRD files of a service: what these are of.
 *
 * Facts: process_perfdata.pl of PNP4Nagios 0.6, data2xml().  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The text between "<NAME>" and "</NAME>" from '*at' on, and moves '*at' past it; NULL: it is not
 * there before 'end'. */
const char *mc_pnp_xml_element(const char **at, const char *end, const char *name, size_t *size);

struct mc_pnp_xml { /* As the monitor has them; "": it does not say. */
	char host[256], service[256];
};
void mc_pnp_xml_read(const char *xml, struct mc_pnp_xml *);

struct mc_pnp_xml_source {
	char label[256], unit[16];
};

/* Takes the next data source from '*at' on; false: there are no more. */
bool mc_pnp_xml_next(const char **at, struct mc_pnp_xml_source *);
