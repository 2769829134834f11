// The collector's own health.

function dropped(writer) {
	return writer.dropped_full + writer.dropped_refused + writer.dropped_stop + writer.dropped_quota + writer.dropped_damaged;
}

// A reader that has never found anything has nothing to measure here; one that
// stopped to is another matter.
function judge(status) {
	const failing = status.readers.filter((one) => one.failure !== "" && one.values > 0);
	return {
		failing: [...failing, ...status.writers.filter((one) => one.failure !== "")],
		nothing: status.readers.filter((one) => one.failure !== "" && one.values === 0),
		stuck: status.readers.filter((one) => one.stuck),
		lost: status.writers.reduce((sum, writer) => sum + dropped(writer), 0) + status.collector.series_refused + status.collector.samples_refused,
	};
}

function cpuShare(status) {
	return (100 * status.collector.cpu_ns * 1e-9) / Math.max(1, Date.now() / 1000 - status.collector.started);
}

// The first line: whether there are problems, and what the collector uses.
function summary(status, alerts, guests) {
	const found = judge(status);
	const wrong = [
		[alerts.length, alerts.length === 1 ? " alert" : " alerts"], [found.failing.length, " failing"], [found.stuck.length, " stuck"],
		[guests, guests === 1 ? " guest stuck" : " guests stuck"],
		[found.lost, " values lost"],
	].filter(([number]) => number > 0).map(([number, what]) => amount(number) + what);
	const bad = found.failing.length + found.stuck.length + found.lost + guests > 0 || alerts.some((one) => one.state === "FAILURE");
	const judged = status.collector.rules !== 0;
	const state = wrong.length === 0 ? badge(judged ? "OK" : "No rules", judged ? "good" : "") : badge(wrong.join(", "), bad ? "bad" : "warn");
	return [state, judged ? " " : " No thresholds: values are not checked. ", seriesCount(status.collector.series) + " by " + status.readers.length + " readers, up " + duration(Date.now() / 1000 - status.collector.started) +
		"; it uses " + digits(cpuShare(status)) + " % of a core and " + amount(status.collector.memory, "B")];
}

function writerTable(status, ...more) {
	return table("Writers", [
		{ title: "Writer", cell: (row) => row.name },
		{ title: "Delivered", number: true, cell: (row) => amount(row.delivered) },
		{ title: "Queued", number: true, cell: (row) => bar(amount(row.queued), row.limit_bytes > 0 ? row.queued_bytes / row.limit_bytes : 0) },
		{ title: "Lost", number: true, cell: (row) => element("span", { class: dropped(row) > 0 ? "bad" : "" }, amount(dropped(row))) },
		...more,
	], status.writers.filter((row) => row.accepted > 0 || row.failure !== ""));
}
// What is written, and what is wrong; the rest is on a page of its own.
function showHealth(into, status) {
	const found = judge(status);
	const wrong = [...found.failing, ...found.stuck].map((row) => [row.name, badge(row.stuck ? "stuck" : "fails", "bad"), " " + row.failure]);
	const nothing = found.nothing.map((row) => row.name).join(", ");
	refill(into, element("h2", {}, "Collector"), writerTable(status), ...(wrong.length > 0 ? [facts("Failing", wrong)] : []),
		element("p", { class: "summary" }, nothing ? "No values from " + nothing + ". " : "", anchor("/health", "All readers and counters")));
}
