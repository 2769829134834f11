// A map of hosts: a square for each, in the colour of its state or of a figure.

const mapsMax = 10000; // Squares: the most that /api/1/hosts answers.
const tilesMax = 48; // As few have their names in the map.

// What squares can be coloured by: the shares have an end, the others are compared with the largest.
const mapFigures = { cpu: "CPU", wait: "Wait", memory: "Memory", disk: "Disk", load: "Load", metric: "Metric" };
const shareFigures = new Set(["cpu", "wait", "memory", "disk"]);
const mapStates = { okay: "good", warning: "warn", missing: "warn", failure: "bad", silent: "bad", ended: "gone", awaited: "gone" };

function mapText(figure, value) {
	return amount(value, shareFigures.has(figure) ? "%" : "");
}

// The class of a square: a step of ten, or what the state says.
function mapShade(figure, state, value, most) {
	if (figure === "state")
		return mapStates[state];
	if (value === null || value === undefined)
		return "gone";
	return "h" + Math.max(0, Math.min(10, Math.round((10 * value) / (most || 1))));
}

class HostMap {
	constructor() {
		this.element = element("div", { class: "maps" });
		this.element.addEventListener("keydown", (event) => this.press(event));
		this.element.addEventListener("focusin", (event) => this.focus(event.target));
		this.squares = [];
		this.shape = "";
	}

	// Columns of /api/1/hosts, by a figure or "state"; the squares that are there take other colours.
	show(columns, figure) {
		const { host, state, group } = columns, values = columns[figure] || [];
		const most = shareFigures.has(figure) ? 100 : Math.max(0, ...values.filter((value) => value !== null));
		const shape = [host.join("\n"), (group || []).join("\n"), link("/")].join("\n\n");
		if (shape !== this.shape)
			this.build(host, group);
		this.shape = shape;
		host.forEach((name, i) => {
			const square = this.squares[i], shade = mapShade(figure, state[i], values[i], most);
			const text = figure === "state" ? state[i] : mapText(figure, values[i]);
			const title = name + ": " + text + (figure !== "state" && state[i] !== "okay" ? ", " + state[i] : "");
			if (square.title !== title) {
				square.title = title;
				square.className = shade;
				if (square.lastChild)
					square.lastChild.textContent = text;
			} else if (square.className !== shade)
				square.className = shade;
		});
		this.most = most;
	}

	build(host, group) {
		const size = host.length <= tilesMax ? "tiles" : host.length <= 400 ? "large" : host.length <= 2500 ? "middle" : host.length <= 5000 ? "small" : "tiny";
		const query = link("");
		const square = element("a", { tabindex: "-1" });
		if (size === "tiles")
			square.append(element("i", {}), element("span", {}), element("b", {}));
		const groups = new Map();
		this.squares = host.map((name, i) => {
			const made = square.cloneNode(true), of = group ? group[i] : "";
			made.setAttribute("href", "/host/" + encodeURIComponent(name) + query);
			if (size === "tiles")
				made.children[1].textContent = name;
			if (!groups.has(of))
				groups.set(of, []);
			groups.get(of).push(made);
			return made;
		});
		this.element.replaceChildren(...[...groups].sort((a, b) => compare(a[0], b[0])).flatMap(([name, squares]) => {
			squares[0].tabIndex = 0;
			const map = element("div", { class: "map " + size, role: "group", "aria-label": "Map of hosts" + (group ? ", " + (name || "without label") : "") }, ...squares);
			return group ? [element("h2", {}, name || "without label", " ", element("small", {}, squares.length.toLocaleString("en"))), map] : [map];
		}));
	}

	// Of each map one square is reached by Tab: that which had the focus last.
	focus(square) {
		if (!square.parentElement || !square.parentElement.classList.contains("map"))
			return;
		for (const one of square.parentElement.querySelectorAll("[tabindex='0']"))
			one.tabIndex = -1;
		square.tabIndex = 0;
	}

	press(event) {
		const here = this.squares.indexOf(event.target);
		if (here < 0)
			return;
		const row = [...event.target.parentElement.children], at = row.indexOf(event.target);
		const below = row.findIndex((one) => one.offsetTop > row[0].offsetTop), wide = below < 0 ? row.length : below;
		const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -wide, ArrowDown: wide, Home: -at, End: row.length }[event.key];
		if (step === undefined)
			return;
		event.preventDefault();
		row[Math.max(0, Math.min(row.length - 1, at + step))].focus();
	}
}

// What the colours mean.
function mapLegend(figure, most) {
	if (figure === "state")
		return element("p", { class: "scale" }, ...[["good", "okay"], ["warn", "warning, missing"], ["bad", "failure, silent"], ["gone", "ended, awaited"]].map(([shade, text]) =>
			element("span", {}, element("i", { class: shade }), text)));
	const steps = Array.from({ length: 11 }, (_, i) => element("i", { class: "h" + i }));
	return element("p", { class: "scale" }, mapText(figure, 0) + " ", ...steps, " " + mapText(figure, most) + " ", element("i", { class: "gone" }), "no value");
}
