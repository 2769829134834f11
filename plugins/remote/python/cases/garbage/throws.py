import sys
import collectd

def attempt(**words):
    try:
        collectd.Values(plugin="throws", time=1700000000 + turns).dispatch(**words)
        collectd.info("taken: %s" % words)
    except Exception as error:
        collectd.warning("%s: %s" % (type(error).__name__, error))

turns = 0

def read():
    global turns
    turns += 1
    attempt(type="gauge", values=[turns])
    if turns == 1:
        attempt(type="unheard", values=[1])
        attempt(type="gauge", values=[])
        attempt(type="gauge", values=["x"])
        attempt(type="gauge", values=[1, 2])
        attempt(type="derive", values=[2**70])
        attempt(type="gauge", values=5)
        attempt(type="gauge", type_instance="a/b", values=[3])
        sys.stdout.write("PUTVAL host/x/gauge N:1\n")
        sys.stdout.flush()
    if turns == 2:
        raise KeyError("lost")

collectd.register_read(read)
