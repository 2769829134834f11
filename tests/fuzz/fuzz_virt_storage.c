/* SPDX-License-Identifier: MIT */
/* Any bytes as the kernel's list of mounts: what it has of each is in the text; a path that it has
 * is found, and so is any below it. */
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage.h"
#include "text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct storage_mounts *mounts, const struct storage_mount *mount)
{
	char path[4096], out[MC_STORAGE_SIZE];

	assert(mount->point[0] == '/');
	storage_is_remote(mount);
	storage_local(mount->source, out);
	assert(out[0] == '@' && strcspn(out, " ;\n") == strlen(out));
	storage_shared(mount->type, mount->source, out);
	assert(strlen(out) < sizeof(out) && strcspn(out, " ;\n") == strlen(out));
	if (snprintf(path, sizeof(path), "%s/x", mount->point) < (int)sizeof(path))
		assert(storage_mount_of(mounts, path) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct storage_mounts mounts = { 0 };
	size_t text_size;
	char *text = fuzz_text_after("", data, size, &text_size);

	storage_parse_mounts(&mounts, text);
	for (size_t i = 0; i < mounts.len && i < 64; i++)
		check(&mounts, &mounts.items[i]);
	if (mounts.len == 0)
		assert(storage_mount_of(&mounts, "/x") == NULL);
	storage_free_mounts(&mounts);
	free(text);
	return 0;
}
