// The guests of this host, and other hosts: tables, the busiest first.

// The last known value of each group, by its name and source.
async function lastOf(match) {
	const answer = await api("history", { match, group: "host", from: -120, points: 12 });
	return new Map(answer.history.map((group) => [group.name,
		Object.fromEntries(Object.entries(group.sources).map(([source, points]) => [source, last(points.average)]))]));
}

async function guestTable() {
	const [cpu, memory, disk, net] = await Promise.all(["*/virt*/virt_cpu_total", "*/virt*/memory-actual_balloon", "*/virt*/disk_octets-*", "*/virt*/if_octets-*"].map(lastOf));
	const rows = [...cpu].map(([name, { value }]) => ({ name, cpu: value === null ? null : value * 1e-7, memory: (memory.get(name) || {}).value, disk: disk.get(name) || {}, net: net.get(name) || {} }));
	rows.sort((a, b) => (b.cpu || 0) - (a.cpu || 0) || a.name.localeCompare(b.name));
	return rows;
}

const guestColumns = [
	{ title: "Guest", cell: (row) => element("a", { href: link("/host/" + encodeURIComponent(row.name)) }, row.name) },
	{ title: "CPU", number: true, cell: (row) => amount(row.cpu, "%") },
	{ title: "Memory", number: true, cell: (row) => amount(row.memory, "B") },
	{ title: "Disk read", number: true, cell: (row) => amount(row.disk.read, "B/s") },
	{ title: "written", number: true, cell: (row) => amount(row.disk.write, "B/s") },
	{ title: "Net received", number: true, cell: (row) => amount(row.net.rx, "B/s") },
	{ title: "sent", number: true, cell: (row) => amount(row.net.tx, "B/s") },
];

function alertRows(answer) {
	return table([
		{ title: "State", cell: (row) => element("span", { class: row.state === "FAILURE" ? "bad" : "warn" }, row.state) },
		{ title: "Since", cell: (row) => (row.since ? new Date(row.since * 1000).toLocaleString() : "-") },
		{ title: "Series", cell: (row) => element("a", { href: link("/series/" + encodeName(row.series)) }, row.series) },
		{ title: "Why", wide: true, cell: (row) => row.reason },
	], answer.alerts);
}

// The slashes of a name stay.
function encodeName(name) {
	return name.split("/").map(encodeURIComponent).join("/");
}
