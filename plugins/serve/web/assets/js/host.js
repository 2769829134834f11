// The graphs of a host.

// States of a CPU, those that matter most at the bottom of the stack.
const cpuStates = ["user", "system", "wait", "steal", "softirq", "interrupt", "nice"];
const memoryStates = ["used", "slab_unrecl", "slab_recl", "buffered", "cached", "free"];

function inOrder(found, names) {
	return names.map((name) => found.find((line) => line.name === name)).filter(Boolean);
}

async function cpuLines(host, now) {
	const data = lines(await histories(now, { match: seriesOf(host, "cpu*/*"), group: "type_instance", function: "average" }), { unit: "%" });
	const idle = data.lines.find((line) => line.name === "idle");
	const busy = idle ? last(idle.values) : null;
	return { ...data, lines: inOrder(data.lines, cpuStates), note: busy === null ? "" : amount(Math.max(0, 100 - busy), "%") + " busy" };
}

async function memoryLines(host, now) {
	const data = lines(await histories(now, { match: seriesOf(host, "memory/memory-*"), group: "type_instance" }), { unit: "B" });
	return { ...data, lines: inOrder(data.lines, memoryStates) };
}

// Whole disks: what is in a partition is in them, too.
async function diskLines(host, now) {
	const data = await histories(now, { match: seriesOf(host, "disk-*/disk_octets"), group: "plugin_instance" });
	const names = data.groups.map((group) => group.name);
	data.groups = data.groups.filter((group) => !names.some((name) => group.name !== name && new RegExp("^p?\\d+$").test(group.name.slice(name.length)) && group.name.startsWith(name)));
	const found = lines(data, { negative: ["write"], filled: true });
	return { ...found, lines: largest(found.lines, 6), note: "read above, write below" };
}

async function networkLines(host, now) {
	const data = await histories(now, { match: seriesOf(host, "interface-*/if_octets"), group: "plugin_instance" });
	data.groups = data.groups.filter((group) => group.name !== "lo");
	const found = lines(data, { negative: ["tx"], filled: true });
	return { ...found, lines: largest(found.lines, 6), note: "received above, sent below" };
}

async function loadLines(host, now) {
	const names = { shortterm: "1 min", midterm: "5 min", longterm: "15 min" };
	return lines(await histories(now, { match: seriesOf(host, "load/load") }), { name: (group, source) => names[source], unit: "" });
}

// Seconds until a line reaches 100, by least squares over what is shown; null if
// that is too short or no line.
function timeToFull(times, values) {
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
	const left = (100 - last(values)) / slope;
	return end - first >= 1800 && fit > 0.8 && slope > 0 && left < 31536000 ? left : null;
}

async function fileSystemLines(host, now) {
	const data = await histories(now, { match: seriesOf(host, "df-*/df_complex-*"), group: "plugin_instance,type_instance" });
	const parts = {};
	for (const group of data.groups) {
		const [name, part] = [group.name.slice(0, group.name.lastIndexOf("/")), group.name.slice(group.name.lastIndexOf("/") + 1)];
		(parts[name] = parts[name] || {})[part] = Object.values(group.sources)[0].average;
	}
	const found = [];
	let soonest = null;
	for (const [name, { used, free, reserved }] of Object.entries(parts)) {
		if (!used || !free)
			continue;
		const values = used.map((value, i) => (value === null || free[i] === null ? null : (100 * value) / (value + free[i] + ((reserved && reserved[i]) || 0) || 1)));
		const left = timeToFull(data.times, values);
		if (left !== null && (soonest === null || left < soonest.left))
			soonest = { name, left };
		found.push({ name: name === "root" ? "/" : "/" + name.replace(/-/g, "/"), unit: "%", values });
	}
	return { ...data, lines: largest(found, 8), note: soonest ? soonest.name + " is full in " + duration(soonest.left) : "" };
}

async function pressureLines(host, now) {
	const data = lines(await histories(now, { match: seriesOf(host, "pressure*/*-avg10"), group: "plugin_instance,type_instance" }),
		{ name: (group) => group.replace("/", ", ").replace("-avg10", " waiting").replace("full", "all") });
	return { ...data, lines: largest(data.lines, 8), note: "time that tasks waited" };
}

async function swapLines(host, now) {
	const data = lines(await histories(now, { match: seriesOf(host, "swap*/swap-*"), group: "type_instance" }), { unit: "B" });
	return { ...data, lines: inOrder(data.lines, ["used", "cached", "free"]) };
}

async function guestLines(now, what, options) {
	const data = lines(await histories(now, { match: what, group: "host" }), options);
	return { ...data, lines: largest(data.lines, 8) };
}

function hostCharts(host, guests) {
	const page = (plugin) => "/plugin/" + encodeURIComponent(host) + "/" + plugin;
	const found = [
		new Chart("CPU", (now) => cpuLines(host, now), { stacked: true, top: 100, link: page("cpu") }),
		new Chart("Memory", (now) => memoryLines(host, now), { stacked: true, link: page("memory") }),
		new Chart("Disks", (now) => diskLines(host, now), { mirrored: true, link: page("disk") }),
		new Chart("Network", (now) => networkLines(host, now), { mirrored: true, link: page("interface") }),
		new Chart("Load", (now) => loadLines(host, now), { link: page("load") }),
		new Chart("File systems", (now) => fileSystemLines(host, now), { top: 100, link: page("df") }),
	];
	if (guests)
		found.push(
			new Chart("Guests, CPU", (now) => guestLines(now, "*/virt*/virt_cpu_total", { scale: 1e-7, unit: "%" }), {}),
			new Chart("Guests, disks", (now) => guestLines(now, "*/virt*/disk_octets-*", { negative: ["write"] }), { mirrored: true }));
	else
		found.push(
			new Chart("Pressure", (now) => pressureLines(host, now), { link: page("pressure") }),
			new Chart("Swap", (now) => swapLines(host, now), { stacked: true, link: page("swap") }));
	return element("div", { class: "charts" }, ...found.map((chart) => chart.element));
}
