// The page of all hosts: a map and a table.  What is chosen stands in the address.

const hostChoices = ["colour", "metric", "group", "text", "order", "reverse"];

const hostStateWords = { warning: "with warnings", missing: "with missing series", failure: "failing", silent: "silent", ended: "ended", awaited: "awaited" };

function chosenHosts() {
	const query = new URLSearchParams(location.search);
	return Object.fromEntries(hostChoices.map((name) => [name, query.get(name) || ""]));
}

function chooseHosts(changes) {
	const query = new URLSearchParams(location.search);
	for (const [name, value] of Object.entries(changes))
		if (value)
			query.set(name, value);
		else
			query.delete(name);
	const text = query.toString();
	history.replaceState(null, "", location.pathname + (text ? "?" + text : ""));
}

// "os:linux" asks for a label, other words are of the name.
function hostFilter(text) {
	const words = text.trim().split(/\s+/);
	const label = words.find((word) => /^[^:]+:/.test(word));
	const rest = words.filter((word) => word !== label).join(" ");
	return { ...(label ? { label } : {}), ...(rest ? { text: rest } : {}) };
}

function chooser(title, options, value, act) {
	const made = element("select", {}, ...options.map(([key, text]) => element("option", { value: key }, text)));
	made.value = value;
	made.addEventListener("change", () => act(made.value));
	return element("label", {}, title + " ", made);
}

function typing(title, value, act, attributes) {
	const made = element("input", { type: "search", autocomplete: "off", spellcheck: "false", ...attributes });
	let later = null;
	made.value = value;
	made.addEventListener("input", () => {
		clearTimeout(later);
		later = setTimeout(() => act(made.value.trim()), 200);
	});
	return element("label", {}, title + " ", made);
}

class HostsPage {
	constructor() {
		this.map = new HostMap();
		this.table = new HostTable((page) => api("hosts", { ...this.question(), ...this.order(), ...page }), (key) => this.sort(key));
		this.note = element("p", { class: "summary states" });
		this.controls = element("div", { class: "controls" });
		this.legend = element("div");
		this.labels = null;
		this.parts = [heading("Hosts"), this.note, this.controls, this.legend, this.map.element, this.table.element];
		this.due = 0;
	}

	question() {
		const { metric, text } = chosenHosts();
		return { ...hostFilter(text), ...(metric ? { metric } : {}) };
	}

	order() {
		const { order, reverse } = chosenHosts();
		return { order: order || "state", ...(reverse ? { reverse: 1 } : {}) };
	}

	figure() {
		const { colour, metric } = chosenHosts();
		return colour === "metric" && !metric ? "state" : colour in mapFigures ? colour : "state";
	}

	// On a small screen there is one figure: that which sorts.
	columns() {
		const { metric, group, order } = chosenHosts();
		return [...hostColumns.map((column) => (column.number && order in mapFigures ? { ...column, minor: column.key !== order } : column)), ...(metric ? [{ title: "Metric", key: "metric", number: true, minor: order !== "metric", cell: (row) => amount(row.metric) }] : []),
			...(group ? [{ title: group, minor: true, cell: (row) => row.labels[group] || "" }] : []),
			{ title: "Series", key: "series", number: true, minor: true, cell: (row) => amount(row.series) },
			{ title: "Last value", key: "time", number: true, minor: true, cell: (row) => moment(row.time) }];
	}

	// The same column again: in the opposite order.
	async sort(key) {
		const { order, reverse } = chosenHosts();
		chooseHosts({ order: key, reverse: key === (order || "state") && !reverse ? "1" : "" });
		await this.reset();
		document.getElementById("sort-" + key).focus();
	}

	reset() {
		const { order, reverse } = chosenHosts(), key = order || "state";
		return this.table.reset(this.columns(), key, (key === "host") !== Boolean(reverse));
	}

	showControls() {
		const { colour, metric, group, text } = chosenHosts();
		const choose = (name) => (value) => {
			chooseHosts({ [name]: value });
			this.again();
		};
		const byMetric = colour === "metric";
		this.controls.replaceChildren(
			typing("Filter", text, choose("text"), { placeholder: this.labels && this.labels.length > 0 ? "name, or " + this.labels[0] + ":value" : "name" }),
			chooser("Colour by", [["", "State"], ...Object.entries(mapFigures)], colour, (value) => {
				chooseHosts({ colour: value, ...(value === "metric" ? {} : { metric: "" }) });
				this.showControls();
				this.again();
			}),
			...(byMetric ? [typing("Series", metric, choose("metric"), { placeholder: "load/load, df-*/df_complex-free" })] : []),
			...(this.labels && this.labels.length > 0 ? [chooser("Group by", [["", "nothing"], ...this.labels.map((name) => [name, name])], group, choose("group"))] : []));
	}

	again() {
		this.due = 0;
		return Promise.all([this.reset(), this.refresh(true)]).catch(() => {});
	}

	showNote(answer) {
		const states = Object.entries(answer.states).filter(([state]) => state !== "okay").map(([state, number]) =>
			badge(number.toLocaleString("en") + " " + hostStateWords[state], mapStates[state] === "gone" ? "" : mapStates[state] === "warn" ? "warn" : "bad"));
		const shown = answer.columns.host.length;
		this.note.replaceChildren(answer.matched.toLocaleString("en") + (answer.matched === 1 ? " host  " : " hosts  "), ...states.flatMap((state) => [state, " "]),
			shown < answer.matched ? "; the map shows " + shown.toLocaleString("en") + " of them" : "", answer.left_out > 0 ? "; more hosts are not counted" : "");
	}

	// only: without the table, which has just been asked for.
	async refresh(only) {
		if (Date.now() < this.due)
			return;
		const figure = this.figure(), { group } = chosenHosts();
		const answer = await api("hosts", { ...this.question(), columns: ["host", "state", ...(figure === "state" ? [] : [figure])].join(), ...(group ? { group } : {}) });
		this.due = Date.now() + 1000 * answer.fresh_for;
		if (String(this.labels) !== String(answer.label_names)) {
			this.labels = answer.label_names;
			if (!this.controls.contains(document.activeElement))
				this.showControls();
		}
		this.showNote(answer);
		this.map.show(answer.columns, figure);
		this.legend.replaceChildren(mapLegend(figure, this.map.most));
		if (!only)
			await this.table.refresh();
	}
}

async function hostsView(view) {
	const page = new HostsPage();
	page.showControls();
	await Promise.all([page.reset(), page.refresh(true)]);
	view.replaceChildren(...page.parts);
	page.table.draw(); // Now it has a height.
	return () => page.refresh();
}
