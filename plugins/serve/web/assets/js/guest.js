// The page of a guest.

function guestCharts(name) {
	const of = (rest) => literal(name) + "/" + rest;
	const plain = (options) => (data) => {
		const found = lines(data, options);
		return { lines: options.len ? largest(found, options.len) : found, now: options.both && found.length > 0 ? bothWays(found, ...options.both) : found.length > 0 && options.total ? amount(lastSum(found), found[0].unit) : "", note: options.note };
	};
	const device = (group, source) => (group + " " + source).trim();
	return chartGrid([
		new Chart("CPU", { match: of("virt_cpu_total") }, plain({ scale: 1e-7, unit: "%", name: () => "CPU", filled: true, total: true, note: "of one core" })),
		new Chart("Waiting for a CPU", { match: of("virt_vcpu_delay-*"), group: "type_instance" }, plain({ scale: 1e-7, unit: "%", name: (group, source) => "CPU " + group + (source === "delay" ? " ready" : " waits for I/O"), len: 8 })),
		new Chart("Memory", { match: of("memory-*"), group: "type_instance" }, plain({ len: 6, name: (group) => group.replace("_", " ") })),
		new Chart("Disks", { match: of("disk_octets-*"), group: "type_instance" }, plain({ negative: ["write"], filled: true, both: ["read", "write"], len: 6, name: device }), { mirrored: true }),
		new Chart("Disk requests", { match: of("disk_ops-*"), group: "type_instance" }, plain({ negative: ["write"], unit: "/s", both: ["read", "write"], len: 6, name: device }), { mirrored: true }),
		new Chart("Network", { match: of("if_octets-*"), group: "type_instance" }, plain({ negative: ["tx"], scale: 8, unit: "bit/s", filled: true, both: ["rx", "tx"], len: 6, name: device }), { mirrored: true }),
		new Chart("Packets", { match: of("if_packets-*"), group: "type_instance" }, plain({ negative: ["tx"], unit: "/s", both: ["rx", "tx"], len: 6, name: device }), { mirrored: true }),
		new Chart("Disk space", { match: of("disk_*a*-*"), group: "type,type_instance" }, plain({ len: 6, name: (group) => group.replace("disk_", "").replace("/", " of ") })),
	]);
}

// name: "web1/virt" or "kvm1/virt-web1".
async function guestPage(view, name) {
	const note = element("p", { class: "summary" }), about = element("section");
	const parts = partsOf(name + "/x");
	const key = parts.host + "/" + parts.plugin_instance;
	view.replaceChildren(heading(anchor("/guests", "Guests"), guestName(key)), note, guestCharts(name), about);
	return async () => {
		const [latest, known] = await Promise.all([api("latest", { match: literal(name) + "/*" }), api("explain/" + encodeName(name) + "/virt_cpu_total").catch(() => null)]);
		const kinds = {};
		for (const { name: series, rates } of latest.series) {
			const one = partsOf(series);
			const kind = one.type === "memory" ? series.slice(series.lastIndexOf("/") + 1) : one.type;
			for (const [source, rate] of Object.entries(rates))
				(kinds[kind] = kinds[kind] || {})[source] = (kinds[kind][source] || 0) + (rate || 0);
		}
		const row = guestRow([key, kinds]);
		note.replaceChildren(badge(row.word || "known", row.stuck ? "bad" : row.state === 1 || row.state === null ? "good" : "warn"),
			row.stuck ? " its QEMU does not answer; what the kernel tells goes on" : " CPU " + amount(row.cpu, "%") + ", ready " + amount(row.ready, "%") + ", memory " + amount(row.memory, "B") + (row.fill === null ? "" : ", disks " + amount(row.fill, "%") + " used"));
		if (known && known.labels.length > 0)
			about.replaceChildren(element("h2", {}, "Labels"), facts("Labels", known.labels.map((label) => [label.name, label.value])));
	};
}
