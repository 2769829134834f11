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

// "3600", "1h", "90m" or "hour".
function secondsOf(text) {
	const named = ranges.find(([name, , words]) => text === name || text === words);
	const [, number, unit] = /^(\d+)([smhdw])$/.exec(text) || [];
	return named ? named[1] : number ? number * { s: 1, m: 60, h: 3600, d: 86400, w: 604800 }[unit] : Number(text) || usual;
}

function isCompared() {
	return /[?&](before|beside)=./.test(location.search);
}

function rangeName(seconds) {
	const named = ranges.find(([, size]) => size === seconds);
	const [unit, size] = [["h", 3600], ["m", 60], ["s", 1]].find((one) => seconds % one[1] === 0);
	return named ? named[0] : seconds / size + unit;
}

function isUtc() {
	return new URLSearchParams(location.search).has("utc");
}

// Seconds since 1970 of such a number, "2026-11-24T17:00Z", or, in the time that the page shows, "2026-11-24T17:00"; NaN if it is none.
function timeOf(text) {
	if (!/\D/.test(text || ""))
		return Number(text || NaN);
	const whole = text.includes("T") ? text : text + "T00:00";
	return Date.parse(isUtc() && !/Z|[+-]\d\d:\d\d$/.test(whole) ? whole + "Z" : whole) / 1000;
}

// It means the same wherever it is read.
function timeName(seconds) {
	return new Date(1000 * seconds).toISOString().replace(/(:00)?\.\d+Z/, "Z");
}

function range() {
	const parameters = new URLSearchParams(location.search);
	const [from, to, end] = ["from", "to", "end"].map((name) => timeOf(parameters.get(name)));
	if (from > 0 && to > from)
		return { from, to, seconds: to - from, live: false };
	const seconds = secondsOf(parameters.get("range"));
	const now = end > 0 ? end : Date.now() / 1000;
	return { from: now - seconds, to: now, seconds, live: !(end > 0) };
}

const rangeParameters = ["range", "from", "to", "end"];

// With times as they are read.
function address(path, parameters) {
	const text = String(parameters).replaceAll("%3A", ":");
	return path + (text ? "?" + text : "");
}

// What else stands in the address stays there; state: what this entry of the history shows besides.
function setRange(parameters, state) {
	const all = new URLSearchParams(location.search);
	for (const name of [...rangeParameters, "find"])
		all.delete(name);
	for (const [name, value] of Object.entries(parameters))
		all.set(name, value);
	history.pushState(state || null, "", address(location.pathname, all));
	show();
}

function setSpan(seconds, end) {
	const live = end >= Date.now() / 1000;
	setRange({ range: rangeName(Math.max(10, Math.round(seconds))), ...(live ? {} : { end: timeName(Math.round(end)) }) });
}

// Back or on by a part of what is shown; what reaches the present goes on live.
function shiftRange(share) {
	const now = range();
	setSpan(now.seconds, now.to + Math.round(share * now.seconds));
}

function zoomRange(factor) {
	const now = range();
	setSpan(now.seconds * factor, now.to + (now.seconds * (factor - 1)) / 2);
}

function toggleUtc() {
	const all = new URLSearchParams(location.search);
	if (all.has("utc"))
		all.delete("utc");
	else
		all.set("utc", 1);
	history.replaceState(history.state, "", address(location.pathname, all));
	show();
}

// What has ended is shown as it was at last, unless somebody has chosen.
function showUntil(time) {
	const all = new URLSearchParams(location.search);
	if (!rangeParameters.some((name) => all.has(name))) {
		all.set("range", "1h");
		all.set("end", timeName(Math.ceil(time) + 60));
		history.replaceState(null, "", address(location.pathname, all));
	}
	showRanges();
}

// A link to another view keeps the range.
function link(path) {
	const kept = [...rangeParameters, "utc"];
	return address(path, new URLSearchParams([...new URLSearchParams(location.search)].filter(([name]) => kept.includes(name))));
}

function showRanges() {
	const now = range();
	const buttons = ranges.map(([name, seconds, words], i) => {
		const made = button(name, "The last " + words + " (key " + (i + 1) + ")", () => setRange({ range: name }));
		made.setAttribute("aria-pressed", String(now.live && now.seconds === seconds));
		return made;
	});
	const span = now.live ? [] : [element("span", { class: "span" }, moment(now.from) + " \u2013 " + moment(now.to))];
	const utc = button("UTC", "Times in UTC (key u)", toggleUtc);
	utc.setAttribute("aria-pressed", String(isUtc()));
	document.getElementById("ranges").replaceChildren(
		button("\u2039", "Earlier (key [)", () => shiftRange(-0.5)), ...buttons,
		button("\u203a", "Later (key ])", () => shiftRange(0.5)), utc, ...span);
}
