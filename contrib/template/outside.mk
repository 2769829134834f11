# SPDX-License-Identifier: MIT
# @name@: a plugin of the collector, built with the headers that are installed.
#   make            builds it
#   make check      has the collector load it, and tell what it is
#   make install    puts it where the collector looks for plugins
CFLAGS = -g -O2 -Wall -Wextra

# Modules of pkg-config and archives of the kit that it needs besides: see collector.pc.
modules := @modules@
archives := @archives@
flags := $(shell pkg-config --cflags --libs collector $(modules))
folder := $(shell pkg-config --variable=plugindir collector)
daemon := $(shell pkg-config --variable=daemon collector)

@name@.so: @name@.c
	$(CC) -D_GNU_SOURCE $(CPPFLAGS) $(CFLAGS) -shared -fPIC -fvisibility=hidden \
		$(LDFLAGS) -o $@ $< $(archives) $(flags)

check: @name@.so
	$(daemon) --plugin-dir . --describe @name@

install: @name@.so
	install -D -m 644 $< $(DESTDIR)$(folder)/$<

clean:
	rm -f @name@.so

.PHONY: check install clean
