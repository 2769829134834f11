// All figures of the collector itself.

function readerTable(readers) {
	return table("Readers", [
		{ title: "Reader", cell: (row) => row.name, sort: (row) => row.name },
		{ title: "Every", number: true, minor: true, cell: (row) => (row.interval ? duration(row.interval) : amount(null)), sort: (row) => row.interval },
		{ title: "Values", number: true, cell: (row) => amount(row.values), sort: (row) => row.values },
		{ title: "CPU per read", number: true, cell: (row) => (row.reads > 0 ? duration((row.cpu_ns / row.reads) * 1e-9) : amount(null)), sort: (row) => row.cpu_ns / Math.max(1, row.reads) },
		{ title: "Failed", number: true, cell: (row) => amount(row.failures), sort: (row) => row.failures },
		{ title: "Missed", number: true, minor: true, cell: (row) => amount(row.skipped), sort: (row) => row.skipped },
		{ title: "Failure", wide: true, cell: (row) => (row.stuck ? badge("stuck", "bad") : element("span", { class: row.values > 0 ? "bad" : "soft" }, row.failure)) },
	], readers);
}

const failureColumn = { title: "Failure", wide: true, cell: (row) => element("span", { class: "bad" }, row.failure) };

function collectorFacts(status) {
	const one = status.collector, journal = status.journal[0];
	const whole = (number) => number.toLocaleString("en");
	return facts("Collector", [
		["Version", one.version],
		["CPU time", amount(one.cpu_ns * 1e-9, "s") + ", " + digits(cpuShare(status)) + " % of a core"],
		["Memory", amount(one.memory, "B")],
		["Series", whole(one.series) + " of at most " + whole(one.series_limit) + ", " + whole(one.series_refused) + " refused"],
		["Samples", whole(one.samples) + ", " + whole(one.samples_refused) + " refused, " + whole(one.samples_filtered) + " filtered, " + whole(one.samples_late) + " late"],
		["Notifications", whole(one.notices)],
		["Threads", one.threads + ", " + one.threads_stuck + " stuck"],
		...(journal ? [["Journal", amount(journal.bytes, "B") + " of at most " + amount(journal.limit_bytes, "B") + ", " + amount(journal.queued) + " samples queued" + (journal.failing ? ", fails" : "")]] : []),
	]);
}

async function healthView(view) {
	const into = element("section");
	view.replaceChildren(heading("Collector"), into);
	return async () => {
		const status = await api("status");
		refill(into, collectorFacts(status), element("h2", {}, "Writers"), writerTable(status, failureColumn), element("h2", {}, "Readers"), readerTable(status.readers),
			element("p", { class: "summary" }, ...(status.writers.some((one) => one.name === "recorder") ? [anchor("/dumps", "Dumps of the recorder"), ", "] : []), element("a", { href: "/openapi.json", class: "outside" }, "Description of the API (OpenAPI)")));
	};
}
