// The views: what an address shows.  Each fills the page and returns what is to
// be done again at each refresh.

function dropped(writer) {
	return writer.dropped_full + writer.dropped_refused + writer.dropped_stop + writer.dropped_quota + writer.dropped_damaged;
}

// One sentence on the collector itself.
function summary(status) {
	const failing = [...status.readers, ...status.writers].filter((one) => one.failure !== "");
	const lost = status.writers.reduce((sum, writer) => sum + dropped(writer), 0);
	const seconds = Date.now() / 1000 - status.collector.started;
	const share = (100 * status.collector.cpu_ns * 1e-9) / Math.max(1, seconds);
	const bad = failing.length > 0 || lost > 0 || status.collector.series_failure > 0;
	const state = element("span", { class: bad ? "bad" : status.collector.series_warning > 0 ? "warn" : "good" }, bad ? "not all is well" : "all is well");
	return [state, ": " + amount(status.collector.series) + " series by " + status.readers.length + " readers, " +
		failing.length + " failing, " + amount(lost) + " values lost, " + digits(share) + " % of a core, " +
		amount(status.collector.memory, "B") + ", up for " + duration(seconds)];
}

async function overview(view, host, own) {
	const guests = own && (await api("series", { match: "*/virt*/virt_cpu_total", limit: 0 })).matched > 0;
	const note = element("p", { class: "summary" });
	const alerts = element("section"), list = element("section"), health = element("section");
	view.replaceChildren(...(own ? [] : [element("h1", {}, host)]), note, alerts, hostCharts(host, guests), list, health);
	if (!own)
		return async () => note.replaceChildren(amount((await api("series", { match: seriesOf(host, "*"), limit: 0 })).matched) + " series");
	return async () => {
		const status = await api("status");
		note.replaceChildren(...summary(status));
		showAlerts(alerts, await api("alerts"));
		if (guests)
			list.replaceChildren(element("h2", {}, "Guests"), table(guestColumns, await guestTable()));
		showHealth(health, status);
	};
}

function showAlerts(section, answer) {
	if (answer.alerts.length === 0)
		section.replaceChildren();
	else
		section.replaceChildren(element("h2", {}, "Not well"), alertRows(answer));
}

function showHealth(section, status) {
	const writers = table([
		{ title: "Writer", cell: (row) => row.name },
		{ title: "delivered", number: true, cell: (row) => amount(row.delivered) },
		{ title: "waiting", number: true, cell: (row) => amount(row.queued) },
		{ title: "lost", number: true, cell: (row) => element("span", { class: dropped(row) > 0 ? "bad" : "" }, amount(dropped(row))) },
		{ title: "", wide: true, cell: (row) => row.failure },
	], status.writers.filter((row) => row.accepted > 0));
	const failing = status.readers.filter((row) => row.failure !== "");
	const readers = table([
		{ title: "Reader", cell: (row) => row.name },
		{ title: "Why it fails", wide: true, cell: (row) => row.failure },
	], failing);
	section.replaceChildren(element("h2", {}, "The collector"), writers, ...(failing.length > 0 ? [element("h2", {}, "Readers that fail"), readers] : []));
}

// A chart for each type of a plugin's instance.
async function pluginView(view, host, plugin) {
	const found = await api("series", { match: seriesOf(host, literal(plugin) + "*"), limit: 2000 });
	const own = (name) => name === plugin || name.startsWith(plugin + "-");
	const groups = new Map();
	for (const { name } of found.series) {
		const [, instance, type] = name.split("/");
		if (own(instance))
			groups.set(instance + "/" + type.split("-")[0], (groups.get(instance + "/" + type.split("-")[0]) || 0) + 1);
	}
	const made = [...groups.keys()].slice(0, 48).map((group) => new Chart(group, async (now) => {
		const data = await histories(now, { match: literal(host + "/" + group) + "*" });
		const exact = data.groups.filter((one) => [group, ""].includes(one.name.slice(host.length + 1).split("-").slice(0, -1).join("-")) || one.name.startsWith(host + "/" + group));
		return lines({ ...data, groups: exact.slice(0, 16) }, { name: (name, source) => name.slice(host.length + group.length + 2) + (source === "value" ? "" : " " + source) || "value" });
	}, { link: "/series/" + encodeName(host + "/" + group) }));
	view.replaceChildren(element("h1", {}, element("a", { href: link("/host/" + encodeURIComponent(host)) }, host), " / " + plugin),
		element("p", { class: "summary" }, found.matched + " series" + (groups.size > 48 ? ", the first 48 charts" : "")),
		made.length > 0 ? element("div", { class: "charts" }, ...made.map((chart) => chart.element)) : element("p", { class: "empty" }, "There are no series of this plugin."));
	return async () => {};
}

async function seriesView(view, name) {
	const chart = new Chart("Values", async (now) => lines(await histories(now, { match: literal(name) }), { name: (group, source) => source, filled: true }), { large: true });
	const facts = element("section");
	view.replaceChildren(element("h1", {}, name), element("div", {}, chart.element), facts);
	return async () => {
		const about = await api("explain/" + encodeName(name));
		const rows = [
			["Measures", about.type.help + (about.type.unit ? " (" + about.type.unit + ")" : "")],
			["Made by", about.series.made_by + ", every " + duration(about.series.interval)],
			["State", about.series.state + (about.series.missing ? ", missing" : "")],
			...about.sources.map((source) => ["Value of " + source.name, amount(source.rate === undefined ? null : source.rate, unitOf(about.type.unit)) + ", as read " + source.value]),
			...about.labels.map((label) => [label.name, label.value]),
			...about.judges.map((judge) => [judge.name, judge.text]),
			...about.destinations.map((destination) => ["Goes to", destination.writer + (destination.where ? ": " + destination.where : "")]),
		];
		facts.replaceChildren(element("h2", {}, "What it is"), table([
			{ title: "Fact", cell: (row) => row[0] },
			{ title: "Value", wide: true, cell: (row) => row[1] },
		], rows));
	};
}

async function searchView(view, words) {
	const glob = "*" + words.trim().split(/\s+/).map(literal).join("*") + "*";
	const found = await api("series", { match: glob, limit: 300 });
	const names = found.series.map(({ name }) => element("li", {}, element("a", { href: link("/series/" + encodeName(name)) }, name)));
	view.replaceChildren(element("h1", {}, "\u201c" + words + "\u201d"),
		element("p", { class: "summary" }, found.matched + " series" + (found.matched > names.length ? ", the first " + names.length : "")),
		element("div", { class: "scroll" }, element("ul", { class: "names" }, ...names)));
	return async () => {};
}
