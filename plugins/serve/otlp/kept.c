/* SPDX-License-Identifier: MIT */
#include "kept.h"

#include <errno.h>
#include <stdlib.h>

#include <collector/kit/state_file.h>

void kept_init(struct kept *kept, const struct kept_kind *kind)
{
	*kept = (struct kept){ .kind = kind };
	pthread_mutex_init(&kept->lock, NULL);
}

void kept_done(struct kept *kept) MC_NO_LOCK
{
	mc_lru_free(&kept->entries);
	pthread_mutex_destroy(&kept->lock);
}

bool kept_changed(struct kept *kept)
{
	bool changed;

	pthread_mutex_lock(&kept->lock);
	changed = kept->changed;
	pthread_mutex_unlock(&kept->lock);
	return changed;
}

static void set_changed(struct kept *kept)
{
	pthread_mutex_lock(&kept->lock);
	kept->changed = true;
	pthread_mutex_unlock(&kept->lock);
}

int kept_load(struct kept *kept, const char *path)
{
	FILE *file = fopen(path, "re");

	if (file == NULL)
		return errno == ENOENT ? 0 : -errno;
	pthread_mutex_lock(&kept->lock);
	kept->kind->read(kept, file);
	kept->changed = false;
	pthread_mutex_unlock(&kept->lock);
	fclose(file);
	return 0;
}

/* The oldest first: so they are again when it is read. */
static char *make_lines(struct kept *kept, size_t *size) MC_REQUIRES(kept->lock)
{
	mc_time epoch = mc_wall() - mc_now();
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	if (file == NULL)
		return NULL;
	for (struct mc_lru_node *n = kept->entries.oldest; n != NULL; n = n->newer)
		kept->kind->write(n, epoch, file);
	if (fclose(file) == 0)
		return text;
	free(text);
	return NULL;
}

int kept_save(struct kept *kept, const char *path)
{
	struct mc_buffer text = { 0 };
	int rc = -ENOMEM;

	pthread_mutex_lock(&kept->lock);
	text.at = make_lines(kept, &text.size);
	kept->changed = false;
	pthread_mutex_unlock(&kept->lock);
	if (text.at != NULL)
		rc = mc_state_file_replace(path, &text);
	mc_buffer_free(&text);
	if (rc < 0)
		set_changed(kept);
	return rc;
}
