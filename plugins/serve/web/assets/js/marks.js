// What happened on the host of a graph, and of the collector, as fine lines in it.

const marksApart = 160; // Of the width: nearer ones are one line.
let marks = { list: [] };

// The only host of a glob, or undefined.
function hostOf(glob) {
	const host = glob.slice(0, glob.indexOf("/")).replace(/\\(.)|[*?[]/g, (part, escaped) => escaped || "\n");
	return host.includes("\n") ? undefined : host;
}

// Those that would touch each other, together.
function joinMarks(list, apart) {
	const found = [];
	for (const one of list) {
		const before = found[found.length - 1], severity = severities[one.severity] || "";
		const text = moment(one.time) + "  " + one.text;
		if (!before || one.time - before.time > apart)
			found.push({ time: one.time, severity, texts: [text] });
		else {
			before.texts.push(text);
			before.severity = [severity, before.severity].includes("bad") ? "bad" : severity || before.severity;
		}
	}
	return found;
}

async function updateMarks() {
	const now = range(), first = [...charts].map((chart) => hostOf(chart.history.query.match)).find(Boolean);
	if (!first)
		return;
	const answer = await api("marks", { host: first, from: Math.floor(now.from), to: Math.ceil(now.to) + 1 }).catch(() => ({ marks: [] }));
	marks = { host: first, list: joinMarks(answer.marks, now.seconds / marksApart) };
	for (const chart of charts)
		chart.placeMarks();
}

let marksSoon = null;

live.listeners.add((kind) => {
	if (kind === "notification" && !marksSoon)
		marksSoon = setTimeout(() => {
			marksSoon = null;
			updateMarks();
		}, 1000);
});
