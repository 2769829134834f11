// The graphs of a host, as /api/1/graphs knows them by the rules of the collector.

const openGraphs = 32; // Of a page; others are folded: the stream has so many globs.

// The graphs of those series, and of those that have ended since the range began.
async function graphsOf(match) {
	return (await api("graphs", { match, since: Math.floor(range().from) })).graphs;
}

function groupOfLine(line, history) {
	return history.groups.get(line.group === undefined ? line.series : line.group);
}

// What a line has at each point, in the unit of the graph.
function pointsOf(graph, line, history) {
	const group = groupOfLine(line, history);
	const points = group && group.sources[line.source], scale = line.scale || graph.scale;
	const scaled = (values) => (scale === 1 ? values : values.map((value) => (value === null ? null : value * scale)));
	if (line.draw === "limit")
		return { ...line, values: [] };
	const extreme = (kind) => (points[kind] && !graph.share ? scaled(points[kind]) : undefined);
	return points && { ...line, of: group.name, values: scaled(points.average), maximum: extreme("maximum"), minimum: extreme("minimum") };
}

// Each as its share of all of the same instance.
function shares(found) {
	const wholes = {};
	for (const { instance, values } of found)
		wholes[instance] = values.map((value, i) => (wholes[instance] ? wholes[instance][i] : 0) + (value || 0));
	return found.map((line) => ({ ...line, values: line.values.map((value, i) => (value === null ? null : (100 * value) / (wholes[line.instance][i] || 1))) }));
}

// "in 3.1 out 0.2 MB/s", with one unit for both; the first is drawn upwards.
function bothWays(found, unit) {
	const half = (below) => found.filter((line) => Boolean(line.below) === below);
	const [up, down] = [false, true].map((below) => lastSum(half(below)) || 0);
	const [, prefix] = amount(Math.max(down, up), "?").match(/\s?(\S?)\?$/);
	const scale = 1000 ** prefixes.indexOf(prefix);
	const named = (below) => element("small", {}, (half(below)[0] || { name: "" }).name.split(" ").pop());
	return [named(false), " " + digits(up / scale) + " ", named(true), " " + digits(down / scale) + " " + prefix + unit];
}

// What stands beside the title: the sum of a stack as its share of the whole, else the largest.
function nowOf(found, unit) {
	if (found.some((line) => line.below))
		return { now: bothWays(found, unit) };
	const heads = found.filter((line) => line.now);
	if (heads.length === 0)
		return { now: found.length === 1 ? amount(last(found[0].values), unit) : "" };
	if (heads[0].draw === "stack") {
		const whole = lastSum(found);
		return { now: whole ? amount((100 * lastSum(heads)) / whole, "%") : "", note: whole && unit !== "%" ? "of " + amount(whole, unit) : "" };
	}
	const most = heads.reduce((a, b) => (last(b.values) > last(a.values) ? b : a));
	return { now: amount(last(most.values), unit), note: heads.length > 1 ? most.name : "" };
}

// Those of lines that do not lie upon others, if there are at most two of a kind.
function limitsOf(found, limit) {
	const limits = { limit: [...found.map((line) => line.limit), limit].filter((value) => value !== undefined) };
	for (const kind of ["warning", "failure"]) {
		const each = new Set(found.filter((line) => line.draw !== "stack").flatMap((line) => [line[kind + "_min"], line[kind + "_max"]]).filter((value) => value !== undefined));
		limits[kind] = each.size > 2 ? [] : [...each];
	}
	return limits;
}

// Without those that are nothing all the time, except the first ones.
function busyOnes(found, len) {
	return found.filter((line, i) => i < len || line.values.some((value) => value > 0.05));
}

function ruleView(graph, history) {
	const unit = unitOf(graph.unit);
	for (const line of graph.lines) // One that was awaited has come.
		if (line.ended && groupOfLine(line, history)?.members.has(line.series))
			delete line.ended;
	let found = graph.lines.map((line, i) => pointsOf(graph, { ...line, shade: line.draw === "rest" ? "rest" : "line" + (i % 8) }, history)).filter(Boolean);
	if (graph.share)
		found = shares(found);
	const head = nowOf(found, unit), limits = limitsOf(found, graph.limit);
	found = found.filter((line) => !/hidden|limit/.test(line.draw));
	const stacked = found.some((line) => line.draw === "stack");
	if (stacked && lastSum(found) === 0) // Such as swap space, where there is none.
		return { lines: [], absent: true };
	const shown = stacked ? busyOnes(found, 3) : largest(found, graph.most);
	return {
		...head, limits, note: head.note || (found.length > graph.most && !stacked && !Array.isArray(head.now) ? "the largest " + graph.most + " of " + found.length : ""),
		lines: shown.map((line, i) => {
			const onto = i > 0 && /stack|rest/.test(line.draw);
			return {
				...line, unit, onto, shade: found.length > 8 && line.shade !== "rest" ? "line" + (i % 8) : line.shade, // Of those of many no two are alike.
				area: onto || line.draw === "stack" || line.draw === "rest", filled: line.draw === "area",
				values: line.below ? line.values.map((value) => (value === null ? null : -value)) : line.values,
			};
		}),
	};
}

function ruleChart(graph) {
	const { plugin } = partsOf(graph.lines[0].series);
	const only = graph.lines.length === 1 && graph.group === undefined;
	const chart = new Chart(graph.title, graph.group ? { match: graph.match, group: graph.group, function: graph.function } : { match: graph.match }, (history) => ruleView(graph, history), {
		top: graph.top, picture: graph.id && graph.host + "/" + graph.id, mirrored: graph.lines.some((line) => line.below),
		link: graph.link || (only ? "/series/" + encodeName(graph.lines[0].series) : "/plugin/" + encodeURIComponent(graph.host) + "/" + encodeURIComponent(plugin)),
	});
	chart.element.querySelector("h2").title = graph.info;
	return chart;
}

// Rows that are always zero come last.
function busyFirst(grid) {
	grid.classList.add("busy-first");
	return grid;
}

// The charts of graphs; those whose metadata say how they are drawn come with what is known of their series.
async function chartsOf(graphs) {
	const own = graphs.some((graph) => graph.own) ? await ownFields(graphs) : new Map();
	return chartGrid(graphs.map((graph) => (own.has(graph) ? ownGraph(own.get(graph)) : ruleChart(graph))));
}

async function ownFields(graphs) {
	await loadMore();
	const found = new Map(), asked = graphs.filter((graph) => graph.own);
	const fields = fieldsOf(await api("series", { match: seriesOf(asked[0].host, "*"), metadata: 1 }));
	for (const graph of asked) {
		const names = new Set(graph.lines.map((line) => line.series));
		found.set(graph, fields.filter((field) => names.has(field.series)));
	}
	return found;
}

// A family that is made when somebody opens it.
function folded(family, graphs) {
	const fold = element("details", { class: "family" }, element("summary", {}, family + " ", element("small", {}, graphs.length + (graphs.length === 1 ? " graph" : " graphs"))));
	fold.addEventListener("toggle", async () => {
		if (fold.children.length > 1)
			return;
		fold.append(busyFirst(await chartsOf(graphs)));
		await openStream();
		await updateCharts();
	});
	return fold;
}

// A table that is filled again as time goes, for as long as it is on the page.
function keptFilled(fill) {
	const into = element("div");
	const again = async () => {
		if (!document.hidden)
			await fill(into).catch(() => {});
		setTimeout(() => into.isConnected && again(), refreshSeconds * 1000);
	};
	again();
	return into;
}

// What a family has above its graphs, by one of its rules.
function familyTables(graphs) {
	const fills = [[/^snmp_port$/, () => fillPorts], [/^(perfdata|icinga2)(?!_own)/, () => fillServices]];
	const found = fills.find(([rule]) => graphs.some((graph) => rule.test(graph.rule)));
	return found ? [keptFilled((into) => found[1]()(into, graphs[0].host, graphs))] : [];
}

// Sixty points at least, of what comes each minute or more rarely.
async function followInterval(graphs) {
	const { series: [one] } = graphs.length > 0 ? await api("latest", { match: graphs[0].match, limit: 1 }) : { series: [] };
	const fits = one && one.interval >= 60 && ranges.find(([, seconds]) => seconds >= 60 * one.interval);
	if (fits && fits[1] > usual) {
		usual = fits[1];
		showRanges();
	}
}

// First those that matter most, without a heading; then the families, as long as there is room.
async function graphSections(graphs, most) {
	await followInterval(graphs);
	const first = graphs.filter((graph) => graph.order < 100), families = new Map();
	for (const graph of graphs)
		if (graph.order >= 100)
			families.set(graph.family || "other", [...(families.get(graph.family || "other") || []), graph]);
	const made = first.length > 0 ? [await chartsOf(first)] : [], open = element("div", { class: "families" }), folds = [];
	let room = most - first.length;
	const order = ([, found]) => found[0].order;
	for (const [family, found] of [...families].sort((a, b) => order(a) - order(b) || compare(a[0], b[0]))) {
		const shown = found.slice(0, Math.max(0, room)), tables = familyTables(found);
		room -= found.length;
		if (shown.length > 0) {
			open.append(section(family, ...tables, busyFirst(await chartsOf(shown))));
			open.lastChild.className = tables.length > 0 || shown.length > 3 ? "" : "span" + shown.length; // Small ones share a row.
		}
		for (let at = shown.length; at < found.length; at += most)
			folds.push(folded(family + (at > 0 ? ", from " + found[at].title : ""), found.slice(at, at + most)));
	}
	return [...made, ...(open.children.length > 0 ? [open] : []), ...folds];
}
