/* SPDX-License-Identifier: MIT */
/* Why a message is refused. */
#pragma once

#include <collector/kit/refusals.h>

#include "usm.h"

enum refused_reason {                            /* After those of enum usm_result. */
		      REFUSED_CUT = USM_RESULTS, /* Longer than a datagram. */
		      REFUSED_MESSAGE,           /* Garbled. */
		      REFUSED_PDU,               /* No trap, or garbled. */
		      REFUSED_COMMUNITY,
		      REFUSED_SENDER, /* More than SenderLimit. */
		      REFUSED_STORM,  /* More than NoticeLimit. */
		      REFUSED_OVERFLOW,
		      REFUSED_REASONS,
};

extern const struct mc_refusal refused_reasons[REFUSED_REASONS];
