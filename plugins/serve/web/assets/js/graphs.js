// Graphs of series whose metadata say how to draw them, by the names of Munin's
// plugin reference: graph_title, graph_order, draw, cdef, negative and so on.

const operators = new Map([["+", (a, b) => a + b], ["-", (a, b) => a - b], ["*", (a, b) => a * b], ["/", (a, b) => a / b]]);
const shortUnits = new Map([["%", "%"], ["percent", "%"], ["bytes", "B"], ["bytes per second", "B/s"], ["bits per second", "bit/s"], ["seconds", "s"]]);

// A function from values by name to that of an expression in reverse Polish notation;
// null if that has more than numbers, these names and the operators above.
function rpn(expression, names) {
	const words = expression.split(",").map((word) => word.trim());
	let depth = 0;
	for (const word of words) {
		if (!operators.has(word) && !names.includes(word) && (word === "" || !isFinite(word)))
			return null;
		depth += operators.has(word) ? -1 : 1;
		if (depth < 1)
			return null;
	}
	return depth !== 1 ? null : (values) => {
		const stack = [];
		for (const word of words) {
			const act = operators.get(word);
			if (act) {
				const right = stack.pop(), left = stack.pop();
				stack.push(left === null || right === null ? null : act(left, right));
			} else
				stack.push(names.includes(word) ? (isFinite(values[word]) ? values[word] : null) : Number(word));
		}
		return isFinite(stack[0]) ? stack[0] : null;
	};
}

// "ff0000" as it can be seen on cards, dark or light; undefined: none is said.
function givenColour(text) {
	if (!/^#?[0-9a-f]{6}$/i.test(text || ""))
		return undefined;
	const rgb = text.match(/[0-9a-f]{2}/gi).map((one) => parseInt(one, 16));
	const light = 0.3 * rgb[0] + 0.59 * rgb[1] + 0.11 * rgb[2];
	const dark = matchMedia("(prefers-color-scheme: dark)").matches;
	const share = dark ? Math.max(0, (110 - light) / (255 - light)) : Math.max(0, (light - 160) / light);
	return "#" + rgb.map((one) => two(Math.round(one + (dark ? 255 - one : -one) * share).toString(16))).join("");
}

// What is known of the sources of series: an answer of /api/1/series.
function fieldsOf({ series, graphs }) {
	return series.flatMap(({ name, metadata }) => (metadata || []).map((one) => ({
		...one, series: name, name: partsOf(name).type_instance, label: one.label || partsOf(name).type_instance || one.source, graph: graphs[one.graph] || {},
	})));
}

// What lies at the bottom of a stack comes first.
function inGraphOrder(fields) {
	const order = (fields[0].graph.graph_order || "").split(/\s+/).map((word) => word.replace(/=.*/, ""));
	const rank = ({ name, attributes }) => {
		const said = order.indexOf(name);
		return said >= 0 ? said : order.length + (/STACK/.test(attributes.draw) ? 1 : /AREA/.test(attributes.draw) ? 0 : 2);
	};
	return [...fields].sort((a, b) => rank(a) - rank(b));
}

// The last of some spellings of an option of rrdgraph, as a number.
function graphArgument(graph, names) {
	const found = (graph.graph_args || "").match(new RegExp("(?:^|\\s)(?:" + names + ")[\\s=]*([0-9.]+)"));
	return found ? Number(found[1]) : undefined;
}

class Graph extends Chart {
	constructor(match, fields, options) {
		const { graph } = fields[0];
		super(options.title || graph.graph_title, { match }, (history) => this.lines(history), {
			top: graphArgument(graph, "-u|--upper-limit"), mirrored: fields.some((one) => one.attributes.negative), ...options,
		});
		this.fields = inGraphOrder(fields).map((field) => {
			const { cdef } = field.attributes;
			const of = cdef ? rpn(cdef, fields.map((one) => one.name)) : (values) => values[field.name];
			return of ? { ...field, of, needs: cdef ? cdef.split(/[,\s]+/) : [field.name] } : { ...field, of: (values) => values[field.name], needs: [field.name], raw: true };
		});
		const { unit } = fields[0];
		this.unit = shortUnits.get(unit.toLowerCase()) || "";
		if (!this.unit && unit && !this.fields.some((field) => field.raw))
			this.plot.before(element("small", { class: "unit", title: unit }, unit)); // Along the axis it would not fit.
		if (graph.graph_info)
			this.element.querySelector("h2").title = graph.graph_info;
	}

	// Each field as a line; a negative one below zero, in the colour of its other half.
	lines(history) {
		const points = {};
		for (const { name, series, source } of this.fields) {
			const group = history.groups.get(series);
			points[name] = (group && group.sources[source]) || {};
		}
		const valuesOf = (field, kind, sign) => {
			const needs = field.needs.filter((name) => points[name] && points[name][kind]), values = {};
			return history.times.map((_, i) => {
				for (const name of needs)
					values[name] = points[name][kind][i];
				const value = field.of(values);
				return value !== null && isFinite(value) ? sign * value : null;
			});
		};
		const made = [], below = [], thin = [];
		this.fields.filter((field) => field.attributes.graph !== "no" || this.options.alone).forEach((field, i) => {
			const { draw, colour: given, negative, info } = field.attributes;
			const before = made[made.length - 1];
			const onto = !this.options.alone && /STACK/.test(draw) && before !== undefined;
			const line = {
				of: field.series, source: field.source, unit: field.raw ? "" : this.unit, info, onto, area: /AREA/.test(draw) || (draw === "STACK" && (!onto || before.area)),
				width: Number((/^LINE(?:STACK)?([1-3])/.exec(draw) || [])[1]) || 1.4, shade: "line" + (i % 8), colour: givenColour(given),
			};
			const other = !this.options.alone && this.fields.find((one) => one.name === negative);
			const extremes = (of) => (points[of.name].maximum ? { maximum: valuesOf(of, "maximum", 1), minimum: valuesOf(of, "minimum", 1) } : {});
			made.push({ ...line, name: field.label + (other ? " (+)" : ""), values: valuesOf(field, "average", 1), ...extremes(field) });
			if (other)
				below.push({ ...line, below: true, onto: false, name: field.label + " (\u2212)", info: other.attributes.info, values: valuesOf(other, "average", -1), ...extremes(other) });
			if (this.options.alone && points[field.name].maximum)
				thin.push({ ...line, onto: false, area: false, name: field.label + ", maximum", thin: true, colour: undefined, values: valuesOf(field, "maximum", 1) });
		});
		const found = [...made, ...below, ...thin];
		return { lines: found, limits: { warning: this.limits("warning"), failure: this.limits("failure") }, now: made.length === 1 && below.length === 0 ? amount(last(made[0].values), made[0].unit) : "" };
	}

	// Those of all fields that do not lie upon others, if there are at most two.
	limits(kind) {
		const found = this.fields.filter((field) => this.options.alone || !/STACK/.test(field.attributes.draw)).flatMap((field) =>
			[field[kind + "_min"], field[kind + "_max"]].map((value) => field.of({ [field.name]: value }))).filter((value) => value !== null && isFinite(value));
		const each = [...new Set(found)];
		return each.length > 2 ? [] : each;
	}
}

// The graph of these fields, which all say the same of it.
function ownGraph(fields) {
	const names = new Set(fields.map((field) => field.series));
	const key = fields[0].series.slice(0, fields[0].series.lastIndexOf("/"));
	return new Graph(literal(key) + "/*", fields, { link: names.size === 1 ? "/series/" + encodeName(fields[0].series) : undefined });
}
