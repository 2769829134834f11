/* SPDX-License-Identifier: MIT */
/* Any text as a file of munin-node's plugin-conf.d. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plugin_conf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plugin_conf conf = { 0 };
	char *text = malloc(size + 1);
	unsigned lines = 1, number;

	assert(text != NULL);
	memcpy(text, data, size);
	text[size] = '\0';
	for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	number = plugin_conf_take(&conf, text);
	assert(number <= lines && conf.len <= lines);
	free(text);
	for (size_t i = 0; i < conf.len; i++) {
		const char *section = conf.items[i].section;
		const char *key = plugin_conf_variable(&conf, section, i);

		assert(section[0] != '\0' && conf.items[i].value[0] != '\0');
		assert(key == NULL || plugin_conf_find(&conf, section, key) == conf.items[i].value);
		plugin_conf_find(&conf, "if_eth0", conf.items[i].key);
	}
	plugin_conf_done(&conf);
	return 0;
}
