import os
import collectd

def read():
    values = collectd.Values(plugin="leaves", type="gauge", time=1700000000)
    values.dispatch(values=[1])
    if not os.path.exists("FOLDER/left"):
        open("FOLDER/left", "w").close()
        os.write(1, b'["half of a line')
        os.kill(os.getpid(), 9)
    values.dispatch(values=[2], type_instance="after")

collectd.register_read(read)
