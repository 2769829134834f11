/* SPDX-License-Identifier: MIT */
/* All kinds of targets; see collectd.conf(5), "Built-in targets" and "Available targets". */
#pragma once

#include "target.h"

extern const struct target_kind target_builtin_write;
extern const struct target_kind target_builtin_stop;
extern const struct target_kind target_builtin_return;
extern const struct target_kind target_builtin_jump;
extern const struct target_kind target_notification;
extern const struct target_kind target_set;
extern const struct target_kind target_replace;
extern const struct target_kind target_scale;
extern const struct target_kind target_v5upgrade;
