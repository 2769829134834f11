// The views that are loaded when somebody goes there.  Each fills the page and
// returns what is to be done again at each refresh, or null.

function otherView(view, kind, rest) {
	switch (kind) {
	case "find":
		return searchView(view, rest);
	case "host":
		return hostView(view, rest.join("/"));
	case "guest":
		return guestPage(view, rest.join("/"));
	case "guests":
		return guestsView(view);
	case "hosts":
		return hostsView(view);
	case "alerts":
		return alertsView(view);
	case "plugin":
		return pluginView(view, rest.slice(0, -1).join("/"), rest[rest.length - 1]);
	case "series":
		return seriesView(view, rest.join("/"));
	case "dumps":
		return load("/dumps.js").then(() => dumpsView(view, rest[0]));
	case "health":
		return healthView(view);
	default:
		view.replaceChildren(heading("Page not found"), element("p", { class: "empty" }, anchor("/", "This host"), ", ", anchor("/hosts", "all hosts"), ", ", anchor("/health", "the collector")));
		return null;
	}
}

function heading(...parts) {
	return element("h1", {}, ...parts.flatMap((part, i) => (i > 0 ? [" / ", part] : [part])));
}

// Also what stands among the alerts beside its series: services, guests.
function withAlerts(row, alerts) {
	const here = alerts.filter((one) => one.series.startsWith(row.host + "/")), failing = here.filter((one) => one.state === "FAILURE").length;
	if (here.length === 0 || !row.present)
		return row;
	return { ...row, state: failing > 0 ? "failure" : row.state === "okay" ? "warning" : row.state, failure: Math.max(row.failure, failing), warning: Math.max(row.warning, here.length - failing) };
}

async function hostView(view, host) {
	let [{ hosts: [row] }, virt, graphs] = await Promise.all([api("hosts", { match: literal(host), limit: 1 }),
		api("series", { match: seriesOf(host, "virt*/virt_cpu_total"), limit: 10 }), graphsOf(seriesOf(host, "*"))]);
	if (virt.matched === 1 && virt.series[0].name === [host, "virt", "virt_cpu_total"].join("/"))
		return guestPage(view, host + "/virt");
	const awaited = row && row.state === "awaited";
	if (row && !row.present && !awaited)
		showUntil(row.time);
	if (!row || !row.present) // Files may have what nobody has sent since the start.
		graphs = (await api("graphs", { match: seriesOf(host, "*"), since: row ? Math.floor(range().from) : 1 })).graphs;
	const note = element("p", { class: "summary" }), disks = element("section"), plugins = element("section");
	view.replaceChildren(heading(host), note, ...(await graphSections(graphs, openGraphs)), element("div", {}, disks, plugins));
	let begun = 0;
	return async () => {
		if (graphs.length === 0 && (graphs = await graphsOf(seriesOf(host, "*"))).length > 0) // They have come, or are known to have ended.
			return show();
		if (begun > 0)
			[row] = (await api("hosts", { match: literal(host), limit: 1 })).hosts;
		if (awaited && row && row.state !== "awaited")
			return show();
		const { alerts } = await api("alerts");
		note.replaceChildren(...(row && row.state !== "awaited" ? [hostState(withAlerts(row, alerts)), " ", seriesCount(row.series)] : graphs.length > 0 ? [badge("No values since the start", "warn"), " graphs are those of before"] : [badge("unknown", "warn"), " no such host"]));
		if (Date.now() - begun > 600000) {
			begun = Date.now();
			await Promise.all([showFileSystems(disks, host), showPlugins(plugins, host, graphs)]);
		}
	};
}

async function guestsView(view) {
	const into = element("section");
	view.replaceChildren(into);
	return guestList(into, "h1");
}

// The graphs of a plugin, or of one of its instances; name: "df" or "df-root".
async function pluginView(view, host, name) {
	const match = seriesOf(host, literal(name) + "*");
	const [{ series, matched }, graphs] = await Promise.all([api("series", { match, limit: 2000 }), graphsOf(match)]);
	const instanceOf = (one) => one.slice(host.length + 1, one.lastIndexOf("/"));
	const isOfPlugin = (one) => instanceOf(one) === name || instanceOf(one).startsWith(name + "-");
	const names = series.map((one) => one.name).filter(isOfPlugin);
	const made = await graphSections(graphs.filter((graph) => isOfPlugin(graph.lines[0].series)), openGraphs);
	const instances = [...new Set(names.map(instanceOf))].filter((one) => one !== name);
	const all = element("details", {}, element("summary", {}, "All series"), element("ul", { class: "names" },
		...names.map((one) => element("li", {}, anchor("/series/" + encodeName(one), one.slice(host.length + 1)), ...(pictures ? [" ", pictureLink(one, "PNG")] : [])))));
	view.replaceChildren(heading(anchor("/host/" + encodeURIComponent(host), host), name), element("p", { class: "summary" }, seriesCount(matched)),
		...(instances.length > 1 ? [element("ul", { class: "plugins" }, ...instances.map((one) => element("li", {}, anchor("/plugin/" + encodeURIComponent(host) + "/" + encodeURIComponent(one), one.slice(name.length + 1)))))] : []),
		...(made.length > 0 ? [...made, all] : [element("p", { class: "empty" }, "No series of this plugin.")]));
	return null;
}

function titleOf({ graph, label }) {
	return graph.graph_title ? graph.graph_title + ": " + label : label;
}

async function seriesView(view, name) {
	const parts = partsOf(name);
	const living = await api("series", { match: literal(name), limit: 1, metadata: 1 }), fields = fieldsOf(living);
	let known = living.matched > 0;
	if (!known && (await api("graphs", { match: literal(name), limit: 1, since: 1 })).matched > 0) {
		known = true; // It has ended.
		showUntil((await api("explain/" + encodeName(name))).series.time);
	}
	const chart = fields.length === 1 ? new Graph(literal(name), fields, { title: titleOf(fields[0]), large: true, alone: true, picture: name }) : new Chart("Values", { match: literal(name) }, (data) => {
		const found = lines(data, { name: (group, source) => source, maximum: true });
		for (const line of found.length > 2 ? [] : found)
			line.filled = !line.thin; // Several areas would hide each other.
		return { lines: found, now: found.length > 0 ? amount(last(found[0].values), found[0].unit) : "" };
	}, { large: true, picture: name });
	const about = element("section");
	await followInterval([{ match: literal(name) }]);
	view.replaceChildren(heading(anchor("/host/" + encodeURIComponent(parts.host), parts.host),
		anchor("/plugin/" + encodeURIComponent(parts.host) + "/" + encodeURIComponent(parts.plugin), parts.plugin), name.slice(parts.host.length + 1)), chart.element, about);
	return async () => {
		known = known || (await api("series", { match: literal(name), limit: 1 })).matched > 0;
		if (!known)
			return about.replaceChildren(element("p", { class: "empty" }, "No series of this name. The page shows it when it arrives."));
		const all = await api("explain/" + encodeName(name));
		about.replaceChildren(element("h2", {}, "Details"), facts("Details", [
			["Description", all.type.help + (all.type.unit ? " (" + all.type.unit + ")" : "")],
			...all.metadata.map((one) => ["Label", one.label + (one.unit ? " (" + one.unit + ")" : "")]),
			...all.attributes.filter((one) => /^(graph_title|graph_info|info|cdef)$/.test(one.name)).map((one) => [one.name, one.value]),
			all.series.missing ? ["Ended", badge("ended " + moment(all.series.time), "bad")] :
				["Source", all.series.made_by + ", every " + duration(all.series.interval) + ", last " + moment(all.series.time)],
			...(all.series.state === "UNKNOWN" && !all.series.missing ? [] : [["State", badge(all.series.state.toLowerCase() + (all.series.missing ? ", missing" : ""), all.series.missing || all.series.state === "FAILURE" ? "bad" : all.series.state === "WARNING" ? "warn" : "good")]]),
			...all.sources.map((source) => ["Last value: " + source.name, amount(source.rate === undefined ? source.value : source.rate, unitOf(all.type.unit)), element("small", {}, "  as read " + source.value)]),
			...all.labels.map((label) => [label.name, label.value]),
			...all.judges.map((one) => [one.name, one.text]),
			...all.destinations.map((one) => ["Written to", one.writer + (one.where ? ": " + one.where : "")]),
			...(pictures ? [["As PNG", pictureLink(name, "day, week, month and year")]] : []),
			["API", element("a", { href: "/api/1/explain/" + encodeName(name), class: "outside" }, "explain"), ", ", element("a", { href: "/api/1/history?match=" + encodeURIComponent(literal(name)), class: "outside" }, "history"), " as JSON"],
		]));
	};
}
