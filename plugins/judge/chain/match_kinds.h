/* SPDX-License-Identifier: MIT */
/* All kinds of matches; see collectd.conf(5), "Available matches". */
#pragma once

#include "match.h"

extern const struct match_kind match_regex;
extern const struct match_kind match_hashed;
extern const struct match_kind match_timediff;
extern const struct match_kind match_empty_counter;
extern const struct match_kind match_value;
