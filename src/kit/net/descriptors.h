/* SPDX-License-Identifier: MIT */
/* kit/net/descriptors.h - the reserve of descriptors, in libkit.
 *
 * The last descriptors of the process, 32 or an eighth if that is more, are not for those who send
 * to it: so that writers and readers can open their files, and people can ask what is going on. */
#pragma once

#include <stdbool.h>

/* Whether there is a descriptor for one more client.  'asks': it asks for what is known, by the
 * control socket or a page; such clients may have half of the reserve, too.  Thread: any. */
bool mc_descriptors_left(bool asks);
