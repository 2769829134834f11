// Guests: virtual machines that the plugin virt measures.

const states = ["unknown", "running", "blocked", "paused", "shutting down", "shut off", "crashed", "suspended"];

function guestPath(key) {
	const cut = key.lastIndexOf("/");
	return "/guest/" + encodeName(key.slice(0, cut)) + "/" + encodeURIComponent(key.slice(cut + 1));
}

// The last rates of all guests: by guest, type and source, summed over instances.
async function guestRates() {
	const kinds = ["virt_cpu_total", "virt_vcpu_delay-*", "memory-*", "disk_octets-*", "if_octets-*", "disk_allocation-*", "disk_capacity-*", "domain_state", "virt_responsive"];
	const answers = await Promise.all(kinds.map((kind) => api("latest", { match: "*/virt*/" + kind, limit: 10000 })));
	const guests = new Map();
	for (const { series } of answers)
		for (const { name, rates } of series) {
			const parts = partsOf(name);
			const key = parts.host + "/" + parts.plugin_instance;
			const kind = parts.type === "memory" ? name.slice(name.lastIndexOf("/") + 1) : parts.type;
			const guest = guests.get(key) || guests.set(key, {}).get(key);
			const sums = (guest[kind] = guest[kind] || {});
			for (const [source, rate] of Object.entries(rates))
				sums[source] = (sums[source] || 0) + (rate || 0);
		}
	await addNeighbours(guests);
	return guests;
}

// What noisy_neighbour reports of a guest: the worst that it suffers because of another one.
const sufferings = { steal_from: "CPU", disk_wait_from: "disk", link_share_of: "link", memory_wait_from: "memory" };

function takeNeighbour(guest, { name, rates }) {
	const one = partsOf(name), percent = rates.value || 0;
	if (sufferings[one.type] && percent > (guest.noisy ? guest.noisy.percent : 0))
		guest.noisy = { percent, name: one.type_instance.replace(/^\S+?\.slice_/, ""), what: sufferings[one.type] };
}

async function addNeighbours(guests) {
	const kinds = ["*_from-*", "link_share_of-*"];
	for (const { series } of await Promise.all(kinds.map((kind) => api("latest", { match: "*/noisy_neighbour*/" + kind, limit: 10000 }))))
		for (const one of series) {
			const parts = partsOf(one.name), guest = guests.get(parts.host + "/" + parts.plugin_instance);
			if (guest)
				takeNeighbour(guest, one);
		}
}

function noisyWords(noisy) {
	return noisy.what + " " + Math.round(noisy.percent) + " % " + noisy.name;
}

function guestRow([key, kinds]) {
	const value = (kind, source) => (kinds[kind] && isFinite(kinds[kind][source || "value"]) ? kinds[kind][source || "value"] : null);
	const stuck = value("virt_responsive") === 0;
	const state = value("domain_state", "state");
	const size = value("disk_capacity");
	const balloon = value("memory-actual_balloon") ?? value("memory-total"), unused = value("memory-unused");
	return {
		key, stuck, state,
		noisy: kinds.noisy || null,
		name: guestName(key),
		word: stuck ? "stuck" : state === null ? "" : states[state] || "state " + state,
		cpu: value("virt_cpu_total") === null ? null : value("virt_cpu_total") * 1e-7,
		ready: value("virt_vcpu_delay", "delay") === null ? null : value("virt_vcpu_delay", "delay") * 1e-7,
		memory: balloon, used: balloon !== null && unused !== null ? balloon - unused : null,
		read: value("disk_octets", "read"), write: value("disk_octets", "write"),
		rx: value("if_octets", "rx"), tx: value("if_octets", "tx"),
		fill: size ? (100 * value("disk_allocation")) / size : null,
	};
}

// When the disks of guests will be full, by what they were in the last day.
async function guestForecasts() {
	const now = Date.now() / 1000;
	const [used, size] = ["*/virt*/disk_allocation-*", "*/virt*/disk_capacity-*"].map((match) => new History({ match, group: guestGroup }));
	await Promise.all([used.load({ from: now - 86400, to: now }, 96), size.load({ from: now - 600, to: now }, 10)]);
	const left = new Map();
	for (const [key, group] of used.groups)
		if (size.groups.has(key))
			left.set(key.includes("/") ? key : key + "/", timeToTop(used.times, group.sources.value.average, last(size.groups.get(key).sources.value.average)));
	return left;
}

// A rate of nothing is grey: what is not is seen at once.
function rate(value, unit) {
	return element("span", { class: value ? "" : "soft" }, amount(value, unit));
}

const guestColumns = [
	{ title: "Guest", cell: (row) => anchor(guestPath(row.key), row.name), sort: (row) => row.name },
	{ title: "State", optional: true, cell: (row) => badge(row.word, row.stuck || row.state === 6 ? "bad" : row.state === 1 || row.state === null ? "good" : "warn"), sort: (row) => row.word || null },
	{ title: "CPU", number: true, cell: (row) => (row.cpu === null ? rate(null) : bar(amount(row.cpu, "%"), row.cpu / 100)), sort: (row) => row.cpu },
	{ title: "Ready", optional: true, number: true, cell: (row) => (row.ready > 10 ? element("span", { class: "warn" }, amount(row.ready, "%")) : rate(row.ready, "%")), sort: (row) => row.ready },
	{ title: "Neighbour", optional: true, wide: true, cell: (row) => (row.noisy ? element("span", { class: "warn" }, noisyWords(row.noisy)) : rate(null)), sort: (row) => (row.noisy ? row.noisy.percent : null) },
	{ title: "Memory", optional: true, number: true, cell: (row) => (row.used === null ? rate(row.memory, "B") : bar(amount(row.memory, "B"), row.used / row.memory)), sort: (row) => row.memory },
	{ title: "Read", optional: true, number: true, cell: (row) => rate(row.read, "B/s"), sort: (row) => row.read },
	{ title: "Written", optional: true, number: true, cell: (row) => rate(row.write, "B/s"), sort: (row) => row.write },
	{ title: "Received", optional: true, number: true, minor: true, cell: (row) => rate(row.rx === null ? null : 8 * row.rx, "bit/s"), sort: (row) => row.rx },
	{ title: "Sent", optional: true, number: true, minor: true, cell: (row) => rate(row.tx === null ? null : 8 * row.tx, "bit/s"), sort: (row) => row.tx },
	{ title: "Disks used", optional: true, number: true, cell: (row) => (row.fill === null ? rate(null) : fillBar(row.fill)), sort: (row) => row.fill },
	{ title: "Full in", optional: true, number: true, cell: (row) => timeToFull(row.left), sort: (row) => (row.left === null ? null : -row.left) },
];

// What needs attention first: stuck ones, then the busiest.
function busier(a, b) {
	return b.stuck - a.stuck || (b.cpu || 0) + (b.ready || 0) - (a.cpu || 0) - (a.ready || 0) || (b.read || 0) + (b.write || 0) - (a.read || 0) - (a.write || 0) || compare(a.name, b.name);
}

// Fills 'into' now and returns what fills it again; level: of its heading.
function guestList(into, level) {
	let forecasts = new Map(), asked = 0;
	const title = element(level, {}, "Guests"), body = element("div");
	into.replaceChildren(title, body);
	return async () => {
		if (Date.now() - asked > 600000) {
			asked = Date.now();
			guestForecasts().then((found) => (forecasts = found), () => {});
		}
		const rows = [...(await guestRates())].map(guestRow).sort(busier);
		for (const row of rows)
			row.left = forecasts.has(row.key) ? forecasts.get(row.key) : null;
		const stuck = rows.filter((row) => row.stuck).length;
		title.replaceChildren("Guests ", element("small", {}, rows.length + (stuck ? ", " + stuck + " stuck" : "") + (rows.length > guestsMax ? "; the busiest " + guestsMax : "")));
		showTable(body, "Guests", guestColumns, rows.slice(0, guestsMax));
		return rows;
	};
}

// The lines of the graphs of all guests in one, each with the name of its guest.
async function guestsGraph(title, match) {
	const { graphs } = await api("graphs", { match, limit: guestsMax });
	const lines = graphs.flatMap((graph) => graph.lines.map((line) => {
		const { host, plugin_instance } = partsOf(line.series), guest = plugin_instance || host;
		return { ...line, name: graph.lines.length > 1 ? guest + " " + line.name : guest, draw: "line", now: true };
	}));
	return lines.length > 0 ? [ruleChart({ ...graphs[0], id: "", title, match, lines, most: 6, link: "/guests" }).element] : [];
}

// What they use together.
async function guestsTogether() {
	return (await Promise.all([guestsGraph("Guest CPU", "*/virt*/virt_cpu_total"), guestsGraph("Guest disks", "*/virt*/disk_octets-*")])).flat();
}
