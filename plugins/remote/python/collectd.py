# SPDX-License-Identifier: MIT
"""The module 'collectd', for modules that were written for collectd's plugin
python.  The facts are those of collectd-python(5).

collectord starts this file once for each module:

    python3 collectd.py NAME

Standard input has requests, a JSON list in each line: [ID, [VERB, ARGUMENT...]].
Standard output has lines PUTVAL, PUTNOTIF and FLUSH of collectd-unixsock(5), and

    DONE ID                 the request has been done
    FAILED ID COUNT TEXT    or not; of "write" COUNT values have failed
    REGISTER KIND [INTERVAL NAME], UNREGISTER KIND [NAME]
    CONFIGURED NUMBER       the block with that number has a callback
    LOG SEVERITY TEXT
    TYPE NAME               asks for a request "type"

What a module itself prints goes to standard error.  The main thread imports it,
and runs callbacks for configuration, init and shutdown; each other callback has
a thread of its own, so that one that waits delays no other.
"""

import atexit
import json
import os
import re
import sys
import threading
import time as clock
from queue import SimpleQueue

_is_program = __name__ == "__main__"
__name__ = "collectd"  # So classes have the names that modules know.

LOG_ERROR, LOG_WARNING, LOG_NOTICE, LOG_INFO, LOG_DEBUG = 3, 4, 5, 6, 7
NOTIF_FAILURE, NOTIF_WARNING, NOTIF_OKAY = 1, 2, 4
DS_TYPE_COUNTER, DS_TYPE_GAUGE = "counter", "gauge"
DS_TYPE_DERIVE, DS_TYPE_ABSOLUTE = "derive", "absolute"

_SEVERITIES = {3: "error", 4: "warning", 5: "notice", 6: "info", 7: "debug"}
_NAME_MAX = 127    # Characters of a part of a name; collectd cuts, too.
_LINES_MAX = 64    # Lines of values that a callback may hold back, ...
_HOLD_MAX = 0.1    # ... and for how many seconds.
_TYPE_WAIT = 30    # Seconds that the answer about a type may take.
_KINDS = ("config", "init", "read", "write", "flush", "log", "notification",
          "shutdown")
_ASKED = ("write", "flush", "log", "notification")  # Of which the collector
                                                    # knows only that some are.


class CollectdError(Exception):
    """Raised by a callback: it is logged without a trace."""


class Signed(int):
    """An integer for meta data."""


class Unsigned(int):
    """An integer for meta data."""


# --- Lines to the collector ---------------------------------------------------


class _Output:
    """Values that a callback dispatches go in one piece when it returns."""

    def __init__(self, fd):
        self.fd = fd
        self.lock = threading.Lock()

    def send(self, *lines):
        data = "".join(line + "\n" for line in lines)
        data = data.encode("utf-8", "replace")
        with self.lock:
            while data:
                data = data[os.write(self.fd, data):]

    def put(self, line):
        held = _here.held
        if held is None:
            self.send(line)
            return
        if not held:
            _here.held_since = clock.monotonic()
        held.append(line)
        if (len(held) >= _LINES_MAX
                or clock.monotonic() - _here.held_since > _HOLD_MAX):
            self.flush()

    def flush(self):
        if _here.held:
            lines, _here.held = _here.held, []
            self.send(*lines)


class _Here(threading.local):
    """What the thread at hand does."""

    held = None        # Lines of values; None: they are not held back.
    held_since = 0.0
    interval = 0.0     # Of the callback that runs; 0: the plugin's.
    in_log = False     # It is a callback for the log.


_here = _Here()
_output = _Output(None)


def _word(text):
    """A word of a line, in quotes."""
    if not text.isprintable() or '"' in text or "\\" in text:
        text = text.translate(_CONTROLS)
        text = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"%s"' % text


def _log(severity, message):
    if isinstance(message, (bytes, bytearray)):
        message = message.decode("utf-8", "replace")
    elif not isinstance(message, str):
        raise TypeError("argument 1 must be str, bytes or bytearray, not %s"
                        % type(message).__name__)
    lines = [line.translate(_CONTROLS) for line in message.splitlines()]
    if _here.in_log:  # Else it would be called for its own message.
        print(*lines, sep="\n", file=sys.stderr)
    else:
        _output.flush()
        _output.send(*("LOG %s %s" % (_SEVERITIES[severity], line)
                       for line in lines if line))


_CONTROLS = {code: " " for code in [*range(32), 127]}


def error(message):
    """Logs an error."""
    _log(LOG_ERROR, message)


def warning(message):
    """Logs a warning."""
    _log(LOG_WARNING, message)


def notice(message):
    """Logs a note."""
    _log(LOG_NOTICE, message)


def info(message):
    """Logs an information."""
    _log(LOG_INFO, message)


def debug(message):
    """Logs what is for developers."""
    _log(LOG_DEBUG, message)


# --- Types --------------------------------------------------------------------


class _Types:
    """Types of the types.db, which the collector is asked for once."""

    def __init__(self):
        self.known = {}
        self.changed = threading.Condition()

    def learn(self, name, sources):
        with self.changed:
            self.known[name] = sources and [tuple(one) for one in sources]
            self.changed.notify_all()

    def find(self, name):
        sources = self.known.get(name)
        if sources is None and name and name not in self.known:
            if re.fullmatch(r"[!-~]{1,%d}" % _NAME_MAX, name):
                _output.send("TYPE " + name)
                with self.changed:
                    self.changed.wait_for(lambda: name in self.known,
                                          _TYPE_WAIT)
            sources = self.known.get(name)
        if sources is None:
            raise TypeError("Dataset %s not found" % name)
        return sources


_types = _Types()


def get_dataset(name):
    """The sources of a type: (name, kind, minimum, maximum) of each."""
    return list(_types.find(_text(name)))


# --- Values and notifications -------------------------------------------------


def _text(value):
    if isinstance(value, (bytes, bytearray)):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        raise TypeError("expected str or bytes, %s found"
                        % type(value).__name__)
    if "\0" in value:
        raise ValueError("embedded null character")
    return value[:_NAME_MAX]


def _text_member(name, doc):
    def store(self, value):
        setattr(self, "_" + name, _text(value))

    return property(lambda self: getattr(self, "_" + name), store, doc=doc)


def _real(value):
    if isinstance(value, str):
        raise TypeError("must be real number, not str")
    return float(value)


def _number_member(name, doc):
    return property(lambda self: getattr(self, "_" + name),
                    lambda self, value: setattr(self, "_" + name,
                                                _real(value)), doc=doc)


def _part(text):
    """A part of a name, as collectd makes it fit for a file."""
    if text == "/":
        return "root"
    return (text[1:] if text.startswith("/") else text).replace("/", "_")


class PluginData:
    """What values and notifications are about."""

    __slots__ = ("_host", "_plugin", "_plugin_instance", "_type",
                 "_type_instance", "_time")

    host = _text_member("host", "Name of the host; '': this one.")
    plugin = _text_member("plugin", "Name of the plugin; '': python.")
    plugin_instance = _text_member("plugin_instance", "May be empty.")
    type_instance = _text_member("type_instance", "May be empty.")
    time = _number_member("time", "Seconds since 1970; 0: now.")

    @property
    def type(self):
        """A type of the types.db."""
        return self._type

    @type.setter
    def type(self, value):
        value = _text(value)
        if value:
            _types.find(value)
        self._type = value

    def __init__(self, type="", plugin_instance="", type_instance="",
                 plugin="", host="", time=0):
        self.type = type
        self.plugin_instance = plugin_instance
        self.type_instance = type_instance
        self.plugin = plugin
        self.host = host
        self.time = time

    def __repr__(self):
        members = ((name, getattr(self, "_" + name))
                   for name in self._MEMBERS)
        return "collectd.%s(%s)" % (
            self.__class__.__name__,
            ",".join("%s=%r" % pair for pair in members if pair[1]))


_DATA = ("type", "type_instance", "plugin", "plugin_instance", "host", "time")


def _whole(value, least, most):
    value = int(value)
    if value < least:
        raise OverflowError("can't convert negative int to unsigned"
                            if least == 0 else "int too small to convert")
    if value > most:
        raise OverflowError("int too big to convert")
    return str(value)


def _gauge(value):
    value = float(value)
    return "U" if value != value else repr(value)


_NUMBERS = {
    DS_TYPE_GAUGE: _gauge,
    DS_TYPE_DERIVE: lambda value: _whole(value, -2**63, 2**63 - 1),
    DS_TYPE_COUNTER: lambda value: _whole(value, 0, 2**64 - 1),
    DS_TYPE_ABSOLUTE: lambda value: _whole(value, 0, 2**64 - 1),
}


class Values(PluginData):
    """Values of a series."""

    __slots__ = ("_interval", "_values", "_meta")
    _MEMBERS = (*_DATA, "interval", "values", "meta")

    interval = _number_member("interval", "Seconds; 0: that of the callback.")
    values = property(lambda self: self._values,
                      lambda self, value: setattr(self, "_values", value),
                      doc="A list or a tuple of numbers.")
    meta = property(lambda self: self._meta,
                    lambda self, value: setattr(self, "_meta", value),
                    doc="A dictionary, which the collector does not use.")

    def __init__(self, type="", values=(), plugin_instance="",
                 type_instance="", plugin="", host="", time=0, interval=0,
                 meta=None):
        super().__init__(type, plugin_instance, type_instance, plugin, host,
                         time)
        self.interval = interval
        self._values = values if values != () else []
        self._meta = {} if meta is None else meta

    def dispatch(self, type=None, values=None, plugin_instance=None,
                 type_instance=None, plugin=None, host=None, time=None,
                 interval=None, meta=None):
        """Hands the values to the collector; what is not given is taken from
        the members."""
        kind = self._type if type is None else _text(type)
        values = self._values if values is None else values
        if plugin_instance is None:
            plugin_instance = self._plugin_instance
        if type_instance is None:
            type_instance = self._type_instance
        plugin = self._plugin if plugin is None else plugin
        host = self._host if host is None else host
        time = self._time if time is None else _real(time)
        interval = self._interval if interval is None else _real(interval)
        numbers = _numbers(kind, values)
        plugin = _part(_text(plugin) or "python")
        if plugin_instance:
            plugin += "-" + _part(_text(plugin_instance))
        kind = _part(kind)
        if type_instance:
            kind += "-" + _part(_text(type_instance))
        if interval <= 0:
            interval = _here.interval or _module.interval
        _output.put("PUTVAL %s interval=%.3f %.6f:%s" % (
            _word("%s/%s/%s" % (_part(_text(host) or _module.host), plugin,
                                kind)),
            interval, time or clock.time(), ":".join(numbers)))

    def write(self, destination=None, **members):
        """As dispatch(): all writers get the values."""
        self.dispatch(**members)


def _numbers(kind, values):
    if not kind:
        raise RuntimeError("type not set")
    if not isinstance(values, (list, tuple)):
        raise TypeError("values must be list or tuple")
    sources = _types.find(kind)
    if len(values) != len(sources):
        raise RuntimeError("type %s needs %d values, got %d" % (
            kind, len(sources), len(values)))
    return [_NUMBERS[source[1]](value)
            for source, value in zip(sources, values)]


class Notification(PluginData):
    """A message about the state of something."""

    __slots__ = ("_severity", "_message", "_meta")
    _MEMBERS = (*_DATA, "severity", "message", "meta")

    message = property(lambda self: self._message, lambda self, value:
                       setattr(self, "_message", _message(value)),
                       doc="Says what has happened.")
    severity = property(lambda self: self._severity, lambda self, value:
                        setattr(self, "_severity", int(value)),
                        doc="NOTIF_FAILURE, NOTIF_WARNING or NOTIF_OKAY.")
    meta = property(lambda self: self._meta,
                    lambda self, value: setattr(self, "_meta", value),
                    doc="A dictionary of numbers, strings and bools.")

    def __init__(self, type="", message="", plugin_instance="",
                 type_instance="", plugin="", host="", time=0, severity=0,
                 meta=None):
        super().__init__(type, plugin_instance, type_instance, plugin, host,
                         time)
        self.message = message
        self.severity = severity
        self._meta = {} if meta is None else meta

    def dispatch(self, type=None, message=None, plugin_instance=None,
                 type_instance=None, plugin=None, host=None, time=None,
                 severity=None, meta=None):
        """Hands the notification to the collector; what is not given is taken
        from the members."""
        def given(value, name, take=_text):
            return getattr(self, "_" + name) if value is None else take(value)

        kind = given(type, "type")
        if not kind:
            raise RuntimeError("type not set")
        _types.find(kind)
        severity = _SEVERITY_WORDS.get(given(severity, "severity", int))
        if severity is None:
            raise RuntimeError("severity not set")
        message = given(message, "message", _message)
        if not message:
            raise RuntimeError("message not set")
        time = given(time, "time", _real) or clock.time()
        words = [("severity", severity), ("time", "%.6f" % time),
                 ("host", given(host, "host") or _module.host),
                 ("plugin", given(plugin, "plugin") or "python"),
                 ("plugin_instance", given(plugin_instance,
                                           "plugin_instance")),
                 ("type", kind),
                 ("type_instance", given(type_instance, "type_instance"))]
        words += [("s:" + str(key), str(value))
                  for key, value in given(meta, "meta", dict).items()]
        words.append(("message", message))
        _output.flush()
        _output.send("PUTNOTIF " + " ".join(
            _word("%s=%s" % pair) for pair in words if pair[1]))


_SEVERITY_WORDS = {NOTIF_FAILURE: "failure", NOTIF_WARNING: "warning",
                   NOTIF_OKAY: "okay"}


def _message(value):
    if isinstance(value, (bytes, bytearray)):
        value = value.decode("utf-8", "replace")
    if not isinstance(value, str):
        raise TypeError("expected str or bytes, %s found"
                        % type(value).__name__)
    return value


class Config:
    """An option of a <Module> block, or a block in it."""

    def __init__(self, key, parent=None, values=(), children=()):
        self.key = key
        self.parent = parent
        self.values = tuple(values)
        self.children = tuple(children)

    def __repr__(self):
        return "%r<collectd.Config %snode %s>" % (
            self.key, "root " if self.parent is None else "",
            self.values[0] if self.values else "")


def _config(item, parent=None):
    node = Config(item["key"], parent, item["values"])
    node.children = tuple(_config(one, node) for one in item["children"])
    return node


def flush(plugin=None, timeout=-1, identifier=None):
    """Has writers write what they hold back."""
    words = ["FLUSH"]
    if timeout > 0:
        words.append("timeout=%.3f" % timeout)
    if plugin:
        words.append(_word("plugin=" + _text(plugin)))
    if identifier:
        words.append(_word("identifier=" + _message(identifier)))
    _output.flush()
    _output.send(" ".join(words))


# --- Callbacks ----------------------------------------------------------------


class _Callback:
    """A callback, and the thread that runs it."""

    def __init__(self, function, name, data, interval=0.0):
        self.function = function
        self.name = name
        self.arguments = () if data is None else (data,)
        self.interval = interval
        self.tasks = None
        self.trace = None      # That was logged last.

    def call(self, *arguments):
        """None, or why it has failed."""
        _here.interval, _here.held = self.interval, []
        try:
            self.function(*arguments, *self.arguments)
            self.trace = None
            return None
        except Exception as exception:
            return self.failure(exception)
        finally:
            _output.flush()
            _here.interval, _here.held = 0.0, None

    def failure(self, exception):
        text = "%s: %s" % (type(exception).__name__, exception)
        if _module.log_traces and not isinstance(exception, CollectdError):
            import traceback  # Costs memory that most modules never need.
            trace = "".join(traceback.format_exception(
                None, exception, exception.__traceback__.tb_next))
            if trace != self.trace:
                error(trace)
            self.trace = trace
        return text.translate(_CONTROLS)

    def start(self, task):
        """Has its thread do it."""
        if self.tasks is None:
            self.tasks = SimpleQueue()
            threading.Thread(target=self.work, name=self.name,
                             daemon=True).start()
        self.tasks.put(task)

    def work(self):
        while True:
            self.tasks.get()()


class _Module:
    """The module, its callbacks, and the requests for them."""

    def __init__(self):
        self.host = ""
        self.interval = 10.0
        self.log_traces = False
        self.others = ()
        self.callbacks = {kind: {} for kind in _KINDS}
        self.lock = threading.Lock()
        self.tasks = SimpleQueue()     # Of the main thread.

    # Registration.

    def identifier(self, function, name):
        return "python." + (name or getattr(function, "__module__", None)
                            or "python")

    def register(self, kind, function, data, name, interval=0.0):
        if not callable(function):
            raise TypeError("callback needs a be a callable object.")
        identifier = self.identifier(function, name)
        # A module that this one imports, and that runs on its own, too.
        if getattr(function, "__module__", None) in self.others:
            return identifier
        callback = _Callback(function, identifier, data, interval)
        with self.lock:
            callbacks = self.callbacks[kind]
            is_known, is_first = identifier in callbacks, not callbacks
            if kind == "read" and is_known:
                error('The read function "%s" is already registered.'
                      % identifier)
                return identifier
            callbacks[identifier] = callback
        if kind == "read":
            _output.send("REGISTER read %.6f %s" % (
                interval, identifier.translate(_CONTROLS)))
        elif is_first and kind in _ASKED:
            _output.send("REGISTER " + kind)
        return identifier

    def unregister(self, kind, which):
        name = which if isinstance(which, str) else self.identifier(which, "")
        with self.lock:
            found = self.callbacks[kind].pop(name, None)
            is_last = not self.callbacks[kind]
        if found is None:
            raise RuntimeError("Unable to unregister %s callback '%s'."
                               % (kind, name))
        if kind == "read":
            _output.send("UNREGISTER read " + name.translate(_CONTROLS))
        elif is_last and kind in _ASKED:
            _output.send("UNREGISTER " + kind)

    def all(self, kind):
        with self.lock:
            return list(self.callbacks[kind].values())

    # Requests.  Each is done by the thread of the callback that it is for; the
    # last callback that has done it sends the reply.

    def reply(self, number, failures):
        if failures:
            _output.send("FAILED %d %d %s" % (number, len(failures),
                                              failures[0]))
        else:
            _output.send("DONE %d" % number)

    def spread(self, number, kind, job):
        """Has job(CALLBACK), which returns failures, done for all of a kind."""
        callbacks, failures, left = self.all(kind), [], []

        def do(callback):
            found = job(callback)
            with self.lock:
                failures.extend(found)
                left.pop()
                is_last = not left
            if is_last:
                self.reply(number, failures)

        if not callbacks:
            self.reply(number, [])
        left.extend(callbacks)
        for callback in callbacks:
            callback.start(lambda one=callback: do(one))

    def call_each(self, callback, items, *more):
        found = (callback.call(item, *more) for item in items)
        return [failure for failure in found if failure]

    def on_read(self, number, name):
        callback = self.callbacks["read"].get(name)
        if callback is None:
            self.reply(number, [])
            return

        def read():
            failure = callback.call()
            self.reply(number, [failure] if failure else [])

        callback.start(read)

    def on_write(self, number, *samples):
        self.spread(number, "write", lambda callback: self.call_each(
            callback, map(_sample, samples)))

    def on_notify(self, number, item):
        self.spread(number, "notification", lambda callback: self.call_each(
            callback, [_notification(item)]))

    def on_flush(self, number, timeout, identifier):
        self.spread(number, "flush", lambda callback: self.call_each(
            callback, [timeout], identifier))

    def on_log(self, number, severity, text):
        def write(callback):
            _here.in_log = True
            for failure in self.call_each(callback, [severity], text):
                print(failure, file=sys.stderr)
            return []

        self.spread(number, "log", write)

    def on_type(self, _number, name, sources):
        _types.learn(name, sources)

    def on_start(self, number, settings):
        self.tasks.put(lambda: self.start(number, settings))

    def on_stop(self, number):
        self.tasks.put(lambda: self.stop(number))

    # The main thread.

    def start(self, number, settings):
        self.log_traces = settings["log_traces"]
        self.others = settings["others"]
        for folder in settings["module_path"]:
            sys.path.insert(0, folder)
        loading = _Callback(__import__, "", None)
        failure = loading.call(settings["import"])
        if failure:
            self.reply(number, ["cannot be imported: " + failure])
            return
        for index, item in enumerate(settings["configs"]):
            self.configure(index, _config(item))
        for callback in self.all("init"):
            failure = callback.call()
            if failure:
                self.reply(number, ["cannot be initialized: " + failure])
                return
        self.reply(number, [])

    def configure(self, index, config):
        name = "python.%s" % (config.values[0] if config.values else "")
        for callback in self.all("config"):
            if callback.name.lower() == name.lower():
                _output.send("CONFIGURED %d" % index)
                failure = callback.call(config)
                if failure:
                    error("%s refuses its configuration: %s"
                          % (callback.name, failure))

    def stop(self, number):
        failures = [callback.call() for callback in self.all("shutdown")]
        self.reply(number, [failure for failure in failures if failure])
        atexit._run_exitfuncs()
        os._exit(0)  # Threads that the module has started do not hinder.

    def work(self):
        while True:
            self.tasks.get()()

    def read_requests(self, fd):
        with open(fd, encoding="utf-8", errors="replace") as requests:
            for line in requests:
                number, (verb, *arguments) = json.loads(line)
                getattr(self, "on_" + verb)(number, *arguments)
        os._exit(0)  # The collector has gone.


def _sample(item):
    (values_host, plugin, plugin_instance, kind, type_instance, time, interval,
     numbers) = item
    values = object.__new__(Values)
    values._host, values._plugin = values_host, plugin
    values._plugin_instance, values._type = plugin_instance, kind
    values._type_instance, values._time = type_instance, time
    values._interval, values._values, values._meta = interval, numbers, {}
    return values


def _notification(item):
    notification = Notification(message=item["message"],
                                severity=item["severity"], time=item["time"],
                                meta=item["meta"])
    for name in ("host", "plugin", "plugin_instance", "type", "type_instance"):
        setattr(notification, "_" + name, item[name])
    return notification


_module = _Module()


def _add_registration(kind):
    if kind == "read":
        def register(callback, interval=0, data=None, name=None):
            return _module.register(kind, callback, data, name,
                                    float(interval))
    else:
        def register(callback, data=None, name=None):
            return _module.register(kind, callback, data, name)

    def unregister(identifier):
        _module.unregister(kind, identifier)

    globals()["register_" + kind] = register
    globals()["unregister_" + kind] = unregister
    register.__doc__ = "Has the callback called: see collectd-python(5)."
    unregister.__doc__ = "Takes the callback back."


for _kind in _KINDS:
    _add_registration(_kind)


def _main():
    # What a module, or a program that it runs, reads and prints must not get
    # between the lines of the protocol.
    requests, _output.fd = os.dup(0), os.dup(1)
    with open(os.devnull, encoding="ascii") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    sys.path.pop(0)  # The folder of this file.
    sys.argv = [sys.argv[1]]
    sys.modules["collectd"] = sys.modules["__main__"]
    _module.interval = float(os.environ["COLLECTD_INTERVAL"])
    _module.host = os.environ["COLLECTD_HOSTNAME"]
    threading.Thread(target=_module.read_requests, args=(requests,),
                     daemon=True).start()
    _module.work()


if _is_program:
    _main()
