/* SPDX-License-Identifier: MIT */
#include "joined.h"

void joined_add(struct file *file, struct file *whole, const struct mc_pnp_place *place)
{
	if (whole->row == NULL)
		whole->row = mc_pnp_row_new(&place->file, whole);
	if (whole->row->sources_len != place->file.sources_len || file->whole != NULL)
		return;
	whole->users++;
	file->whole = whole;
	file->source = place->source;
}

void joined_reset(struct joined *joined)
{
	for (; joined->rows != NULL; joined->rows = joined->rows->next) {
		joined->rows->listed = false;
		joined->rows->second = 0;
	}
}

static bool end_row(const struct joined *joined, struct mc_pnp_row *row)
{
	if (row->second != 0 && !joined->put(joined->argument, row->file, row->second, row->values))
		return false;
	row->second = 0;
	return true;
}

bool joined_value(struct joined *joined, struct file *file, int64_t second, union mc_value value)
{
	struct file *whole = file->whole;
	struct mc_pnp_row *row = whole->row;

	if (row->second != 0 && second > row->second && !end_row(joined, row))
		return false;
	if (second <= whole->second || second < row->second) {
		/* One that has come before counts as written, or as late if it
		 * was: its batch may be offered again. */
		joined->late += second > file->second;
		if (second > file->second)
			file->second = second;
		return true;
	}
	file->second = second;
	if (!row->listed) {
		row->next = joined->rows;
		joined->rows = row;
		row->listed = true;
	}
	mc_pnp_row_set(row, whole->layout, second, file->source, value);
	return true;
}

bool joined_end(struct joined *joined)
{
	for (; joined->rows != NULL; joined->rows = joined->rows->next) {
		if (!end_row(joined, joined->rows))
			return false;
		joined->rows->listed = false;
	}
	return true;
}
