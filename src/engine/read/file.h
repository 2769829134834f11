/* SPDX-License-Identifier: MIT */
/* mc_read_file(): small files that are read again and again stay open. */
#ifndef COLLECTOR_ENGINE_READ_FILE_H
#define COLLECTOR_ENGINE_READ_FILE_H

struct files;

void file_free(struct files *); /* NULL is fine. */

#endif
