# SPDX-License-Identifier: MIT
"""Filter chains for collectd and for the collector: recipes of real
configurations, chains made up at random, and values for both.

    chains.py conf NAME FOLDER PLUGINDIR   prints a configuration with chains
    chains.py names COUNT                  the names: of recipes, and COUNT seeds
    chains.py put NAME SOCKET TIME         puts the values of that name
"""
import random
import socket
import sys

RECIPES = {
    # Four of the real ones: single CPUs are only summed up.
    "aggregation": """
LoadPlugin match_regex
<Chain "PostCache">
  <Rule>
    <Match regex>
      Plugin "^cpu$"
      PluginInstance "^[0-9]+$"
    </Match>
    <Target write>
      Plugin "rrdtool"
    </Target>
    Target stop
  </Rule>
  Target "write"
</Chain>
""",
    # An allow list.
    "allow": """
LoadPlugin "match_regex"
PostCacheChain "PostCache"
<Chain "PostCache">
  <Rule "cpu">
    <Match "regex">
      Plugin "^cpu$"
      Type "^(gauge|derive)$"
    </Match>
    Target "write"
    Target "stop"
  </Rule>
  <Rule "system">
    <Match "regex">
      TypeInstance "^(idle|system)$"
    </Match>
    <Match "regex">
      Plugin "swap|df"
    </Match>
    Target "write"
  </Rule>
  Target "stop"
</Chain>
""",
    # Two chains.
    "jump": """
LoadPlugin match_regex
LoadPlugin target_set
PreCacheChain "In"
PostCacheChain "Out"
<Chain "In">
  <Rule "jump_to_swap">
    <Match "regex">
      Plugin "^swap$"
    </Match>
    <Target "jump">
      Chain "Swap"
    </Target>
  </Rule>
</Chain>
<Chain "Swap">
  <Rule "no idle">
    <Match "regex">
      TypeInstance "^idle$"
    </Match>
    Target "return"
  </Rule>
  <Target "set">
    PluginInstance "%{plugin}+%{plugin_instance}"
  </Target>
</Chain>
<Chain "Out">
  <Rule "web hosts go to csv">
    <Match "regex">
      Host "^web"
      Invert true
    </Match>
    <Target "write">
      Plugin "rrdtool"
    </Target>
    Target "return"
  </Rule>
  <Target "write">
    Plugin "csv"
  </Target>
</Chain>
""",
    # Behind the cache: what comes from hosts of one kind has one name, and csv
    # has bits beside octets.
    "behind": """
LoadPlugin match_regex
LoadPlugin target_set
LoadPlugin target_replace
LoadPlugin target_scale
<Chain "PostCache">
  <Rule "web">
    <Match "regex">
      Host "^web[0-9]$"
    </Match>
    <Target "set">
      PluginInstance "%{host}+%{plugin_instance}"
    </Target>
    <Target "replace">
      Host "[0-9]$" ""
    </Target>
  </Rule>
  <Rule "scaled">
    <Match "regex">
      Type "^gauge$"
    </Match>
    Target "write"
    <Target "scale">
      Factor 8
      Offset -3
    </Target>
    <Target "set">
      TypeInstance "%{type_instance}bits"
    </Target>
    <Target "write">
      Plugin "csv"
    </Target>
    <Target "scale">
      Factor 0.5
    </Target>
    <Target "set">
      Plugin "%{plugin}_half"
    </Target>
    <Target "write">
      Plugin "csv"
    </Target>
    Target "stop"
  </Rule>
  Target "write"
</Chain>
""",
}

HOSTS = ["web1", "web2", "db", "past", "future"]
PLUGINS = ["cpu", "df", "swap"]
INSTANCES = ["", "0", "17", "all"]
TYPE_INSTANCES = ["", "idle", "system", "free"]
TYPES = {"gauge": "g", "derive": "d", "counter": "c", "if_octets": "dd"}
EXPRESSIONS = {
    "Host": ["^web", "[12]$", "^(db|web1)$", "e"],
    "Plugin": ["^cpu$", "^s", "df|swap", "c.u", "^x"],
    "PluginInstance": ["^[0-9]+$", "^$", "all", "[[:digit:]]{2}", "\\\\+"],
    "Type": ["^gauge$", "e", "^(derive|counter)$", "octets"],
    "TypeInstance": ["^idle$", "^$", "s.s", "(free|idle)", "-"],
}
REPLACEMENTS = {
    "Host": [("web", "w"), ("1$", "-one"), ("d?b$", "B")],
    "Plugin": [("^cpu$", "xcpu"), ("s", "S"), ("[a-z]+", ""), ("p", "pp")],
    "PluginInstance": [("[0-9]+", "n"), ("^$", "none"), ("l", ""), ("^.*$", "")],
    "TypeInstance": [("[aeiou]", "-"), ("^", "t_"), ("e.*$", ""), ("^idle$", "")],
}
TEMPLATES = {
    "Host": ["h-%{host}", "%{host}.%{plugin}"],
    "Plugin": ["p_%{plugin}", "new"],
    "PluginInstance": ["", "%{type_instance}", "%{plugin}+%{plugin_instance}"],
    "TypeInstance": ["%{type}", "%{unknown}", "", "x%{type_instance}"],
}


def fields(random_, table, kind):
    """Lines of a block: one or two options with what the table has for them."""
    lines = []
    for field in random_.sample(sorted(table), random_.choice([1, 1, 2])):
        value = random_.choice(table[field])
        if kind == "replace":
            lines.append(f'{field} "{value[0]}" "{value[1]}"')
        else:
            lines.append(f'{field} "{value}"')
    return lines


def match(random_, behind):
    # Of what has another name collectd does not find the rate for "value".
    kind = random_.choice(["regex"] * 5 + ["hashed", "timediff", "empty_counter"]
                          + (["value"] * 3 if behind == "as it is" else []))
    lines = []
    if kind == "regex":
        lines = fields(random_, EXPRESSIONS, kind)
    elif kind == "hashed":
        total = random_.choice([2, 3])
        lines = [f"Match {random_.randrange(total)} {total}"]
    elif kind == "timediff":
        lines = random_.choice([["Past 2000"], ["Future 2000"], ["Past 2000", "Future 2000"]])
    elif kind == "value":
        lines = random_.choice([["Min 50.5"], ["Max 50.5"], ["Min 20.5", "Max 80.5"]])
        if random_.random() < 0.3:
            lines.append(f'Satisfy "{random_.choice(["Any", "All"])}"')
        if random_.random() < 0.2:
            lines.append('DataSource "rx" "value"')
    if kind in ("regex", "value") and random_.random() < 0.25:
        lines.append("Invert true")
    return block("Match", kind, lines)


def target(random_, behind, chains):
    kinds = ["stop", "return", "jump", "notification"]
    kinds += ["write"] * 4 if behind else []
    kinds += ["set"] * 3 + ["replace"] * 3 + ["scale"] if behind != "as it is" else []
    kind = random_.choice(kinds)
    lines = []
    if kind == "jump":
        lines = [f'Chain "{random_.choice(chains)}"'] if chains else []
        kind = kind if lines else "return"
    elif kind == "write":
        lines = random_.choice([[], ['Plugin "csv"'], ['Plugin "rrdtool"'],
                                ['Plugin "csv" "rrdtool"']])
    elif kind == "notification":
        # Before the cache collectd tells the rate of the value before, and of
        # what has another name none.
        rate = " %{ds:value}%{ds:rx}" if behind == "as it is" else ""
        lines = [f'Message "%{{host}} %{{plugin}}/%{{plugin_instance}} %{{type}}{rate}"',
                 f'Severity "{random_.choice(["FAILURE", "WARN", "OKAY"])}"']
    elif kind == "set":
        lines = fields(random_, TEMPLATES, kind)
    elif kind == "replace":
        lines = fields(random_, REPLACEMENTS, kind)
    elif kind == "scale":
        return block("Target", "scale", ["Factor 2.5", "Offset -3"]), "gauge"
    return block("Target", kind, lines), None


def block(name, kind, lines):
    if not lines:
        return [f'{name} "{kind}"']
    return [f'<{name} "{kind}">'] + ["  " + line for line in lines] + [f"</{name}>"]


def rule(random_, behind, chains):
    lines = []
    for _ in range(random_.choice([0, 1, 1, 1, 2])):
        lines += match(random_, behind)
    for _ in range(random_.choice([1, 1, 2, 3])):
        made, only = target(random_, behind, chains)
        if only:  # collectd scales counters only from the third value on.
            lines = block("Match", "regex", [f'Type "^{only}$"']) + lines
        lines += made
    # Matches come first, for people.
    return ["<Rule>"] + ["  " + line for line in lines] + ["</Rule>"]


def chain(random_, name, behind, chains):
    lines = []
    for _ in range(random_.randrange(1, 6)):
        lines += rule(random_, behind, chains)
    if behind and random_.random() < 0.8 and name == "PostCache":
        lines += ['Target "write"']
    elif random_.random() < 0.3:
        made, only = target(random_, behind, []) if behind else (['Target "return"'], None)
        lines += made if only is None else []
    return [f'<Chain "{name}">'] + ["  " + line for line in lines] + ["</Chain>"]


def made_up(seed):
    random_ = random.Random(int(seed))
    lines = [f"LoadPlugin {kind}" for kind in (
        "match_regex", "match_hashed", "match_timediff", "match_empty_counter", "match_value",
        "target_notification", "target_set", "target_replace", "target_scale")]
    behind = random_.choice(["as it is", "changed"])
    both = [(False, "PreCache", ["in1", "in2"]), (behind, "PostCache", ["out1", "out2"])]
    for behind, name, others in both:
        if random_.random() < 0.25:
            continue
        for i, other in enumerate(others):  # Jumps lead on, never back.
            lines += chain(random_, other, behind, others[i + 1:])
        lines += chain(random_, name, behind, others)
    return "\n".join(lines) + "\n"


def configuration(name, folder, plugins):
    chains = RECIPES[name] if name in RECIPES else made_up(name)
    # Behind the cache collectd does not find the rate of what has another name.
    # And where several counters get one name, it falls: to collectd it wraps.
    renames = '<Target "set">' in chains or '<Target "replace">' in chains
    # collectd writes every notification to the log.
    rate = "" if plugins == "/usr/lib/collectd" else "NoticeRate 0"
    return f"""Hostname "here"
FQDNLookup false
BaseDir "{folder}"
PIDFile "{folder}/pid"
PluginDir "{plugins}"
TypesDB "/usr/share/collectd/types.db"
Interval 10
WriteThreads 1
LoadPlugin unixsock
<Plugin unixsock>
  SocketFile "{folder}/socket"
</Plugin>
LoadPlugin logfile
<Plugin logfile>
  LogLevel "info"
  File "{folder}/log"
  {rate}
</Plugin>
LoadPlugin csv
<Plugin csv>
  DataDir "{folder}/csv"
  StoreRates {"false" if renames else "true"}
</Plugin>
LoadPlugin rrdtool
<Plugin rrdtool>
  DataDir "{folder}/rrd"
</Plugin>
""" + chains


def values(name):
    """Lines, each with a time of its own."""
    random_ = random.Random(name)
    totals = {}
    series = [(host, plugin, random_.choice(INSTANCES), type_, random_.choice(TYPE_INSTANCES))
              for host in HOSTS for plugin in PLUGINS for type_ in TYPES]
    for step in range(4 * len(series)):
        one = series[step % len(series)]
        host, plugin, instance, type_, type_instance = one
        texts = []
        for i, kind in enumerate(TYPES[type_]):
            if kind == "g":
                texts.append(str(random_.randrange(0, 100)))
                continue
            least = 0 if random_.random() < 0.5 else 1
            totals[one, i] = totals.get((one, i), 0) + least * random_.randrange(0, 40000)
            texts.append(str(totals[one, i]))
        ident = f"{host}/{plugin}{'-' + instance if instance else ''}/" \
                f"{type_}{'-' + type_instance if type_instance else ''}"
        shift = {"past": -5000, "future": 5000}.get(host, 0)
        yield ident, step + shift, ":".join(texts)


def put(name, path, start):
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(path)
        answers = client.makefile()
        for ident, time, text in values(name):
            client.sendall(f'PUTVAL "{ident}" interval=10 {start + time}:{text}\n'.encode())
            answer = answers.readline()
            if not answer.startswith("0 "):
                sys.exit(f"{ident}: {answer}")


if sys.argv[1] == "names":
    print(*RECIPES, *range(int(sys.argv[2])))
elif sys.argv[1] == "conf":
    print(configuration(*sys.argv[2:5]))
else:
    put(sys.argv[2], sys.argv[3], int(sys.argv[4]))
