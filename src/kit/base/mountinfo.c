/* SPDX-License-Identifier: MIT */
#include "kit/base/mountinfo.h"

#include <stddef.h>
#include <string.h>

bool mc_mountinfo_parse(char *line, struct mc_mountinfo *out)
{
	char *number = NULL, *point = NULL, *word = NULL, *type, *source, *options;

	for (unsigned i = 0; i < 5 && (word = strsep(&line, " ")) != NULL; i++) {
		number = i == 2 ? word : number;
		point = i == 4 ? word : point;
	}
	while (word != NULL && strcmp(word, "-") != 0)
		word = strsep(&line, " ");
	type = word != NULL ? strsep(&line, " ") : NULL;
	source = type != NULL ? strsep(&line, " ") : NULL;
	options = source != NULL ? strsep(&line, " ") : NULL;
	if (options == NULL || *point != '/')
		return false;
	*out = (struct mc_mountinfo){ number, point, type, source, options };
	return true;
}

bool mc_mount_is_remote(const char *type, const char *source)
{
	/* Types that wait for a server or a daemon, besides "fuse" and "fuse.*". */
	static const char *const types[] = {
		"9p",      "acfs",  "afs",  "beegfs", "ceph",   "cifs",     "coda", "davfs",
		"fuseblk", "gfs2",  "gpfs", "lustre", "ncpfs",  "nfs",      "nfs4", "ocfs2",
		"panfs",   "pvfs2", "smb3", "smbfs",  "vboxsf", "virtiofs",
	};

	if (strncmp(type, "fuse", 4) == 0 && (type[4] == '\0' || type[4] == '.'))
		return true;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	/* A type we do not know, of a server: "host:/path", "//host/path". */
	return strstr(source, ":/") != NULL || strncmp(source, "//", 2) == 0;
}
