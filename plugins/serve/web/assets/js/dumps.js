// Dumps of the recorder: a list of them, and the series of one, with its notices as lines in them.

const dumpChartsMax = 24; // Drawn at a time.
const dumpLinesMax = 12;  // Of a chart.
const dumpUnits = { "By": "B", "1": "" };

// "dump-20231114T221320.000Z.otlp.gz": the time of its cause.
function dumpTime(name) {
	const found = /^dump-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)\.(\d{3})Z/.exec(name);
	return found ? Date.UTC(found[1], found[2] - 1, ...found.slice(3)) / 1000 : NaN;
}

function dumpTitle(name) {
	return isNaN(dumpTime(name)) ? name : moment(dumpTime(name));
}

function dumpsView(view, name) {
	return name ? dumpView(view, name) : dumpList(view);
}

async function dumpList(view) {
	const { dumps } = await api("dumps");
	view.replaceChildren(heading("Dumps"), dumps.length > 0 ? table("Dumps", [
		{ title: "Cause at", cell: (row) => anchor("/dumps/" + encodeURIComponent(row.name), dumpTitle(row.name)), sort: (row) => dumpTime(row.name) },
		{ title: "Size", number: true, cell: (row) => amount(row.size, "B"), sort: (row) => row.size },
		{ title: "File", wide: true, minor: true, cell: (row) => row.name },
	], dumps) : element("p", { class: "empty" }, "No dumps yet: a failure causes one, and so does collectorctl dump."));
	return null;
}

// Rates of what counts; a counter that begins anew has none there.
function ratesOf({ times, values, counts }) {
	return values.map((value, i) => {
		if (!counts)
			return value;
		const change = value - values[i - 1], seconds = times[i] - times[i - 1];
		return change >= 0 && seconds > 0 ? change / seconds : null;
	});
}

// Lines on the times that any of them has.
function linesOf(group) {
	const first = [...group.lines].sort(([a], [b]) => a.localeCompare(b, undefined, { numeric: true })).slice(0, dumpLinesMax);
	const times = [...new Set(first.flatMap(([, line]) => line.times))].sort((a, b) => a - b);
	const places = new Map(times.map((time, i) => [time, i]));
	const plain = group.unit.replace(/\{[^}]*\}/g, ""), unit = plain in dumpUnits ? dumpUnits[plain] : plain; // Of UCUM.
	const lines = first.map(([name, line]) => {
		const values = new Array(times.length).fill(null);
		ratesOf(line).forEach((value, i) => (values[places.get(line.times[i])] = value));
		return { name, unit: line.counts ? (unit === "s" ? "" : unit + "/s") : unit, values };
	});
	return { times, lines };
}

class DumpChart extends Chart {
	constructor(group, shown, lines) {
		super(group.name, { match: "/" }, null, { marks: lines });
		this.more.remove();
		this.shown = shown;
		this.made = linesOf(group);
		this.history.times = this.made.times;
		this.left = group.lines.size - this.made.lines.length;
	}

	async update() {
		this.draw({ ...this.made, note: this.left > 0 ? this.left + " more lines" : "", from: this.shown.from, to: this.shown.to });
	}

	// All charts of the dump show what was dragged over.
	zoom(u) {
		if (u.select.width < 8 || !u.over.matches(":hover"))
			return;
		this.shown.set(u.posToVal(u.select.left, "x"), u.posToVal(u.select.left + u.select.width, "x"));
		u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
	}

	press(event) {
		if (event.key !== "m")
			super.press(event);
	}
}

const counted = (number, noun) => amount(number) + " " + noun + (number === 1 ? "" : "s");

function noticeTable(dump) {
	return table("Notices", [
		{ title: "Time", cell: (row) => clock(new Date(1000 * row.time)) + "." + String(Math.floor(1000 * row.time) % 1000).padStart(3, "0") },
		{ title: "Severity", cell: (row) => badge(row.severity, severities[row.severity] || "") },
		{ title: "Notice", wide: true, cell: (row) => row.text },
	], dump.notices);
}

// Whether anything in it changes; what does not stands last.
function moves(group) {
	return [...group.lines.values()].some(({ values }) => values.some((value) => value !== values[0]));
}

async function dumpView(view, name) {
	const title = heading(anchor("/dumps", "Dumps"), dumpTitle(name));
	view.replaceChildren(title, element("p", { class: "empty" }, "Reading " + name));
	const dump = await readDump(name);
	if (dump.points === 0 && dump.notices.length === 0)
		throw new Error("Dump " + name + ": " + (dump.failure || "there is nothing in it"));
	const all = [...dump.groups.values()], groups = [...all.filter(moves), ...all.filter((group) => !moves(group))];
	const lines = joinMarks(dump.notices, (dump.to - dump.from) / marksApart);
	const shown = { from: dump.from, to: dump.to, set(from, to) {
		Object.assign(shown, { from, to });
		charts.forEach((chart) => chart.update());
	} };
	const words = element("input", { type: "search", placeholder: "Filter series", "aria-label": "Filter series", autocomplete: "off" });
	const into = element("div", { class: "charts" }), said = element("p", { class: "summary" });
	const fill = () => {
		const wanted = words.value.toLowerCase().split(/\s+/);
		const found = groups.filter((group) => wanted.every((word) => group.name.toLowerCase().includes(word)));
		removeCharts();
		into.replaceChildren(...found.slice(0, dumpChartsMax).map((group) => new DumpChart(group, shown, lines).element));
		charts.forEach((chart) => chart.update());
		said.textContent = found.length > dumpChartsMax ? "The first " + dumpChartsMax + " of " + found.length + " graphs; the filter has others." : "";
	};
	words.addEventListener("input", fill);
	view.replaceChildren(title,
		element("p", { class: "summary" }, counted(dump.points, "value") + " of " + counted(groups.length, "graph") + ", " + duration(dump.to - dump.from) + ", " + counted(dump.notices.length, "notice") + ". ",
			...(dump.failure ? [badge("not whole", "bad"), " " + dump.failure + ". "] : []), ...(dump.points >= dumpPointsMax ? ["Later values are not shown. "] : [])),
		element("p", { class: "summary" }, words, " ", button("All of it", "Show the whole time", () => shown.set(dump.from, dump.to))), into, said,
		element("h2", {}, "Notices"), noticeTable(dump));
	fill();
	return null;
}
