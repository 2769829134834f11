// The range of time that is shown.  It stands in the address, so that a page
// can be sent to somebody, and the way back leads through all of them.

const ranges = [["5m", 300, "5 minutes"], ["15m", 900, "15 minutes"], ["1h", 3600, "hour"], ["6h", 21600, "6 hours"], ["1d", 86400, "day"], ["1w", 604800, "week"],
	["1M", 2678400, "month"], ["1y", 31622400, "year"]];

let usual = 3600; // What is shown if nobody has chosen.

// A collector without a past shows what there is, instead of an empty hour.
async function setUsual(status) {
	const uptime = Date.now() / 1000 - status.started;
	usual = uptime < 300 ? 300 : uptime < 900 ? 900 : 3600;
	if (usual === 3600 || new URLSearchParams(location.search).has("range"))
		return;
	const { history: [load] } = await api("history", { match: seriesOf(status.host, "load/load"), from: -3600, to: -900, points: 60 });
	if (load && Object.values(load.sources)[0].average.some((value) => value !== null))
		usual = 3600;
}

// "3600", "1h" or "hour".
function secondsOf(text) {
	const named = ranges.find(([name, , words]) => text === name || text === words);
	return named ? named[1] : Number(text) || usual;
}

function range() {
	const parameters = new URLSearchParams(location.search);
	const from = Number(parameters.get("from")), to = Number(parameters.get("to"));
	if (from > 0 && to > from)
		return { from, to, seconds: to - from, live: false };
	const seconds = secondsOf(parameters.get("range"));
	const now = Date.now() / 1000;
	return { from: now - seconds, to: now, seconds, live: true };
}

const rangeParameters = ["range", "from", "to"];

// What else stands in the address stays there; state: what this entry of the history shows besides.
function setRange(parameters, state) {
	const all = new URLSearchParams(location.search);
	for (const name of [...rangeParameters, "find"])
		all.delete(name);
	for (const [name, value] of Object.entries(parameters))
		all.set(name, value);
	const query = all.toString();
	history.pushState(state || null, "", location.pathname + (query ? "?" + query : ""));
	show();
}

// Back or on by a part of what is shown; what reaches the present goes on live.
function shiftRange(share) {
	const now = range();
	const shift = Math.round(share * now.seconds);
	if (now.to + shift >= Date.now() / 1000)
		setRange({ range: Math.round(now.seconds) });
	else
		setRange({ from: Math.floor(now.from + shift), to: Math.ceil(now.to + shift) });
}

function zoomRange(factor) {
	const now = range();
	const more = (now.seconds * (factor - 1)) / 2;
	if (now.to + more >= Date.now() / 1000)
		setRange({ range: Math.round(now.seconds * factor) });
	else
		setRange({ from: Math.floor(now.from - more), to: Math.ceil(now.to + more) });
}

// What has ended is shown as it was at last, unless somebody has chosen.
function showUntil(time) {
	const parameters = new URLSearchParams(location.search);
	if (!parameters.has("range") && !parameters.has("from"))
		history.replaceState(null, "", location.pathname + "?" + new URLSearchParams({ from: Math.floor(time) - 3600, to: Math.ceil(time) + 60 }));
	showRanges();
}

// A link to another view keeps the range.
function link(path) {
	const all = new URLSearchParams(location.search);
	const text = new URLSearchParams([...all].filter(([name]) => rangeParameters.includes(name))).toString();
	return path + (text ? "?" + text : "");
}

function showRanges() {
	const now = range();
	const buttons = ranges.map(([name, seconds, words], i) => {
		const made = button(name, "The last " + words + " (key " + (i + 1) + ")", () => setRange({ range: seconds }));
		made.setAttribute("aria-pressed", String(now.live && now.seconds === seconds));
		return made;
	});
	const span = now.live ? [] : [element("span", { class: "span" }, moment(now.from) + " \u2013 " + moment(now.to))];
	document.getElementById("ranges").replaceChildren(
		button("\u2039", "Back in time (key [)", () => shiftRange(-0.5)), ...buttons,
		button("\u203a", "On in time (key ])", () => shiftRange(0.5)), ...span);
}
