import collectd
collectd.register_read(
    lambda: collectd.Values("gauge", plugin="late", time=1700000000).dispatch(values=[1]))
