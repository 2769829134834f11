/* SPDX-License-Identifier: MIT */
#include "kit/series/rrd_maker.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#define PIECE 4096

static const int64_t first_second = INT64_C(315619200); /* RRD files begin after 1980. */

/* All bytes of a file of the layout. */
static void fill(struct mc_rrd_maker *maker, const struct mc_rrd_layout *layout,
		 const struct mc_rrd_image *image)
{
	if (maker->layout == layout)
		return; /* The head comes with each file. */
	if (maker->room < image->size) {
		free(maker->bytes);
		maker->bytes = mc_alloc(image->size);
		maker->room = image->size;
	}
	mc_rrd_image_rows(image, maker->bytes + image->head);
	maker->layout = layout;
}

/* A page at a time.  Where a file system caches larger pieces together (ext4's large folios, Linux
 * 6.16), a write makes pieces of its own size, and librrd's mmap() of a file then writes all of a
 * piece for each byte that an update changes: nearly the file, instead of ten pages. */
static int write_all(int fd, const uint8_t *bytes, size_t size)
{
	while (size > 0) {
		ssize_t done = write(fd, bytes, size < PIECE ? size : PIECE);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done > 0) {
			bytes += done;
			size -= (size_t)done;
		}
	}
	return 0;
}

/* A file without a name, with the mode of those of librrd, which looks at no umask. */
static int open_unnamed(int directory)
{
	int fd = openat(directory, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);

	if (fd >= 0)
		fchmod(fd, 0644);
	return fd < 0 ? -errno : fd;
}

/* One that has the blocks of all files of the layout. */
static int pattern_of(struct mc_rrd_maker *maker, const struct mc_rrd_image *image, int directory)
{
	size_t at = maker->next;
	int fd;

	for (size_t i = 0; i < MC_RRD_MAKER_PATTERNS; i++)
		if (maker->patterns[i].layout == maker->layout)
			return maker->patterns[i].fd;
	fd = open_unnamed(directory);
	if (fd < 0)
		return fd;
	if (write_all(fd, maker->bytes, image->size) < 0) {
		close(fd);
		return -ENOSPC;
	}
	if (maker->patterns[at].layout != NULL)
		close(maker->patterns[at].fd);
	maker->patterns[at].layout = maker->layout;
	maker->patterns[at].fd = fd;
	maker->next = (at + 1) % MC_RRD_MAKER_PATTERNS;
	return fd;
}

static void drop_patterns(struct mc_rrd_maker *maker)
{
	for (size_t i = 0; i < MC_RRD_MAKER_PATTERNS; i++) {
		if (maker->patterns[i].layout != NULL)
			close(maker->patterns[i].fd);
		maker->patterns[i].layout = NULL;
	}
}

/* False: it is to be written whole; so are all further ones, unless the disk is full now. */
static bool clone_pattern(struct mc_rrd_maker *maker, const struct mc_rrd_image *image,
			  int directory, int fd)
{
	int pattern;

	if (maker->writes_whole)
		return false;
	pattern = pattern_of(maker, image, directory);
	if (pattern < 0)
		return false;
	if (ioctl(fd, FICLONE, pattern) == 0)
		return write_all(fd, maker->bytes, image->head) == 0;
	maker->writes_whole = errno != ENOSPC && errno != EDQUOT && errno != EIO;
	if (maker->writes_whole)
		drop_patterns(maker);
	return false;
}

static int give_name(int fd, int directory, const char *name)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW) == 0 ? 0 : -errno;
}

int mc_rrd_make(struct mc_rrd_maker *maker, const struct mc_rrd_layout *layout, int64_t second,
		int directory, const char *name)
{
	struct mc_rrd_image image;
	int fd, error = 0;

	if (second < first_second || !mc_rrd_image(layout, &image))
		return -EOPNOTSUPP;
	fd = open_unnamed(directory);
	if (fd < 0)
		return fd;
	fill(maker, layout, &image);
	mc_rrd_image_head(layout, second, ++maker->seed * UINT64_C(0x9E3779B97F4A7C15),
			  maker->bytes);
	if (!clone_pattern(maker, &image, directory, fd)) {
		error = ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0 ? 0 : -EIO;
		if (error == 0)
			error = write_all(fd, maker->bytes, image.size);
	}
	if (error == 0)
		error = give_name(fd, directory, name);
	close(fd);
	return error;
}

void mc_rrd_maker_done(struct mc_rrd_maker *maker)
{
	drop_patterns(maker);
	free(maker->bytes);
	*maker = (struct mc_rrd_maker){ .bytes = NULL };
}
