// A chart: a title, the value now, lines over time, and a legend that says what
// they are at the cursor, or now.

const charts = new Set(); // Those on the page.
const binaryTicks = Array.from({ length: 56 }, (_, i) => 2 ** i);
const dayLength = 86400;
const timeTicks = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, ...[1, 2, 3, 4, 6, 8, 12].map((hours) => 3600 * hours),
	...[1, 2, 3, 4, 5, 7, 10, 15, 30, 60, 90, 180, 365].map((days) => dayLength * days)];

// Charts fill their cards, whose height is that of the row.
const sizes = new ResizeObserver((changed) => {
	for (const { target } of changed)
		target.chart.resize();
});

function colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

// The points that no line leads to.
function lonely(values) {
	const known = (at) => values[at] !== null && values[at] !== undefined;
	return [...values.keys()].filter((at) => known(at) && !known(at - 1) && !known(at + 1));
}

// Minimum, average and maximum of all that is drawn; null if nothing is known.  Averages of long steps hide extremes.
function figuresOf(line) {
	const known = (values) => (values || []).filter((value) => value !== null && value !== undefined);
	const averages = known(line.values).map((value) => (line.below ? -value : value));
	if (averages.length === 0)
		return [null, null, null];
	const all = [...averages, ...known(line.maximum), ...known(line.minimum)];
	return [all.reduce((a, b) => Math.min(a, b)), averages.reduce((a, b) => a + b) / averages.length, all.reduce((a, b) => Math.max(a, b))];
}

// "1.2 M": the unit stands with the value now; but "2 m" could be minutes.
function figure(value, unit) {
	const text = amount(value, unit);
	return unit && unit !== "s" && text.endsWith(unit) ? text.slice(0, -unit.length).trim() : text;
}

class Chart {
	// query: what History takes; view(history) gives { lines, now, note, bad }.
	constructor(title, query, view, options) {
		this.history = new History(query);
		this.view = view;
		this.options = options || {};
		this.now = element("span", { class: "now" });
		this.note = element("span", { class: "note" });
		this.more = button("\u22ee", "More of " + title, () => loadPast().then(() => toggleChartMenu(this)));
		this.more.className = "more";
		this.more.setAttribute("aria-expanded", "false");
		this.plot = element("div", { class: "plot" });
		this.plot.chart = this;
		sizes.observe(this.plot);
		this.legend = element("table", { class: "legend" });
		const heading = this.options.link ? anchor(this.options.link, title) : title;
		this.element = element("section", { class: this.options.large ? "chart large" : "chart", tabindex: "0", "aria-label": title },
			element("h2", {}, heading, this.now, this.note), this.more, this.plot, this.legend);
		this.element.addEventListener("keydown", (event) => this.press(event));
		charts.add(this);
	}

	async update() {
		const now = range();
		try {
			const points = Math.min(1000, Math.max(180, Math.floor(this.plot.clientWidth || 300)));
			await this.history.load(now, points);
			this.other = isCompared() ? await loadPast().then(() => otherHistory(this, now, points)) : null;
		} catch (error) {
			if (!this.drawn)
				this.showNothing(error.message);
			return;
		}
		this.show();
	}

	// Draws what is known.
	show() {
		const now = range();
		if (now.live)
			this.history.trim(now.from);
		const seen = this.view(this.history), data = this.other ? addOther(this, seen) : seen;
		this.element.hidden = Boolean(data.absent);
		if (!data.lines.some((line) => line.values.some((value) => value !== null)))
			this.showNothing(this.history.failure || data.empty || "no values in this range");
		else
			this.draw({ ...data, times: this.history.times, from: now.from, to: now.live ? Math.max(now.to, this.history.times.at(-1)) : now.to }); // The last point ends later.
	}

	showNothing(why) {
		this.clear();
		this.element.classList.add("quiet");
		this.plot.replaceChildren(element("div", { class: "nothing" }, why));
		this.legend.replaceChildren();
		this.element.classList.remove("at-cursor");
		this.now.textContent = this.note.textContent = "";
	}

	// Only while there is room: what is hidden has none.
	resize() {
		if (this.drawn && this.plot.clientWidth > 0)
			this.drawn.setSize({ width: this.plot.clientWidth, height: this.plot.clientHeight });
	}

	clear() {
		if (this.drawn)
			this.drawn.destroy();
		this.drawn = null;
	}

	draw(data) {
		const key = data.lines.map((line) => line.name + (line.ended ? "\t" : "")).join("\n");
		data.lines.forEach((line, i) => (line.colour ||= colour(line.thin ? "soft" : line.shade || "line" + (i % 8))));
		this.data = data;
		this.now.replaceChildren(...[data.now || ""].flat());
		this.element.classList.toggle("quiet", data.lines.every((line) => line.values.every((value) => !value)));
		this.note.textContent = data.note || "";
		this.note.className = "note " + (data.kind || "");
		if (this.drawn && this.key === key) {
			this.drawn.setData(this.columns(data), false);
			this.drawn.setScale("x", { min: data.from, max: data.to });
		} else {
			this.clear();
			this.key = key;
			this.showLegend(); // It takes its share of the card first.
			this.plot.replaceChildren();
			this.drawn = new uPlot(this.uplotOptions(data), this.columns(data), this.plot);
		}
		this.showFigures();
		if (this.drawn.cursor.idx === null || this.drawn.cursor.idx === undefined || this.drawn.cursor.left < 0)
			this.fillLegend(null);
	}

	// What lies upon others is drawn as sums.
	columns(data) {
		let sums = [];
		return [data.times, ...data.lines.map((line) => {
			const base = line.onto ? sums : [];
			sums = line.values.map((value, i) => (value || 0) + (base[i] || 0));
			return line.values.map((value, i) => (value === null ? null : sums[i]));
		})];
	}

	uplotOptions(data) {
		const unit = data.lines[0].unit, stacked = data.lines.some((line) => line.onto);
		const axis = { stroke: colour("soft"), grid: { stroke: colour("grid"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
		return {
			width: this.plot.clientWidth,
			height: this.plot.clientHeight,
			legend: { show: false },
			padding: [8, 4, 0, 0],
			focus: { alpha: 0.3 },
			tzDate: isUtc() ? (seconds) => uPlot.tzDate(new Date(1000 * seconds), "Etc/UTC") : undefined,
			cursor: { y: false, sync: { key: "all", setSeries: false }, drag: { x: true, y: false, setScale: false }, points: { size: 6 }, focus: { prox: stacked ? -1 : 12 } },
			scales: { x: { min: data.from, max: data.to }, y: { range: (u, low, high) => this.bounds(low, high) } },
			axes: [
				{ ...axis, space: 64, size: 22, gap: 3, incrs: timeTicks, values: (u, splits) => this.timesBelow(u, splits) },
				{
					...axis, space: 24, size: 58, gap: 4, incrs: unit === "B" ? binaryTicks : undefined,
					values: (u, splits) => splits.map((value) => amount(this.options.mirrored ? Math.abs(value) : value, unit.length < 6 ? unit : "")),
				},
			],
			series: [{}, ...data.lines.map((line) => ({
				stroke: line.colour,
				width: line.area || line.thin ? 1 : line.width || 1.6,
				dash: line.thin ? [3, 3] : undefined,
				fill: line.area && !line.onto ? line.colour + "b0" : line.filled ? line.colour + "2a" : undefined,
				points: { show: true, size: 4, width: 0, fill: line.colour, filter: (u, at) => lonely(u.data[at]) },
				spanGaps: false,
			}))],
			bands: data.lines.flatMap((line, i) => (line.area && line.onto ? [{ series: [i + 1, i], fill: line.colour + "b0" }] : [])),
			hooks: {
				setCursor: [(u) => this.fillLegend(u.cursor.left < 0 ? null : u.cursor.idx)],
				setSelect: [(u) => this.zoom(u)],
				draw: [(u) => this.drawLimits(u), () => this.placeMarks()],
			},
		};
	}

	// Lines of marks, which say what they are where the mouse stays.
	placeMarks() {
		const u = this.drawn, over = u && u.over;
		if (!u || !this.history.times.length)
			return;
		const list = this.options.marks || (hostOf(this.history.query.match) === marks.host ? marks.list : []);
		if (this.marked !== list || !over.querySelector(".mark")) {
			this.marked = list;
			over.querySelectorAll(".mark").forEach((one) => one.remove());
			over.append(...list.map(({ severity, texts }) => element("i", { class: "mark " + severity, title: texts.slice(0, 8).join("\n") + (texts.length > 8 ? "\n\u2026" : "") })));
		}
		over.querySelectorAll(".mark").forEach((one, i) => {
			const at = u.valToPos(list[i].time, "x");
			one.hidden = at < 0 || at > over.clientWidth;
			one.style.setProperty("left", at + "px");
		});
	}

	// They do not stretch the axis.
	drawLimits(u) {
		const { left, top, width, height } = u.bbox;
		u.ctx.save();
		u.ctx.setLineDash([6, 4]);
		for (const [kind, shade] of [["limit", "soft"], ["warning", "warn"], ["failure", "bad"]])
			for (const value of (this.data.limits || {})[kind] || []) {
				const at = Math.round(u.valToPos(value, "y", true)) + 0.5;
				u.ctx.strokeStyle = colour(shade);
				u.ctx.beginPath();
				u.ctx.moveTo(left, at);
				u.ctx.lineTo(left + width, at);
				if (at >= top && at <= top + height)
					u.ctx.stroke();
			}
		u.ctx.restore();
	}

	// Those that would stand beyond the left or right edge are left out.
	timesBelow(u, splits) {
		const { min, max } = u.scales.x, width = this.plot.clientWidth - 62;
		return axisTimes(splits, max - min).map((text, i) => {
			const at = ((splits[i] - min) / (max - min)) * width, half = 3.2 * text.length;
			return at < half - 6 || at > width - half + 4 ? "" : text;
		});
	}

	bounds(low, high) {
		if (low === null)
			return [0, 1];
		const least = Math.min(low, 0);
		let most = Math.max(high, this.options.top || 0);
		most = most > least ? most : least + 1;
		return this.options.top === most ? [least, most] : [least * 1.08, most * 1.08];
	}

	zoom(u) {
		if (u.select.width < 8 || !u.over.matches(":hover")) // The others follow the cursor.
			return;
		const from = Math.floor(u.posToVal(u.select.left, "x"));
		const to = Math.ceil(u.posToVal(u.select.left + u.select.width, "x"));
		loadPast().then(() => zoomInto(this, from, to));
	}

	// Left and right move the cursor of all charts, as the mouse does; m lists what moved alike.
	press(event) {
		if (event.key === "m" && this.drawn && event.target === this.element)
			loadPast().then(() => zoomInto(this, Math.floor(range().from), Math.ceil(range().to)));
		const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
		if (!step || !this.drawn || event.target !== this.element)
			return;
		event.preventDefault();
		const times = this.history.times;
		const here = this.drawn.cursor.left < 0 || this.drawn.cursor.idx === null ? times.length : this.drawn.cursor.idx;
		const there = Math.max(0, Math.min(times.length - 1, here + step * (event.shiftKey ? 10 : 1)));
		this.drawn.setCursor({ left: this.drawn.valToPos(times[there], "x"), top: this.plot.clientHeight / 3 });
	}

	showLegend() {
		this.values = [];
		const head = [["now", "The last value, or that at the cursor"], ["min", "The smallest value"], ["avg", "The average"], ["max", "The largest value"]];
		const allEnded = this.data.lines.every((line) => line.ended); // Then the page of the host says so, or the title of a row.
		const rows = this.data.lines.map((line, i) => {
			const square = element("i", {});
			square.style.setProperty("background", line.colour);
			const cells = head.map(() => element("td", {}));
			this.values.push(cells);
			const row = element("tr", { title: (line.info || line.name) + (line.ended ? ": ended " + moment(line.ended) : "") }, element("th", { scope: "row" }, square, element("span", {}, line.name), ...(line.ended && !allEnded ? [element("small", {}, " ended")] : [])), ...cells);
			row.addEventListener("mouseenter", () => this.drawn && this.drawn.setSeries(i + 1, { focus: true }));
			row.addEventListener("mouseleave", () => this.drawn && this.drawn.setSeries(null, { focus: true }));
			return row;
		});
		this.legend.replaceChildren(element("thead", {}, element("tr", {}, element("td", {}), ...head.map(([word, title]) => element("th", { scope: "col", title }, word)))),
			element("tbody", {}, ...rows));
	}

	showFigures() {
		this.data.lines.forEach((line, i) => figuresOf(line).forEach((value, at) => (this.values[i][at + 1].textContent = figure(value, line.unit))));
	}

	// The values at a point, or the last that are known.
	fillLegend(point) {
		const there = point !== null && point !== undefined;
		this.data.lines.forEach((line, i) => {
			const value = there ? line.values[point] : last(line.values);
			this.values[i][0].textContent = amount(this.options.mirrored && value !== null ? Math.abs(value) : value, line.unit);
		});
		this.now.replaceChildren(...[there ? moment(this.data.times[point]) : this.data.now || ""].flat());
		this.element.classList.toggle("at-cursor", there);
	}
}

async function updateCharts() {
	await Promise.all([...charts].map((chart) => chart.update()));
	updateMarks();
}

function removeCharts() {
	for (const chart of charts) {
		sizes.unobserve(chart.plot);
		chart.clear();
	}
	charts.clear();
}

function chartGrid(made) {
	return element("div", { class: "charts" }, ...made.map((chart) => chart.element));
}
