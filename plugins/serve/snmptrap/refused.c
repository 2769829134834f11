/* SPDX-License-Identifier: MIT */
#include "refused.h"

const struct mc_refusal refused_reasons[REFUSED_REASONS] = {
	[USM_LEVEL] = { "level", "its user must use other protocols" },
	[USM_TIME] = { "time", "it is not of now: it may be a replay" },
	[USM_USER] = { "user", "there is no such <User>" },
	[USM_ENGINE] = { "engine", "it is for another engine" },
	[USM_DIGEST] = { "digest", "its AuthProtocol or AuthPassphrase differs" },
	[USM_CIPHER] = { "cipher", "its PrivacyProtocol or PrivacyPassphrase differs" },
	[USM_BEFORE] = { "repeated", "it has been here before" },
	[USM_BOOTS] = { "boots", "its engine was booted less often than before: it is "
				 "a replay, or the engine has lost its count; then "
				 "stop the collector and remove the engine's line in "
				 "the file .engines of this plugin" },
	[REFUSED_CUT] = { "oversized", "it is too long" },
	[REFUSED_MESSAGE] = { "message", "it is not a message of SNMP" },
	[REFUSED_PDU] = { "pdu", "it is neither a trap nor an inform" },
	[REFUSED_COMMUNITY] = { "community", "its community is not one of ours" },
	[REFUSED_SENDER] = { "sender_limit", "its sender sends more than "
					     "SenderLimit allows" },
	[REFUSED_STORM] = { "notice_limit", "its sender, or all that were not known before, "
					    "cause more notifications than NoticeLimit" },
	[REFUSED_OVERFLOW] = { "overflow", "the kernel's buffer was full, see "
					   "ReceiveBuffer" },
};
