/* SPDX-License-Identifier: MIT */
#include "asset.h"

#include "assets.inc" /* Made by pack-assets. */
