// Hosts, and whether they have values; those of the first page.

const hostsMax = 12; // On the first page; all are on a page of their own.

function hostState(row) {
	const { state, failure, missing, warning } = row;
	if (state === "ended") // As its owner wanted it, or it is an alert.
		return badge("ended " + moment(row.time), failure > 0 ? "bad" : "");
	if (state === "silent")
		return badge("silent since " + moment(row.time), "bad");
	if (state === "awaited")
		return badge("awaited", "");
	if (state === "failure")
		return badge(failure + " failing", "bad");
	if (state === "missing")
		return badge(missing + " series missing", "warn");
	return state === "warning" ? badge(warning + (warning === 1 ? " warning" : " warnings"), "warn") : badge("okay", "good");
}

// Per cent, in colour where it is near its end.
function share(value, warn, bad) {
	return value === null ? amount(null) : bar(amount(value, "%"), value / 100, value > bad ? "bad" : value > warn ? "warn" : "");
}

const hostColumns = [
	{ title: "Host", key: "host", wide: true, cell: (row) => anchor("/host/" + encodeURIComponent(row.host), row.host) },
	{ title: "State", key: "state", cell: hostState },
	{ title: "CPU", key: "cpu", number: true, cell: (row) => share(row.cpu, 90, 98) },
	{ title: "Wait", key: "wait", number: true, minor: true, cell: (row) => share(row.wait, 20, 50) },
	{ title: "Memory", key: "memory", number: true, minor: true, cell: (row) => share(row.memory, 90, 97) },
	{ title: "Disk", key: "disk", number: true, minor: true, cell: (row) => share(row.disk, 85, 95) },
	{ title: "Load", key: "load", number: true, minor: true, cell: (row) => amount(row.load) },
];

// Those behind this one that are in the worst state, without guests.
async function showHosts(into, own, guests) {
	const others = (row) => row.host !== own && !guests.has(row.host);
	let answer;
	try {
		answer = await api("hosts", { order: "state", limit: hostsMax + guests.size + 1 });
	} catch (error) {
		return;
	}
	const rows = answer.hosts.filter(others).slice(0, hostsMax);
	const len = answer.hosts.length === answer.matched ? answer.hosts.filter(others).length : answer.matched - new Set([own, ...guests]).size;
	const silent = answer.silent - answer.hosts.filter((row) => ["silent", "ended"].includes(row.state) && !others(row)).length;
	if (rows.length === 0) {
		into.replaceChildren();
		return;
	}
	const body = element("div");
	showTable(body, "Hosts", hostColumns, rows);
	refill(into, element("h2", {}, "Hosts behind this one ", element("small", {}, len.toLocaleString("en") + (silent ? ", " + silent + " silent" : ""))), body);
	if (len > rows.length)
		body.append(element("p", { class: "summary" }, anchor("/hosts", "All " + len.toLocaleString("en") + " hosts"), "; here those in the worst state"));
}
