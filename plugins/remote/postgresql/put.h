/* SPDX-License-Identifier: MIT */
/* Values of the rows of answers. */
#pragma once

#include "session.h"

void put_answers(void *database, void *session, struct mc_batch *batch);
