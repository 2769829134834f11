// Hosts behind this one, and whether they have values.

const seenHosts = new Map();
const hostsMax = 200; // In one table; others are found by search.

function hostState(row) {
	if (!row.present)
		return badge("silent since " + moment(row.time), "bad");
	if (row.failure > 0 || row.missing > 0)
		return badge(row.failure > 0 ? row.failure + " failing" : row.missing + " series missing", row.failure > 0 ? "bad" : "warn");
	return row.warning > 0 ? badge(row.warning + " warnings", "warn") : badge("present", "good");
}

const hostColumns = [
	{ title: "Host", cell: (row) => anchor("/host/" + encodeURIComponent(row.host), row.host), sort: (row) => row.host },
	{ title: "State", cell: hostState, sort: (row) => (row.present ? row.failure + row.missing + row.warning : 1e12) },
	{ title: "Series", number: true, cell: (row) => amount(row.series), sort: (row) => row.series },
	{ title: "Last value", number: true, minor: true, cell: (row) => moment(row.time), sort: (row) => row.time },
];

// All but this host and the guests; the ones that are not well first.
async function showHosts(into, own, guests) {
	let answer;
	try {
		answer = await api("hosts", { limit: 10000 });
	} catch (error) {
		return 0;
	}
	for (const row of answer.hosts)
		seenHosts.set(row.host, row);
	for (const row of seenHosts.values()) // One that is silent for long has no series any more.
		if (!answer.hosts.includes(row))
			row.present = false;
	const rows = [...seenHosts.values()].filter((row) => row.host !== own && !guests.has(row.host));
	rows.sort((a, b) => a.present - b.present || b.failure + b.missing - a.failure - a.missing || compare(a.host, b.host));
	const silent = rows.filter((row) => !row.present).length;
	if (rows.length === 0) {
		into.replaceChildren();
		return 0;
	}
	const body = element("div");
	into.replaceChildren(element("h2", {}, "Hosts behind this one ", element("small", {}, rows.length.toLocaleString("en") + (silent ? ", " + silent + " silent" : "") +
		(rows.length > hostsMax ? "; here " + hostsMax + ", those that are not well first" : ""))), body);
	showTable(body, "Hosts", hostColumns, rows.slice(0, hostsMax));
	return silent;
}
