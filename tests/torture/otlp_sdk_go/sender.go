// SPDX-License-Identifier: MIT

// sender: something of every instrument of OpenTelemetry's Go SDK, in one request of its own HTTP
// exporter to 127.0.0.1:PORT.  Usage: sender PORT
package main

import (
	"context"
	"log"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	api "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
)

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func measure(ctx context.Context, meter api.Meter) {
	requests := must(meter.Int64Counter("http.requests", api.WithUnit("{request}"),
		api.WithDescription("Requests of clients.")))
	requests.Add(ctx, 40, api.WithAttributes(attribute.Int("code", 200), attribute.Bool("cached", true)))
	requests.Add(ctx, 2, api.WithAttributes(attribute.Int("code", 500), attribute.Bool("cached", false)))
	must(meter.Float64Counter("cpu.time", api.WithUnit("s"))).Add(ctx, 12.345,
		api.WithAttributes(attribute.String("state", "user")))
	must(meter.Int64UpDownCounter("queue.length", api.WithUnit("{item}"))).Add(ctx, -2)
	must(meter.Int64Gauge("memory.usage", api.WithUnit("By"))).Record(ctx, 123456789,
		api.WithAttributes(attribute.String("container.name", "nginx")))
	must(meter.Float64Gauge("load.ratio", api.WithUnit("1"))).Record(ctx, 0.125,
		api.WithAttributes(attribute.StringSlice("list", []string{"a", "b"})))
	must(meter.Int64ObservableCounter("page.faults", api.WithInt64Callback(
		func(_ context.Context, observer api.Int64Observer) error {
			observer.Observe(77, api.WithAttributes(attribute.Float64("weight", 0.5)))
			return nil
		})))
	duration := must(meter.Float64Histogram("http.duration", api.WithUnit("s"),
		api.WithExplicitBucketBoundaries(0.5, 1, 2.5)))
	for _, number := range []float64{0.25, 0.75, 0.75, 2, 9} {
		duration.Record(ctx, number, api.WithAttributes(attribute.String("route", "/a")))
	}
	size := must(meter.Int64Histogram("http.size", api.WithUnit("By")))
	for _, number := range []int64{1, 3, 200, 5000, 0} {
		size.Record(ctx, number, api.WithAttributes(attribute.String("route", "/b")))
	}
}

func main() {
	ctx := context.Background()
	exporter := must(otlpmetrichttp.New(ctx, otlpmetrichttp.WithInsecure(),
		otlpmetrichttp.WithEndpoint("127.0.0.1:"+os.Args[1])))
	provider := metric.NewMeterProvider(
		metric.WithReader(metric.NewPeriodicReader(exporter)),
		metric.WithResource(resource.NewSchemaless(attribute.String("service.name", "shop"),
			attribute.String("service.version", "1.2"), attribute.String("host.name", "till"))),
		metric.WithView(metric.NewView(metric.Instrument{Name: "http.size"},
			metric.Stream{Aggregation: metric.AggregationBase2ExponentialHistogram{
				MaxSize: 160, MaxScale: 20}})))
	measure(ctx, provider.Meter("library", api.WithInstrumentationVersion("3.4")))
	if err := provider.Shutdown(ctx); err != nil {
		log.Fatal(err)
	}
}
