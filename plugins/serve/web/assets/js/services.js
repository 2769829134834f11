// The services of a host, as Nagios and Icinga check them.

const stateRanks = ["FAILURE", "WARNING", "OKAY", "UNKNOWN"];
const stateWords = { FAILURE: ["failure", "bad"], WARNING: ["warning", "warn"], OKAY: ["okay", "good"], UNKNOWN: ["", ""] };

// The state that stands among the alerts, else what the last notification of the service says, else what judges say of its series.
function serviceState(row) {
	const told = row.told && (row.told.fields.State || row.told.severity);
	const [word, kind] = stateWords[row.state];
	if (row.alert)
		return badge(row.alert.reason.split(" is ").pop().toLowerCase(), row.alert.state === "FAILURE" ? "bad" : "warn");
	return told ? badge(told.toLowerCase(), severities[row.told.severity]) : word ? badge(word, kind) : element("span", { class: "soft" }, "\u2013");
}

function serviceRank(row) {
	if (row.alert)
		return stateRanks.indexOf(row.alert.state);
	return row.told ? ["failure", "warning", "okay"].indexOf(row.told.severity) : stateRanks.indexOf(row.state);
}

function serviceSince(row) {
	return row.alert ? row.alert.since : row.told ? row.told.time : null;
}

// Judges notify of each value; what they say of it now stands among the alerts.
function serviceText(row) {
	return row.alert ? row.alert.reason : row.judged ? row.judged.reason : row.told && (row.told.fields.State || row.told.severity !== "okay") ? row.told.message : null;
}

const serviceColumns = [
	{ title: "Service", wide: true, cell: (row) => anchor("/plugin/" + encodeURIComponent(row.host) + "/" + encodeURIComponent(row.instance), row.name), sort: (row) => row.name },
	{ title: "State", cell: serviceState, sort: serviceRank },
	{ title: "Since", optional: true, cell: (row) => (serviceSince(row) ? moment(serviceSince(row)) : ""), sort: serviceSince },
	{ title: "Values", wide: true, cell: (row) => row.values.join(", ") },
	{ title: "Text", optional: true, wide: true, minor: true, cell: (row) => serviceText(row) || "", sort: serviceText },
	{ title: "Last checked", number: true, minor: true, cell: (row) => moment(row.time), sort: (row) => row.time },
];

// Those that fail come first.
async function fillServices(into, host, graphs) {
	const units = new Map(graphs.flatMap((graph) => graph.lines.map((line) => [line.series, graph.unit]))), rows = new Map();
	const { plugin } = partsOf(graphs[0].lines[0].series);
	const [{ series }, { alerts }] = await Promise.all([api("latest", { match: seriesOf(host, plugin + "-*"), limit: 10000 }), api("alerts"), readNotifications()]);
	const standing = new Map(alerts.filter((one) => one.series.startsWith(host + "/") && one.series.endsWith("/gauge-state")).map((one) => [one.series.slice(host.length + 1, one.series.lastIndexOf("/")).replace(/\//g, "_"), one]));
	const judged = new Map(alerts.map((one) => [one.series, one]));
	for (const { name, rates, state, time } of series) {
		const { plugin_instance: service, type_instance: label } = partsOf(name);
		const row = rows.get(service) || rows.set(service, { host, name: service === "_HOST_" ? "Host check" : service, instance: plugin + "-" + service, alert: standing.get(plugin + "-" + service), values: [], state: "UNKNOWN", time: 0 }).get(service);
		row.values.push((label ? label + " " : "") + amount(Object.values(rates)[0], unitOf(units.get(name) || "")));
		row.state = stateRanks[Math.min(stateRanks.indexOf(row.state), stateRanks.indexOf(state))] || row.state;
		row.time = Math.max(row.time, time);
		row.judged = judged.get(name) || row.judged;
		row.told = told.list.find((one) => one.host === host && one.plugin === plugin && one.plugin_instance === service);
	}
	const drawn = new Set(graphs.flatMap((graph) => graph.lines.map((line) => partsOf(line.series).plugin_instance)));
	const found = [...rows.values()].filter((row) => drawn.has(row.instance.slice(plugin.length + 1))).sort((a, b) => serviceRank(a) - serviceRank(b) || compare(a.name, b.name));
	showTable(into, "Services", serviceColumns, found, Math.max(8, found.filter((row) => serviceRank(row) < 2).length));
}
