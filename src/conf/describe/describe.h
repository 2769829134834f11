/* SPDX-License-Identifier: MIT */
/* Prints option tables for people: --describe, manual pages, and collector.conf.example.  All of
 * it comes from the same tables that the configuration is read by, so it cannot be out of date. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include <collector/plugin.h>

struct describe_types { /* Where types are looked up. */
	const struct mc_type *(*find)(void *argument, const char *name);
	void *argument;
};

/* Plain text for a terminal of 80 columns. */
void describe_text(const struct mc_plugin *, const struct describe_types *, FILE *);

/* roff source, man(7) macros, of the page collector-NAME(5).  'prose' is the hand-written part of
 * DESCRIPTION in plain text: an empty line starts a new paragraph, a line alone that is not a
 * sentence is a heading, indented lines are shown as they are; may be NULL. */
void describe_manual(const struct mc_plugin *, const struct describe_types *, const char *prose,
		     FILE *);

/* The plugin's part of collector.conf.example: with 'load', options that have a sample are active,
 * the others are commented out and show their preset; without, all of it is commented out. */
void describe_example(const struct mc_plugin *, bool load, FILE *);

/* The same of a table that belongs to no plugin, the global options: only the
 * options, without title or sections. */
void describe_text_options(const struct mc_option *, FILE *);
void describe_manual_options(const struct mc_option *, FILE *);
void describe_example_options(const struct mc_option *, FILE *);

/* Plain text as roff source: for what is put in front of or between these. */
void describe_manual_prose(const char *prose, FILE *);
