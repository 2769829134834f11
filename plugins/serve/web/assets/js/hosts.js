// Hosts behind this one, and whether they have values.

const hostsMax = 200; // In one table; others are found by search.

function hostState(row) {
	if (!row.present)
		return badge("silent since " + moment(row.time), "bad");
	if (row.failure > 0 || row.missing > 0)
		return badge(row.failure > 0 ? row.failure + " failing" : row.missing + " series missing", row.failure > 0 ? "bad" : "warn");
	return row.warning > 0 ? badge(row.warning + (row.warning === 1 ? " warning" : " warnings"), "warn") : badge("present", "good");
}

const hostColumns = [
	{ title: "Host", wide: true, cell: (row) => anchor("/host/" + encodeURIComponent(row.host), row.host), sort: (row) => row.host },
	{ title: "State", cell: hostState, sort: (row) => (row.present ? row.failure + row.missing + row.warning : 1e12) },
	{ title: "Series", number: true, cell: (row) => amount(row.series), sort: (row) => row.series },
	{ title: "Last value", number: true, minor: true, cell: (row) => moment(row.time), sort: (row) => row.time },
];

// All but this host and the guests; the ones that are not well first.
async function showHosts(into, own, guests) {
	const others = (row) => row.host !== own && !guests.has(row.host);
	let answer;
	try {
		answer = await api("hosts", { order: "state", limit: hostsMax + guests.size + 1 });
	} catch (error) {
		return;
	}
	const rows = answer.hosts.filter(others);
	const whole = answer.hosts.length === answer.matched;
	const len = whole ? rows.length : answer.matched - new Set([own, ...guests]).size;
	const silent = answer.silent - answer.hosts.filter((row) => !row.present && !others(row)).length;
	if (rows.length === 0) {
		into.replaceChildren();
		return;
	}
	const body = element("div");
	into.replaceChildren(element("h2", {}, "Hosts behind this one ", element("small", {}, len.toLocaleString("en") + (silent ? ", " + silent + " silent" : "") +
		(len > hostsMax ? "; here " + hostsMax + ", those that are not well first" : ""))), body);
	showTable(body, "Hosts", hostColumns, rows.slice(0, hostsMax));
}
