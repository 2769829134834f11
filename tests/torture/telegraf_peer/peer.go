// SPDX-License-Identifier: MIT

// peer: telegraf's own serializers and parsers, of InfluxDB's lines and of Graphite's with tags, and
// its parser of collectd's packets.
//
//	peer list TIME             the metrics of metrics() at that second, a line of JSON for each number
//	peer write TIME FORMAT     the same metrics as telegraf writes them: influx or graphite
//	peer read TIME FORMAT      lines of that format from standard input, as telegraf reads them
//	peer packets TIME LEVEL USERS TYPES
//	                           packets from standard input, a line of hexadecimal digits each, of a
//	                           security level (none, sign, encrypt), with a file of users and a types.db
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"sort"
	"strconv"
	"time"

	"github.com/influxdata/telegraf"
	"github.com/influxdata/telegraf/metric"
	collectdparser "github.com/influxdata/telegraf/plugins/parsers/collectd"
	graphiteparser "github.com/influxdata/telegraf/plugins/parsers/graphite"
	influxparser "github.com/influxdata/telegraf/plugins/parsers/influx"
	graphiteserializer "github.com/influxdata/telegraf/plugins/serializers/graphite"
	influxserializer "github.com/influxdata/telegraf/plugins/serializers/influx"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// Names, tags and numbers that are easily spoiled.
func metrics(now time.Time) []telegraf.Metric {
	one := func(name string, tags map[string]string, fields map[string]interface{}) telegraf.Metric {
		return metric.New(name, tags, fields, now)
	}
	return []telegraf.Metric{
		one("cpu", map[string]string{"host": "web1", "cpu": "cpu0"},
			map[string]interface{}{"usage_idle": 99.5, "usage_user": 0.1}),
		one("mem", map[string]string{"host": "web1"},
			map[string]interface{}{"used": int64(123456789012), "free": uint64(9007199254740993), "ok": true}),
		one("disk", map[string]string{"host": "web 2", "path": "/var/log", "fs,type": "ext 4"},
			map[string]interface{}{"used percent": 12.25}),
		one("net io", map[string]string{"host": "web1", "interface": "eth0", "zone": "eu-west"},
			map[string]interface{}{"bytes,recv": int64(-5), "value": 1e-300}),
		one("système", map[string]string{"hôte": "été", "host": "web1"},
			map[string]interface{}{"größe": 1.5e308, "text": "not a number"}),
		one("no_tags", nil, map[string]interface{}{"value": int64(math.MaxInt64)}),
	}
}

type row struct {
	Name  string
	Tags  map[string]string
	Value string
	Time  int64
}

func number(value interface{}) (string, bool) {
	switch value := value.(type) {
	case float64:
		return strconv.FormatFloat(value, 'g', -1, 64), true
	case int64:
		return strconv.FormatInt(value, 10), true
	case uint64:
		return strconv.FormatUint(value, 10), true
	case bool:
		if value {
			return "1", true
		}
		return "0", true
	}
	return "", false
}

func list(all []telegraf.Metric) {
	var lines []string
	for _, metric := range all {
		for _, field := range metric.FieldList() {
			text, ok := number(field.Value)
			if ok {
				lines = append(lines, string(must(json.Marshal(
					row{metric.Name() + "\t" + field.Key, metric.Tags(), text, metric.Time().UnixNano()}))))
			}
		}
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
}

func serializer(format string) telegraf.Serializer {
	if format == "influx" {
		one := &influxserializer.Serializer{SortFields: true, UintSupport: true}
		must(0, one.Init())
		return one
	}
	one := &graphiteserializer.Serializer{TagSupport: true, TagSanitizeMode: "strict", Separator: "_"}
	must(0, one.Init())
	return one
}

func parse(format string, text []byte) []telegraf.Metric {
	if format == "influx" {
		one := &influxparser.Parser{}
		must(0, one.Init())
		return must(one.Parse(text))
	}
	one := &graphiteparser.Parser{Separator: "_", Templates: []string{"measurement*"}}
	must(0, one.Init())
	return must(one.Parse(text))
}

func packets(level, users, types string, input io.Reader) []telegraf.Metric {
	var all []telegraf.Metric
	one := &collectdparser.Parser{SecurityLevel: level, AuthFile: users, TypesDB: []string{types},
		ParseMultiValue: "split"}
	must(0, one.Init())
	lines := bufio.NewScanner(input)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		all = append(all, must(one.Parse(must(hex.DecodeString(lines.Text()))))...)
	}
	return all
}

func main() {
	now := time.Unix(must(strconv.ParseInt(os.Args[2], 10, 64)), 0)
	switch os.Args[1] {
	case "list":
		list(metrics(now))
	case "write":
		os.Stdout.Write(must(serializer(os.Args[3]).SerializeBatch(metrics(now))))
	case "packets":
		list(packets(os.Args[3], os.Args[4], os.Args[5], os.Stdin))
	case "read":
		list(parse(os.Args[3], must(io.ReadAll(bufio.NewReader(os.Stdin)))))
	}
}
