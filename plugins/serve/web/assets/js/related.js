// What moved as a line of a chart did while somebody dragged over it: the zoom, and below
// the chart a list, which stands in the entry of the browser's history.

// The line that moved most between two times.
function movedMost(chart, from, to) {
	let most = 0, found = null;
	for (const line of chart.data.lines) {
		const inside = line.values.filter((value, i) => value !== null && chart.history.times[i] >= from && chart.history.times[i] <= to);
		const moved = Math.max(...inside) - Math.min(...inside);
		if (line.of && moved > most)
			[most, found] = [moved, line];
	}
	return found;
}

function zoomInto(chart, from, to) {
	const line = movedMost(chart, from, to), { match, group, function: by } = chart.history.query;
	setRange({ from: timeName(from), to: timeName(to) }, line && { related: { title: chart.element.ariaLabel, name: line.name, query: {
		match, ...(group ? { group } : {}), ...(by ? { function: by } : {}), of: line.of, source: line.source } } });
}

// "0.98", with a minus sign that is one.
function alike(correlation) {
	return correlation.toFixed(2).replace("-", "\u2212");
}

function relatedChart(row, host) {
	const name = row.name.startsWith(host + "/") ? row.name.slice(host.length + 1) : row.name;
	const title = row.source === "value" ? name : name + " " + row.source;
	return new Chart(title, { match: literal(row.name) }, (history) => {
		const found = lines(history, {}).filter((line) => line.source === row.source);
		return { lines: found.map((line) => ({ ...line, name: line.source, filled: true })), now: alike(row.correlation) };
	}, { link: "/series/" + encodeName(row.name), picture: row.name });
}

function relatedGrid(words, rows, host) {
	if (rows.length === 0)
		return [];
	const grid = chartGrid(rows.map((row) => relatedChart(row, host)));
	grid.classList.add("brief");
	return [element("h3", {}, words), grid];
}

// Half of the width on both sides belongs to it: a spike is one beside what is none.
async function showRelated({ title, name, query }) {
	const chart = [...charts].find((one) => one.element.ariaLabel === title && one.history.query.match === query.match);
	if (!chart)
		return;
	const now = range(), most = Date.now() / 1000, before = new Set(charts);
	const answer = await api("related", { ...query, from: Math.floor(now.from - now.seconds / 2), to: Math.ceil(Math.min(most, now.to + now.seconds / 2)) }).catch(() => null);
	if (!answer || !chart.element.isConnected)
		return;
	const found = [...relatedGrid("On this host", answer.on_host, answer.host), ...relatedGrid("Elsewhere", answer.elsewhere, answer.host)];
	const close = button("Close", "Close this list", () => {
		history.replaceState(null, "", location.href);
		show();
	});
	const note = "Correlation with " + title + ": " + name + ", of " + answer.compared.toLocaleString("en") + " series" + (answer.left_out ? "; " + answer.left_out.toLocaleString("en") + " left out" : "");
	const list = element("section", { class: "related" }, element("h2", {}, "Correlated series", close), element("p", { class: "summary" }, note),
		...(found.length > 0 ? found : [element("p", { class: "empty" }, "No other series moved like this one.")]));
	chart.element.after(list);
	await Promise.all([...charts].filter((one) => !before.has(one)).map((one) => one.update()));
	list.scrollIntoView({ block: "nearest" });
}
