// Histories of groups of series, and how they go on: what /api/1/history has told,
// and each sample of the stream after that.

const missedMax = 100; // Moments, while an answer is awaited.

class History {
	// query: { match, group, function } as /api/1/history takes it.
	constructor(query) {
		this.query = query;
		this.expression = globExpression(query.match);
		this.times = [];
		this.groups = new Map(); // By name: { name, unit, sources: { NAME: { average, maximum, minimum } }, members }
	}

	async load(now, points) {
		const asked = Date.now() / 1000;
		const missed = (this.missed = []);
		const answer = await api("history", { ...this.query, from: Math.floor(now.from), to: Math.ceil(now.to), points });
		const first = answer.history[0];
		this.failure = answer.failure;
		this.leftOut = answer.left_out;
		this.step = first ? first.step : 0;
		this.times = [];
		this.groups = new Map();
		for (let i = 0; first && i < Object.values(first.sources)[0].average.length; i++)
			this.times.push(first.start + (i + 1) * first.step); // What a point is of ends then.
		for (const group of answer.history)
			if (Object.values(group.sources)[0].average.length === this.times.length)
				this.groups.set(group.name, { name: group.name, unit: group.unit, sources: group.sources, expected: group.members, members: new Map() });
		this.until = asked; // What comes later is not in it yet.
		this.missed = null;
		missed.forEach((samples) => this.takeAll(samples));
	}

	// The samples of a moment, from the stream; those that come before the answer
	// are for what it tells.  Returns whether there is something to draw.
	takeAll(samples) {
		if (this.missed && this.missed.length < missedMax)
			this.missed.push(samples);
		for (const sample of samples)
			this.take(sample);
		return this.settle();
	}

	// A sample of the stream; false if it is of no series of this.
	take(sample) {
		if (!this.step || sample.time <= this.until || !this.expression.test(sample.name))
			return false;
		const group = this.groups.get(groupOf(sample.name, this.query.group));
		if (!group)
			return false;
		group.members.set(sample.name, sample);
		this.newest = Math.max(this.newest || 0, sample.time);
		this.half = Math.min(sample.interval, this.step) / 2; // Its value is of the interval until then.
		this.changed = (this.changed || new Set()).add(group);
		return true;
	}

	// All samples of a moment have come.  Returns whether there were any.
	settle() {
		if (!this.changed)
			return false;
		this.advance(this.newest - this.half);
		for (const group of this.changed)
			for (const source of Object.keys(group.sources))
				this.put(group, source);
		this.changed = null;
		return true;
	}

	// Has a point that the time is in.
	advance(time) {
		while (this.times.length > 0 && this.times[this.times.length - 1] < time) {
			this.times.push(this.times[this.times.length - 1] + this.step);
			for (const group of this.groups.values()) {
				group.seen = {};
				for (const points of Object.values(group.sources))
					Object.values(points).forEach((values) => values.push(null));
			}
		}
	}

	// The value of the group now, into its last point, which becomes the average of
	// all that were put there.
	put(group, source) {
		const value = this.now(group, source);
		if (value === null)
			return;
		const { average, maximum, minimum } = group.sources[source];
		const at = average.length - 1;
		const seen = (group.seen = group.seen || {});
		if (seen[source] === undefined) // The point has begun before the stream.
			seen[source] = average[at] === null ? 0 : Math.max(1, Math.round((this.until - this.times[at] + this.step) / this.interval(group)));
		average[at] = average[at] === null ? value : (average[at] * seen[source] + value) / (seen[source] + 1);
		seen[source]++;
		if (maximum)
			maximum[at] = maximum[at] === null ? value : Math.max(maximum[at], value);
		if (minimum)
			minimum[at] = minimum[at] === null ? value : Math.min(minimum[at], value);
	}

	interval(group) {
		for (const sample of group.members.values())
			return sample.interval;
		return this.step;
	}

	// What the members say together; null before all of them have come once.
	now(group, source) {
		const values = [];
		for (const [name, sample] of group.members)
			if (this.newest - sample.time > 3 * sample.interval) {
				group.members.delete(name);
				group.expected--;
			} else if (sample.rates[source] !== null && sample.rates[source] !== undefined)
				values.push(sample.rates[source]);
		if (values.length === 0 || values.length < group.expected)
			return null;
		const sum = values.reduce((a, b) => a + b, 0);
		return this.query.function === "average" ? sum / values.length : sum;
	}

	trim(from) {
		let gone = 0;
		while (gone < this.times.length - 2 && this.times[gone + 1] < from)
			gone++;
		if (gone < 1)
			return;
		this.times.splice(0, gone);
		for (const group of this.groups.values())
			for (const points of Object.values(group.sources))
				Object.values(points).forEach((values) => values.splice(0, gone));
	}
}

// One line for each source of each group.
function lines(data, options) {
	const found = [];
	for (const group of data.groups.values())
		for (const [source, points] of Object.entries(group.sources)) {
			const scale = options.scale || 1;
			const name = options.name ? options.name(group.name, source) : source === "value" ? group.name : group.name + " " + source;
			const unit = options.unit === undefined ? unitOf(group.unit) : options.unit;
			const scaled = (values) => (scale === 1 ? values : values.map((value) => (value === null ? null : value * scale)));
			found.push({ name, of: group.name, source, unit, values: scaled(points.average), maximum: points.maximum && scaled(points.maximum), minimum: points.minimum && scaled(points.minimum) });
			if (options.maximum && points.maximum)
				found.push({ name: name + ", maximum", source, unit, values: scaled(points.maximum), thin: true });
		}
	return found;
}

function last(values) {
	for (let i = values.length - 1; i >= 0; i--)
		if (values[i] !== null)
			return values[i];
	return null;
}

function lastSum(found) {
	return found.some((line) => last(line.values) !== null) ? found.reduce((sum, line) => sum + Math.abs(last(line.values) || 0), 0) : null;
}

// The largest of those that are not nothing all the time.
function largest(found, len) {
	const size = (line) => line.values.reduce((sum, value) => sum + Math.abs(value || 0), 0);
	const order = [...found].sort((a, b) => size(b) - size(a));
	const chosen = order.filter((line, i) => i < 2 || size(line) > 0).slice(0, len);
	return found.filter((line) => chosen.includes(line)); // In the order of names: colours stay.
}
