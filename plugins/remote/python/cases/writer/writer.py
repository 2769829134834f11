import collectd

def say(*words):
    with open("FOLDER/written", "a") as file:
        print(*words, file=file)

def write(values, data):
    say(data, values.host, values.plugin, values.plugin_instance, values.type,
        values.type_instance, values.values, values.interval, values.time)

def hear(n):
    say("notification", n.severity, n.host, n.plugin, n.type, n.message, n.time)

collectd.register_write(write, data="data")
collectd.register_notification(hear)
collectd.register_flush(lambda timeout, name: say("flush", timeout, name))
collectd.register_shutdown(lambda: say("shutdown"))
