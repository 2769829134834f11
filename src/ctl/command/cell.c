/* SPDX-License-Identifier: MIT */
#include "ctl/command/cell.h"

#include "ctl/ctl.h"
#include "ctl/print/human.h"

void cell_count(struct table *table, const struct record *record, const char *key)
{
	table_cell(table, "%s", human_count(record_number(record, key)).text);
}

void cell_duration(struct table *table, const struct record *record, const char *key)
{
	table_cell(table, "%s", human_seconds(record_number(record, key) * CTL_NS).text);
}

void cell_queue(struct table *table, const struct record *writer)
{
	if (record_number(writer, "queued_journal") > 0) {
		table_cell(table, "journal");
		return;
	}
	table_cell(table, "%s",
		   human_share(record_number(writer, "queued_bytes") /
			       record_number(writer, "limit_bytes"))
			   .text);
}
