// The charts of a host.

// States of a CPU, those that matter most at the bottom of the stack.
const cpuStates = { user: "line0", system: "line1", wait: "line5", steal: "line4", softirq: "line2", interrupt: "line6", nice: "line3" };
const memoryStates = { used: "line0", slab_unrecl: "line1", slab_recl: "line4", buffered: "line3", cached: "line2", free: "rest" };
// Interfaces inside of a host: what they carry to others is counted by one that is outside.
const innerInterfaces = /^(lo|tap|vnet|macvtap|veth|virbr|docker|br-|bridge|cni|flannel|cali|fwbr|fwpr|fwln|ovs)/;

// Those lines that have these names, in this order and with these colours.
function inOrder(found, shades) {
	return Object.keys(shades).map((name) => {
		const line = found.find((one) => one.name === name);
		return line && { ...line, shade: shades[name] };
	}).filter(Boolean);
}

function cpuView(data) {
	const found = lines(data, { unit: "%" });
	const idle = found.find((line) => line.name === "idle");
	const busy = idle ? last(idle.values) : null;
	return { lines: busyOnes(inOrder(found, cpuStates), 3), now: busy === null ? "" : amount(Math.max(0, 100 - busy), "%") };
}

function memoryView(data) {
	const found = inOrder(lines(data, { unit: "B" }), memoryStates);
	const used = found.find((line) => line.name === "used");
	const size = lastSum(found);
	const plain = found.map((line) => ({ ...line, name: line.name.replace("slab_unrecl", "slab").replace("slab_recl", "slab, reclaimable") }));
	return { lines: plain, now: used && size ? amount((100 * last(used.values)) / size, "%") : "", note: size ? "of " + amount(size, "B") : "" };
}

// Whole disks: what is in a partition is in them, too.
function isPartition(name, names) {
	return names.some((whole) => name !== whole && name.startsWith(whole) && /^p?\d+$/.test(name.slice(whole.length)));
}

// "read 3.1 write 0.2 MB/s", with one unit for both; the first is drawn upwards.
function bothWays(found, into, from) {
	const [up, down] = [into, from].map((source) => lastSum(found.filter((line) => line.source === source)) || 0);
	const [, prefix] = amount(Math.max(down, up), "?").match(/\s?(\S?)\?$/);
	const scale = 1000 ** prefixes.indexOf(prefix);
	const named = (source) => element("small", {}, ({ rx: "in", tx: "out" })[source] || source);
	return [named(into), " " + digits(up / scale) + " ", named(from), " " + digits(down / scale) + " " + prefix + found[0].unit];
}

// Without those that are nothing all the time, except the first ones.
function busyOnes(found, len) {
	return found.filter((line, i) => i < len || line.values.some((value) => value > 0.05));
}

function diskView(data) {
	const names = [...data.groups.keys()];
	const found = lines(data, { negative: ["write"], filled: true }).filter((line) => !isPartition(line.name.replace(/ (read|write)$/, ""), names));
	return { lines: largest(found, 6), now: found.length > 0 ? bothWays(found, "read", "write") : "" };
}

function networkView(data) {
	const all = lines(data, { negative: ["tx"], filled: true, scale: 8, unit: "bit/s" });
	const outer = all.filter((line) => !innerInterfaces.test(line.name) && !guestInterfaces.has(line.name.replace(/ [rt]x$/, "")));
	const found = outer.length > 0 ? outer : all;
	return { lines: largest(found, 6), now: found.length > 0 ? bothWays(found, "rx", "tx") : "" };
}

function loadView(data) {
	const names = { shortterm: "1 min", midterm: "5 min", longterm: "15 min" };
	const found = lines(data, { name: (group, source) => names[source], unit: "" });
	return { lines: found, now: found.length > 0 ? amount(last(found[0].values)) : "" };
}

function pressureView(data) {
	const found = lines(data, { name: (group) => group.replace("/", ", ").replace("-avg10", "").replace("full", "all").replace("some", "some tasks").replace(/all$/, "all tasks") });
	const worst = Math.max(0, ...found.map((line) => last(line.values) || 0));
	return { lines: largest(found, 6), now: found.length > 0 ? amount(worst, "%") : "", note: "of the time tasks wait" };
}

function swapView(data) {
	const found = inOrder(lines(data, { unit: "B" }), { used: "line0", cached: "line2", free: "rest" });
	const size = lastSum(found);
	if (!size)
		return { lines: [], empty: "no swap space" };
	const used = found.find((line) => line.name === "used");
	return { lines: found, now: used ? amount((100 * last(used.values)) / size, "%") : "", note: "of " + amount(size, "B") };
}

function fileSystemView(data) {
	const found = fileSystems(data).map(({ name, values }) => ({ name, unit: "%", values }));
	const fullest = [...found].sort((a, b) => last(b.values) - last(a.values))[0];
	return { lines: largest(found, 6), now: fullest ? amount(last(fullest.values), "%") : "", note: fullest ? fullest.name : "" };
}

function guestCpuView(data) {
	const found = lines(data, { scale: 1e-7, unit: "%", name: guestName });
	return { lines: largest(found, 6), now: amount(lastSum(found), "%"), note: "of one core" };
}

// What a guest reads and writes, together.
function guestDiskView(data) {
	const each = lines(data, { name: guestName });
	const found = each.filter((line) => line.source === "read").map((line) => {
		const other = each.find((one) => one.name === line.name && one.source === "write");
		return { ...line, values: line.values.map((value, i) => (value === null ? null : value + ((other && other.values[i]) || 0))) };
	});
	return { lines: largest(found, 6), now: each.length > 0 ? bothWays(each, "read", "write") : "" };
}

function hostCharts(host, guests) {
	const page = (plugin) => "/plugin/" + encodeURIComponent(host) + "/" + plugin;
	const made = [
		new Chart("CPU", { match: seriesOf(host, "cpu*/*"), group: "type_instance", function: "average" }, cpuView, { stacked: true, top: 100, link: page("cpu") }),
		new Chart("Memory", { match: seriesOf(host, "memory/memory-*"), group: "type_instance" }, memoryView, { stacked: true, link: page("memory") }),
		new Chart("Disks", { match: seriesOf(host, "disk-*/disk_octets"), group: "plugin_instance" }, diskView, { mirrored: true, link: page("disk") }),
		new Chart("Network", { match: seriesOf(host, "interface-*/if_octets"), group: "plugin_instance" }, networkView, { mirrored: true, link: page("interface") }),
		new Chart("Load", { match: seriesOf(host, "load/load") }, loadView, { link: page("load") }),
		new Chart("File systems", { match: seriesOf(host, "df-*/df_complex-*"), group: "plugin_instance,type_instance" }, fileSystemView, { top: 100, link: page("df") }),
	];
	if (guests)
		made.push(
			new Chart("Guest CPU", { match: "*/virt*/virt_cpu_total", group: guestGroup }, guestCpuView, { link: "/guests" }),
			new Chart("Guest disks", { match: "*/virt*/disk_octets-*", group: guestGroup }, guestDiskView, { link: "/guests" }));
	else
		made.push(
			new Chart("Pressure", { match: seriesOf(host, "pressure*/*-avg10"), group: "plugin_instance,type_instance" }, pressureView, { link: page("pressure") }),
			new Chart("Swap", { match: seriesOf(host, "swap*/swap-*"), group: "type_instance" }, swapView, { stacked: true, link: page("swap") }));
	return chartGrid(made);
}
