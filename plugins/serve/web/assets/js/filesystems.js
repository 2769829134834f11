// File systems, and when they will be full.

// The share that is used of each, in percent, and its sizes now.
function fileSystems(data) {
	const parts = {};
	for (const group of data.groups.values()) {
		const cut = group.name.lastIndexOf("/");
		const name = group.name.slice(0, cut);
		(parts[name] = parts[name] || {})[group.name.slice(cut + 1)] = Object.values(group.sources)[0].average;
	}
	return Object.entries(parts).filter(([, part]) => part.used && part.free).map(([name, { used, free, reserved }]) => ({
		instance: name,
		name: name === "root" ? "/" : "/" + name.replace(/-/g, "/"),
		values: used.map((value, i) => (value === null || free[i] === null ? null : (100 * value) / (value + free[i] + ((reserved && reserved[i]) || 0) || 1))),
		used: last(used),
		free: last(free),
	}));
}

// Seconds until a line reaches the top, by least squares; null if it is known for
// less than half an hour, or is no line.
function timeToTop(times, values, top) {
	let n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, first = null, end = null;
	for (let i = 0; i < values.length; i++)
		if (values[i] !== null) {
			const t = times[i] - times[0];
			n++; x += t; y += values[i]; xx += t * t; xy += t * values[i]; yy += values[i] * values[i];
			first = first === null ? t : first;
			end = t;
		}
	const slope = (n * xy - x * y) / (n * xx - x * x);
	const fit = (n * xy - x * y) ** 2 / ((n * xx - x * x) * (n * yy - y * y));
	const left = (top - last(values)) / slope;
	return end - first >= 1800 && fit > 0.8 && slope > 0 && left < 31536000 ? left : null;
}

function timeToFull(left) {
	return left === null ? "" : element("span", { class: left < 86400 ? "bad" : left < 7 * 86400 ? "warn" : "" }, duration(left));
}

function fillBar(share) {
	return isFinite(share) && share !== null ? bar(amount(share, "%"), share / 100, share > 95 ? "bad" : share > 85 ? "warn" : "") : amount(null);
}

// The week until now says more of the future than what is shown above.
async function showFileSystems(into, host) {
	const data = new History({ match: seriesOf(host, "df-*/df_complex-*"), group: "plugin_instance,type_instance" });
	const now = Date.now() / 1000;
	await data.load({ from: now - 7 * 86400, to: now }, 336);
	const rows = fileSystems(data).map((row) => ({ ...row, share: last(row.values), left: timeToTop(data.times, row.values, 100) }));
	rows.sort((a, b) => b.share - a.share);
	if (rows.length === 0)
		return;
	const body = element("div");
	into.replaceChildren(element("h2", {}, "File systems"), body);
	showTable(body, "Sizes of file systems", [
		{ title: "Mount point", wide: true, cell: (row) => anchor("/plugin/" + encodeURIComponent(host) + "/df-" + encodeURIComponent(row.instance), row.name), sort: (row) => row.name },
		{ title: "Used", number: true, cell: (row) => fillBar(row.share), sort: (row) => row.share },
		{ title: "Free", number: true, cell: (row) => amount(row.free, "B"), sort: (row) => row.free },
		{ title: "Full in", number: true, optional: true, cell: (row) => timeToFull(row.left), sort: (row) => (row.left === null ? null : -row.left) },
	], rows);
}
