// A chart: a title, lines over time, and a legend that says what they are at
// the cursor, or now.

const colours = ["#3b82d6", "#e0803a", "#3da564", "#b75fc7", "#d0504f", "#2fa7a7", "#a3852d", "#7d7ad6", "#8a8f98", "#c2588f"];
const charts = new Set(); // Those on the page.

class Chart {
	// load(range) gives { times, lines: [{ name, values, unit, filled }] }.
	constructor(title, load, options) {
		this.load = load;
		this.options = options || {};
		this.now = element("span", { class: "now" });
		this.plot = element("div", { class: "plot" });
		this.legend = element("ul", { class: "legend" });
		const heading = this.options.link ? element("a", { href: link(this.options.link) }, title) : title;
		this.element = element("section", { class: this.options.large ? "chart large" : "chart" },
			element("h3", {}, heading, this.now), this.plot, this.legend);
		charts.add(this);
	}

	async update() {
		let data;
		try {
			data = await this.load(range());
		} catch (error) {
			if (!this.drawn)
				this.showNothing(error.message);
			return;
		}
		if (data.lines.length === 0 || !data.lines.some((line) => line.values.some((value) => value !== null)))
			this.showNothing("no values in this range");
		else
			this.draw(data);
	}

	showNothing(why) {
		this.clear();
		this.plot.replaceChildren(element("div", { class: "nothing" }, why));
		this.legend.replaceChildren();
		this.now.textContent = "";
	}

	clear() {
		if (this.drawn)
			this.drawn.destroy();
		this.drawn = null;
	}

	draw(data) {
		const key = data.lines.map((line) => line.name).join("\n");
		this.data = data;
		this.now.textContent = data.note || "";
		if (this.drawn && this.key === key && this.width === this.plot.clientWidth) {
			this.drawn.setData(this.columns(data), false);
			this.drawn.setScale("x", { min: data.from, max: data.to });
		} else {
			this.clear();
			this.key = key;
			this.width = this.plot.clientWidth;
			this.plot.replaceChildren();
			this.drawn = new uPlot(this.uplotOptions(data), this.columns(data), this.plot);
		}
		this.showLegend(null);
	}

	// What is stacked is drawn as sums, the largest behind.
	columns(data) {
		const lines = data.lines.map((line) => line.values);
		if (!this.options.stacked)
			return [data.times, ...lines];
		const sums = [];
		for (const values of lines) {
			const below = sums[sums.length - 1];
			sums.push(values.map((value, i) => (value === null ? (below ? below[i] : null) : value + ((below && below[i]) || 0))));
		}
		return [data.times, ...sums.reverse()];
	}

	order(data) {
		const lines = data.lines.map((line, i) => ({ ...line, colour: line.colour || colours[i % colours.length] }));
		return this.options.stacked ? lines.reverse() : lines;
	}

	uplotOptions(data) {
		const style = getComputedStyle(document.documentElement);
		const soft = style.getPropertyValue("--soft"), grid = style.getPropertyValue("--line");
		const unit = data.lines[0].unit;
		const axis = { stroke: soft, grid: { stroke: grid, width: 1 }, ticks: { show: false }, font: "11px system-ui" };
		return {
			width: this.width,
			height: this.plot.clientHeight,
			legend: { show: false },
			padding: [6, 6, 0, 0],
			cursor: { sync: { key: "all" }, drag: { x: true, y: false }, points: { size: 5 } },
			scales: { x: { min: data.from, max: data.to }, y: { range: (u, low, high) => this.bounds(low, high) } },
			axes: [
				{ ...axis, space: 70, size: 24, values: (u, splits) => axisTimes(splits, data.to - data.from) },
				{ ...axis, size: 64, values: (u, splits) => splits.map((value) => amount(this.options.mirrored ? Math.abs(value) : value, unit)) },
			],
			series: [{}, ...this.order(data).map((line) => ({
				stroke: line.colour,
				width: this.options.stacked ? 1 : 1.5,
				fill: this.options.stacked ? line.colour + "aa" : line.filled ? line.colour + "33" : undefined,
				points: { show: false },
				spanGaps: false,
			}))],
			hooks: {
				setCursor: [(u) => this.showLegend(u.cursor.idx)],
				setSelect: [(u) => this.zoom(u)],
			},
		};
	}

	bounds(low, high) {
		if (low === null)
			return [0, 1];
		if (this.options.top !== undefined)
			high = Math.max(high, this.options.top);
		const least = Math.min(low, 0);
		const most = high > least ? high : least + 1;
		return [least * 1.05, most * 1.05];
	}

	zoom(u) {
		if (u.select.width < 8)
			return;
		const from = Math.floor(u.posToVal(u.select.left, "x"));
		const to = Math.ceil(u.posToVal(u.select.left + u.select.width, "x"));
		setRange({ from, to });
	}

	// The values at a point, or the last that are known.
	showLegend(point) {
		const items = this.data.lines.map((line, i) => {
			let at = point === null || point === undefined ? line.values.length - 1 : point;
			while ((point === null || point === undefined) && at > 0 && line.values[at] === null)
				at--;
			const value = line.values[at];
			const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
			const square = document.createElementNS("http://www.w3.org/2000/svg", "rect");
			for (const [key, text] of [["width", "10"], ["height", "10"], ["rx", "2"], ["fill", line.colour || colours[i % colours.length]]])
				square.setAttribute(key, text);
			svg.append(square);
			return element("li", {}, svg, element("span", { class: "name", title: line.name }, line.name),
				element("span", { class: "value" }, amount(this.options.mirrored && value !== null ? Math.abs(value) : value, line.unit)));
		});
		this.legend.replaceChildren(...items);
	}
}

function updateCharts() {
	return Promise.all([...charts].map((chart) => chart.update()));
}

function removeCharts() {
	for (const chart of charts)
		chart.clear();
	charts.clear();
}
