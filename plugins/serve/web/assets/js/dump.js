// Reads a dump of the recorder: OTLP in protobuf, packed as gzip, in pieces.

const dumpPointsMax = 3e6; // Of all series: more would not fit into the memory of a browser.
const dumpFieldMax = 1 << 28;

// The fields of a message, each as [number, value]: a number, or bytes.
function* messageFields(bytes) {
	let at = 0;
	const take = () => {
		for (let value = 0, scale = 1; ; scale *= 128) {
			if (at >= bytes.length || scale > 2 ** 63)
				throw new Error("damaged");
			const byte = bytes[at++];
			value += (byte & 127) * scale;
			if (byte < 128)
				return value;
		}
	};
	while (at < bytes.length) {
		const tag = take(), kind = tag % 8;
		const size = kind === 0 ? take() : kind === 1 ? 8 : kind === 2 ? take() : kind === 5 ? 4 : NaN;
		if (kind !== 0 && !(size <= bytes.length - at))
			throw new Error("damaged");
		yield [Math.floor(tag / 8), kind === 0 ? size : bytes.subarray(at, (at += size))];
	}
}

function viewOf(bytes) {
	return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function textOf(bytes) {
	return new TextDecoder().decode(bytes);
}

// Fields of messages in each other, by their numbers.
function* within(bytes, number, ...deeper) {
	for (const [field, value] of messageFields(bytes))
		if (field === number)
			yield* deeper.length > 0 ? within(value, ...deeper) : [value];
}

function firstText(bytes, ...numbers) {
	for (const value of within(bytes, ...numbers))
		return textOf(value);
	return "";
}

// { "type_instance": "user" }
function attributesOf(list) {
	return Object.fromEntries(list.map((pair) => [firstText(pair, 1), firstText(pair, 2, 1)]));
}

class Dump {
	constructor() {
		this.groups = new Map(); // By name: { name, unit, lines: Map of { times, values, counts } }
		this.notices = [];
		this.points = 0;
		this.from = Infinity;
		this.to = -Infinity;
	}

	takePoint(metric, bytes) {
		const found = { attributes: [] };
		for (const [field, value] of messageFields(bytes))
			if (field === 3)
				found.time = Number(viewOf(value).getBigUint64(0, true)) / 1e9;
			else if (field === 4)
				found.value = viewOf(value).getFloat64(0, true);
			else if (field === 6)
				found.value = Number(viewOf(value).getBigInt64(0, true));
			else if (field === 7)
				found.attributes.push(value);
		if (!(found.time > 0) || this.points >= dumpPointsMax)
			return;
		const parts = attributesOf(found.attributes), instance = parts.plugin_instance;
		const name = metric.host + ": " + metric.plugin + (instance ? " " + instance : "") + ", " + metric.type;
		if (!this.groups.has(name))
			this.groups.set(name, { name, unit: metric.unit, lines: new Map() });
		const lines = this.groups.get(name).lines, line = [parts.type_instance, parts.source].filter(Boolean).join(" ") || metric.type;
		if (!lines.has(line))
			lines.set(line, { times: [], values: [], counts: metric.counts });
		lines.get(line).times.push(found.time);
		lines.get(line).values.push(found.value);
		this.points++;
		this.from = Math.min(this.from, found.time);
		this.to = Math.max(this.to, found.time);
	}

	takeMetric(host, plugin, bytes) {
		const name = firstText(bytes, 1), counts = !within(bytes, 5).next().value;
		const metric = { host, plugin, type: name.startsWith(plugin + ".") ? name.slice(plugin.length + 1) : name, unit: firstText(bytes, 3), counts };
		for (const kind of [5, 7])
			for (const point of within(bytes, kind, 1))
				this.takePoint(metric, point);
	}

	takeMetrics(bytes) {
		let host = "";
		for (const pair of within(bytes, 1, 1))
			if (firstText(pair, 1) === "host.name")
				host = firstText(pair, 2, 1);
		for (const scope of within(bytes, 2)) {
			const plugin = firstText(scope, 1, 1).replace("collector/", "");
			for (const metric of within(scope, 2))
				this.takeMetric(host, plugin, metric);
		}
	}

	takeNotices(bytes) {
		for (const record of within(bytes, 1, 2, 2)) {
			const notice = { severity: firstText(record, 3).toLowerCase(), text: firstText(record, 5, 1) };
			for (const time of within(record, 1))
				notice.time = Number(viewOf(time).getBigUint64(0, true)) / 1e9;
			this.notices.push(notice);
		}
	}

	// Whole fields at the start of the bytes; returns what is left of them.
	takeFields(bytes) {
		for (;;) {
			const end = wholeField(bytes);
			if (end === 0)
				return bytes;
			for (const [field, value] of messageFields(bytes.subarray(0, end)))
				if (field === 1)
					this.takeMetrics(value);
				else if (field === 1002)
					this.takeNotices(value);
			bytes = bytes.subarray(end);
		}
	}
}

// Where the first field ends; 0: it is not whole yet.
function wholeField(bytes) {
	let at = 0;
	const take = () => {
		for (let value = 0, scale = 1; at < bytes.length && scale < 2 ** 40; scale *= 128) {
			const byte = bytes[at++];
			value += (byte & 127) * scale;
			if (byte < 128)
				return value;
		}
		return NaN;
	};
	const tag = take(), size = take();
	if (tag % 8 !== 2 && at < bytes.length || size > dumpFieldMax)
		throw new Error("damaged");
	return at + size <= bytes.length ? at + size : 0;
}

// Its file, piece by piece: the collector has no more than one in memory.
function piecesOf(name) {
	let at = 0;
	return new ReadableStream({
		async pull(controller) {
			const answer = await fetch("/api/1/dumps/" + encodeURIComponent(name) + "?offset=" + at);
			if (!answer.ok)
				throw new Error((await answer.json()).detail || answer.statusText);
			const piece = new Uint8Array(await answer.arrayBuffer());
			at += piece.length;
			if (piece.length === 0)
				controller.close();
			else
				controller.enqueue(piece);
		},
	});
}

// What could be read of it; failure says why that is not all.
async function readDump(name) {
	const dump = new Dump(), pieces = piecesOf(name);
	const reader = (name.endsWith(".gz") ? pieces.pipeThrough(new DecompressionStream("gzip")) : pieces).getReader();
	let rest = new Uint8Array(0);
	try {
		for (;;) {
			const { value, done } = await reader.read();
			if (done)
				break;
			const both = new Uint8Array(rest.length + value.length);
			both.set(rest);
			both.set(value, rest.length);
			rest = dump.takeFields(both);
		}
		if (rest.length > 0)
			throw new Error("its end is missing");
	} catch (error) {
		reader.cancel().catch(() => {});
		dump.failure = error.message;
	}
	return dump;
}
