// The services of a host, as Nagios and Icinga check them.

const stateRanks = ["FAILURE", "WARNING", "OKAY", "UNKNOWN"];
const stateWords = { FAILURE: ["failure", "bad"], WARNING: ["warning", "warn"], OKAY: ["okay", "good"], UNKNOWN: ["", ""] };

// What the last notification of the service says, else what judges say of its series.
function serviceState(row) {
	const told = row.told && (row.told.fields.State || row.told.severity);
	const [word, kind] = stateWords[row.state];
	return told ? badge(told.toLowerCase(), severities[row.told.severity]) : word ? badge(word, kind) : element("span", { class: "soft" }, "\u2013");
}

function serviceRank(row) {
	return row.told ? ["failure", "warning", "okay"].indexOf(row.told.severity) : stateRanks.indexOf(row.state);
}

const serviceColumns = [
	{ title: "Service", wide: true, cell: (row) => anchor("/plugin/" + encodeURIComponent(row.host) + "/" + encodeURIComponent(row.instance), row.name), sort: (row) => row.name },
	{ title: "State", cell: serviceState, sort: serviceRank },
	{ title: "Since", optional: true, cell: (row) => (row.told ? moment(row.told.time) : ""), sort: (row) => (row.told ? row.told.time : null) },
	{ title: "Values now", wide: true, cell: (row) => row.values.join(", ") },
	{ title: "Text", optional: true, wide: true, minor: true, cell: (row) => (row.told ? row.told.message : ""), sort: (row) => (row.told ? row.told.message : null) },
	{ title: "Last checked", number: true, minor: true, cell: (row) => moment(row.time), sort: (row) => row.time },
];

// Those that fail come first.
async function fillServices(into, host, graphs) {
	const units = new Map(graphs.flatMap((graph) => graph.lines.map((line) => [line.series, graph.unit]))), rows = new Map();
	const [{ series }] = await Promise.all([api("latest", { match: seriesOf(host, "perfdata-*"), limit: 10000 }), readNotifications()]);
	for (const { name, rates, state, time } of series) {
		const { plugin_instance: service, type_instance: label } = partsOf(name);
		const row = rows.get(service) || rows.set(service, { host, name: service === "_HOST_" ? "the host itself" : service, instance: "perfdata-" + service, values: [], state: "UNKNOWN", time: 0 }).get(service);
		row.values.push((label ? label + " " : "") + amount(Object.values(rates)[0], unitOf(units.get(name) || "")));
		row.state = stateRanks[Math.min(stateRanks.indexOf(row.state), stateRanks.indexOf(state))] || row.state;
		row.time = Math.max(row.time, time);
		row.told = told.list.find((one) => one.host === host && one.plugin === "perfdata" && one.plugin_instance === service);
	}
	const found = [...rows.values()].sort((a, b) => serviceRank(a) - serviceRank(b) || compare(a.name, b.name));
	showTable(into, "Services", serviceColumns, found);
}
