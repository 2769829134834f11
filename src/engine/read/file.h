/* SPDX-License-Identifier: MIT */
/* mc_read_file(): small files that are read again and again stay open. */
#pragma once

struct files;

void file_free(struct files *); /* NULL is fine. */
