// Histories as the lines of a chart.

// The histories of all that match: { times, from, to, groups }.
async function histories(now, parameters) {
	const answer = await api("history", {
		from: Math.floor(now.from), to: Math.ceil(now.to), points: Math.min(1000, Math.max(200, Math.floor(innerWidth / 3))), ...parameters,
	});
	const first = answer.history[0];
	const times = [];
	for (let i = 0; first && i < Object.values(first.sources)[0].average.length; i++)
		times.push(first.start + (i + 1) * first.step); // What a point is of ends then.
	const groups = answer.history.filter((group) => Object.values(group.sources)[0].average.length === times.length);
	return { times, from: now.from, to: now.to, groups };
}

// One line for each source of each group.
function lines(data, options) {
	const found = [];
	for (const group of data.groups)
		for (const [source, points] of Object.entries(group.sources)) {
			const sign = options.negative && options.negative.includes(source) ? -1 : 1;
			const scale = (options.scale || 1) * sign;
			found.push({
				name: options.name ? options.name(group.name, source) : source === "value" ? group.name : group.name + " " + source,
				unit: options.unit === undefined ? unitOf(group.unit) : options.unit,
				values: points.average.map((value) => (value === null ? null : value * scale)),
				filled: options.filled,
			});
		}
	return { ...data, lines: found };
}

function last(values) {
	for (let i = values.length - 1; i >= 0; i--)
		if (values[i] !== null)
			return values[i];
	return null;
}

// The largest of those that are not nothing all the time.
function largest(found, len) {
	const size = (line) => line.values.reduce((sum, value) => sum + Math.abs(value || 0), 0);
	const sorted = [...found].sort((a, b) => size(b) - size(a));
	const chosen = sorted.filter((line, i) => i < 2 || size(line) > 0).slice(0, len);
	return found.filter((line) => chosen.includes(line)); // In the order of names: colours stay.
}
