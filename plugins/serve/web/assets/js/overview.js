// The first page: this host, its guests, those behind it, and the collector.

const alertsOfOverview = 5; // All are on a page of their own.

function worstFirst(alerts) {
	const seen = (one) => Boolean(one.acknowledged || one.silenced_until);
	return [...alerts].sort((a, b) => seen(a) - seen(b) || (b.state === "FAILURE") - (a.state === "FAILURE") || (b.since || 0) - (a.since || 0) || compare(a.series, b.series));
}

// An alert on a host that sends nothing any more is on no series.
function isOfSender(row) {
	return row.series.endsWith("/collector/sender");
}

// To the series, or the host, as it was in the hour before.
function sinceLink(row) {
	const path = isOfSender(row) ? "/host/" + encodeURIComponent(partsOf(row.series).host) : "/series/" + encodeName(row.series);
	const all = new URLSearchParams({ range: "65m", end: timeName(Math.ceil(row.since) + 300), ...(isUtc() ? { utc: 1 } : {}) });
	return element("a", { href: address(path, all), title: "The hour before" }, moment(row.since));
}

// What somebody has done about it.
function known(row) {
	return [row.acknowledged ? "acknowledged" + (row.acknowledgement ? ": " + row.acknowledgement : "") : "",
		row.silenced_until ? "silenced until " + moment(row.silenced_until) : ""].filter(Boolean).map((text) => element("small", {}, " (" + text + ")"));
}

// To the series, or, of a service that stands in a state, to its plugin, or to the host.
function alertLink(row, text) {
	if (isOfSender(row))
		return anchor("/host/" + encodeURIComponent(partsOf(row.series).host), text);
	const { host, plugin, plugin_instance, type_instance } = partsOf(row.series);
	return anchor(type_instance === "state" && plugin_instance ? "/plugin/" + encodeURIComponent(host) + "/" + encodeURIComponent(plugin + "-" + plugin_instance) : "/series/" + encodeName(row.series), text);
}

// host: whose alerts they all are, or undefined; more: further columns.
function alertTable(name, alerts, host, ...more) {
	return table(name, [
		{ title: "State", cell: (row) => badge(row.state.toLowerCase(), row.state === "FAILURE" ? "bad" : "warn") },
		{ title: "Since", cell: (row) => (row.since ? sinceLink(row) : amount(null)) },
		{ title: "Series", wide: true, minor: true, cell: (row) => alertLink(row, host === undefined ? row.series : row.series.slice(host.length + 1)) },
		{ title: "Reason", wide: true, cell: (row) => element("span", { title: row.advice }, row.reason, ...known(row)) },
		...more,
	], alerts);
}

// The worst, and a link to the others: the graphs stay on the first screen.
function alertSection(alerts) {
	if (alerts.length === 0)
		return [];
	const more = alerts.length > alertsOfOverview ? [element("p", { class: "summary" }, anchor("/alerts", "All " + alerts.length.toLocaleString("en") + " alerts"))] : [];
	return [element("h2", {}, "Alerts"), alertTable("Alerts", worstFirst(alerts).slice(0, alertsOfOverview)), ...more];
}

async function countGuests() {
	return (await api("series", { match: "*/virt*/virt_cpu_total", limit: 0 })).matched;
}

async function overview(view, status, guests) {
	const own = status.collector.host;
	const note = element("p", { class: "summary" });
	const [alerts, disks, list, hosts, news, health, plugins] = Array.from({ length: 7 }, () => element("section"));
	const few = guests > 0 && guests <= guestsMax;
	const graphs = await graphsOf(seriesOf(own, "*")), first = graphs.filter((graph) => graph.order < 100);
	if (first.length === 0 && guests === 0 && (await api("hosts", { limit: 2 })).hosts.some((row) => row.host !== own)) {
		await loadHosts();
		return hostsView(view); // Little is measured here, but others are.
	}
	const charts = await chartsOf(first.slice(0, few ? 6 : 8));
	charts.classList.add("brief");
	if (few) {
		await loadGuests();
		charts.append(...(await guestsTogether()));
	}
	view.replaceChildren(element("h1", { class: "unseen" }, own), note, alerts, charts, list,
		element("div", { class: "columns three" }, element("div", {}, hosts, disks, plugins), element("div", {}, news), element("div", {}, health)));
	let fill = few ? null : async () => [];
	const refreshGuests = async () => {
		if (!fill) {
			await loadGuests();
			fill = guestList(list, "h2");
		}
		return fill();
	};
	if (guests > guestsMax)
		list.append(element("h2", {}, "Guests"), element("p", { class: "summary" }, guests.toLocaleString("en") + " guests: find one by its name, or look at their hosts."));
	const later = async () => { // What may wait until there are graphs.
		await Promise.all([showFileSystems(disks, own), showPlugins(plugins, own, graphs), readNotifications().catch(() => {})]);
		showNotifications(news, 12);
	};
	let begun = 0, hostsDue = 0;
	onNews = () => showNotifications(news, 12);
	return async () => {
		const [now, wrong, rows] = await Promise.all([api("status"), api("alerts"), refreshGuests()]);
		note.replaceChildren(...summary(now, wrong.alerts, rows.filter((row) => row.stuck).length));
		refill(alerts, ...alertSection(wrong.alerts));
		showHealth(health, now);
		const start = Date.now();
		if (start >= hostsDue) { // What took long is asked less often.
			await showHosts(hosts, own, new Set(rows.map((row) => row.key.slice(0, row.key.lastIndexOf("/")))));
			hostsDue = Date.now() + 20 * (Date.now() - start);
		}
		if (Date.now() - begun > 600000) {
			begun = Date.now();
			await later();
		}
	};
}

// To day, week, month and year of a series or a graph as PNG, without JavaScript.
function pictureLink(name, text) {
	return element("a", { href: "/graphs/" + encodeName(name), class: "outside" }, text);
}

// Everything that is measured on a host, by plugin.
async function showPlugins(into, host, graphs) {
	const { series } = await api("series", { match: seriesOf(host, "*") });
	const counts = new Map();
	for (const { name } of series) {
		const { plugin } = partsOf(name);
		counts.set(plugin, (counts.get(plugin) || 0) + 1);
	}
	if (series.length === 0)
		return 0;
	into.replaceChildren(element("h2", {}, "Plugins"), element("ul", { class: "plugins" }, ...[...counts].map(([plugin, number]) =>
		element("li", {}, anchor("/plugin/" + encodeURIComponent(host) + "/" + encodeURIComponent(plugin), plugin), " ", element("small", {}, String(number))))));
	const drawn = pictures ? graphs.filter((graph) => !graph.own).slice(0, 8) : [];
	if (drawn.length > 0)
		into.append(element("p", { class: "summary" }, "As PNG: ", ...drawn.flatMap((graph, i) => [i > 0 ? ", " : "", pictureLink(host + "/" + graph.id, graph.title)])));
	return series.length;
}

