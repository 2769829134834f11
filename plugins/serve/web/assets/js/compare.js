// Two days or two hosts in the graphs of a page: what was some time before, or is on another
// host, as dashed lines.  It stands in the address: before=1d, or beside=HOST.

// "a day before"
function otherName(all) {
	const words = { "1d": "a day", "1w": "a week" };
	return all.get("beside") || (words[all.get("before")] || all.get("before")) + " before";
}

// Of the same graph; null if it is of no one host, or of that one.
async function otherHistory(chart, now, points) {
	const all = new URLSearchParams(location.search), beside = all.get("beside");
	const { query } = chart.history, host = hostOf(query.match);
	if (beside && (!host || beside === host))
		return null;
	const other = new History(beside ? { ...query, match: literal(beside) + query.match.slice(query.match.indexOf("/")) } : query);
	other.shift = beside ? 0 : secondsOf(all.get("before"));
	other.name = otherName(all);
	await other.load({ from: now.from - other.shift, to: now.to - other.shift }, points);
	if (beside)
		other.groups = new Map([...other.groups].map(([name, group]) => [name.startsWith(beside + "/") ? host + name.slice(beside.length) : name, group]));
	return other;
}

// The values of another history at the times of this one.
function valuesThen(chart, values) {
	const { times, step, shift } = chart.other;
	return chart.history.times.map((time) => values[Math.round((time - shift - times[0]) / step)] ?? null);
}

// A stack has one line more, its sum; of others each has one.
function addOther(chart, data) {
	const { name } = chart.other, then = chart.view(chart.other).lines, dashed = { thin: true, area: false, filled: false, onto: false, maximum: undefined, minimum: undefined };
	if (data.lines.length === 0 || then.length === 0 || chart.other.times.length === 0)
		return data;
	if (data.lines.some((line) => line.onto)) {
		const used = then.filter((line) => line.shade !== "rest");
		const sums = used[0].values.map((_, i) => used.reduce((sum, line) => (sum === null || line.values[i] === null ? null : sum + line.values[i]), 0));
		return { ...data, lines: [...data.lines, { ...data.lines[0], ...dashed, name, info: "", colour: colour("text"), values: valuesThen(chart, sums) }] };
	}
	const added = data.lines.flatMap((line, i) => {
		const found = line.thin ? undefined : then.find((one) => one.name === line.name);
		return found ? [{ ...line, ...dashed, name: line.name + ", " + name, colour: line.colour || colour(line.shade || "line" + (i % 8)), values: valuesThen(chart, found.values) }] : [];
	});
	return { ...data, lines: [...data.lines, ...added] };
}

function compareWith(name, value) {
	const all = new URLSearchParams(location.search);
	for (const one of ["before", "beside"])
		all.delete(one);
	if (value)
		all.set(name, value);
	history.pushState(null, "", address(location.pathname, all));
	show();
}

// A name is asked for, and those that it may be are offered.
function otherHost() {
	const offers = element("datalist", { id: "other-hosts" });
	const input = element("input", { type: "text", list: "other-hosts", placeholder: "Another host", "aria-label": "Compare with another host", autocomplete: "off", spellcheck: "false" });
	input.addEventListener("input", async () => {
		const { hosts } = await api("hosts", { text: input.value, limit: 12 }).catch(() => ({ hosts: [] }));
		offers.replaceChildren(...hosts.map((row) => element("option", { value: row.host })));
	});
	input.addEventListener("keydown", (event) => event.key === "Enter" && input.value && compareWith("beside", input.value.trim()));
	return element("span", {}, input, offers);
}

function compareChoices(chart) {
	return [
		button("A day before", "Compare with a day before", () => compareWith("before", "1d")),
		button("A week before", "Compare with a week before", () => compareWith("before", "1w")),
		...(hostOf(chart.history.query.match) ? [otherHost()] : []),
		...(isCompared() ? [button("Stop comparing", "Stop comparing", () => compareWith())] : []),
	];
}
