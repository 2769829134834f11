import os
import time
import collectd

def read():
    values = collectd.Values(plugin="hangs", type="gauge", time=1700000000)
    values.dispatch(values=[1])
    if not os.path.exists("FOLDER/hung"):
        open("FOLDER/hung", "w").close()
        time.sleep(10000)
    values.dispatch(values=[2], time=1700000015, type_instance="after")

collectd.register_read(read)
