// The range of time that is shown.  It stands in the address, so that a page
// can be sent to somebody, and the way back leads through all of them.

const ranges = [["5 min", 300], ["15 min", 900], ["1 h", 3600], ["6 h", 21600], ["day", 86400], ["week", 604800], ["month", 2678400], ["year", 31622400]];

let usual = 3600; // What is shown if nobody has chosen: see setUsual().

// A collector that has just begun shows what there is, instead of an empty hour.
function setUsual(uptime) {
	usual = uptime < 300 ? 300 : uptime < 900 ? 900 : 3600;
}

function range() {
	const parameters = new URLSearchParams(location.search);
	const from = Number(parameters.get("from")), to = Number(parameters.get("to"));
	if (from > 0 && to > from)
		return { from, to, live: false };
	const seconds = Number(parameters.get("range")) || usual;
	const now = Date.now() / 1000;
	return { from: now - seconds, to: now, seconds, live: true };
}

function setRange(parameters) {
	const query = new URLSearchParams(parameters).toString();
	history.pushState(null, "", location.pathname + (query ? "?" + query : ""));
	show();
}

// A link to another view keeps the range.
function link(path) {
	return path + location.search;
}

function showRanges() {
	const now = range();
	const buttons = ranges.map(([name, seconds]) => {
		const button = element("button", { type: "button", "aria-pressed": String(now.live && now.seconds === seconds) }, name);
		button.addEventListener("click", () => setRange({ range: seconds }));
		return button;
	});
	document.getElementById("ranges").replaceChildren(...buttons);
}
