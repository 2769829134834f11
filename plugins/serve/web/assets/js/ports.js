// The ports of a switch or router, as the plugin snmp finds them.

function portName(title, { plugin_instance, type_instance }) {
	return [type_instance, plugin_instance].reduce((text, part) => (part && text.startsWith(part) ? text.slice(part.length).trim() : text), title);
}

function portRow([, { parts, series, ...found }], titles) {
	const value = (type, source) => (found[type] && isFinite(found[type][source]) ? found[type][source] : null);
	const bits = (source) => (value("if_octets", source) === null ? null : 8 * value("if_octets", source));
	const name = portName(titles.get(series) || "", parts);
	const speed = value("if_speed", "value"), rx = bits("rx"), tx = bits("tx"), state = value("if_state", "value");
	return {
		port: parts.type_instance, name: name === parts.type_instance ? "" : name, series, speed, rx, tx, state,
		use: speed && rx !== null ? (100 * Math.max(rx, tx)) / speed : null,
		errors: found.if_errors ? (value("if_errors", "rx") || 0) + (value("if_errors", "tx") || 0) : null,
	};
}

const portColumns = [
	{ title: "Port", cell: (row) => anchor("/series/" + encodeName(row.series), row.port), sort: (row) => row.port },
	{ title: "Name", optional: true, wide: true, cell: (row) => row.name, sort: (row) => row.name || null },
	{ title: "State", optional: true, cell: (row) => badge(row.state === 1 ? "up" : "down", row.state === 1 ? "good" : ""), sort: (row) => row.state },
	{ title: "Speed", optional: true, number: true, minor: true, cell: (row) => amount(row.speed || null, "bit/s"), sort: (row) => row.speed || null },
	{ title: "In", number: true, cell: (row) => rate(row.rx, "bit/s"), sort: (row) => row.rx },
	{ title: "Out", number: true, cell: (row) => rate(row.tx, "bit/s"), sort: (row) => row.tx },
	{ title: "Use", optional: true, number: true, minor: true, cell: (row) => (row.use === null ? rate(null) : bar(amount(row.use < 0.01 ? 0 : row.use, "%"), row.use / 100, row.use > 90 ? "warn" : "")), sort: (row) => row.use },
	{ title: "Errors", optional: true, number: true, cell: (row) => (row.errors ? element("span", { class: "bad" }, amount(row.errors, "/s")) : rate(row.errors, "/s")), sort: (row) => row.errors },
];

// Those that are used most come first.
async function fillPorts(into, host, graphs) {
	const titles = new Map(graphs.map((graph) => [graph.lines[0].series, graph.title])), ports = new Map();
	const { series } = await api("latest", { match: seriesOf(host, "snmp*/if_*"), limit: 10000 });
	for (const { name, rates } of series) {
		const parts = partsOf(name), key = parts.plugin_instance + "/" + parts.type_instance;
		const port = ports.get(key) || ports.set(key, { parts }).get(key);
		port[parts.type] = rates;
		if (parts.type === "if_octets")
			port.series = name;
	}
	const rows = [...ports].filter(([, port]) => port.series).map((port) => portRow(port, titles));
	rows.sort((a, b) => compare(b.use, a.use) || compare(b.rx + b.tx, a.rx + a.tx) || compare(a.port, b.port));
	showTable(into, "Ports", portColumns, rows, 8);
}
