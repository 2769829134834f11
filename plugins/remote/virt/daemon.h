/* SPDX-License-Identifier: MIT */
/* The process of libvirt's daemon. */
#pragma once

#include <collector/plugin.h>

/* Its number; 0: it is not known. */
unsigned daemon_find(struct mc_ctx *ctx);
