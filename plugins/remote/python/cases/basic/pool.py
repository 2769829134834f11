import collectd

# Time stands still in the test, and module time knows nothing of it.
now = 1700000000

options = {}
heard = []

def configure(config):
    for child in config.children:
        options[child.key] = child.values
        for inner in child.children:
            options[child.key + "." + inner.key] = inner.values

def init():
    collectd.notice("pool has %s" % sorted(options.items()))

def read(data):
    global now
    values = collectd.Values(plugin="pool", type="gauge", time=now)
    now += 10
    values.dispatch(values=[options["Number"][0]], type_instance=data)
    values.dispatch(type="if_octets", values=[1, 2**40], plugin_instance="a b")
    values.dispatch(host="there", values=[float("nan")], type_instance="lost")
    while heard:
        collectd.Notification(plugin="pool", type="gauge", message="heard: " + heard.pop(),
                              severity=collectd.NOTIF_FAILURE).dispatch()

def hear(notification):
    if notification.plugin == "df":
        heard.append(notification.message)

collectd.register_config(configure)
collectd.register_init(init)
collectd.register_read(read, data="number")
collectd.register_notification(hear)
