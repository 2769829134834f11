import collectd
