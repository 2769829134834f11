// The stream of /api/1/stream: values, notifications, and whether series are silent, as it
// happens.  Without it, or for more than it can tell, the page asks again.

const resyncSeconds = 300;
const openSeconds = 2; // For the stream; what is slower does not keep the charts waiting.
const live = { source: null, working: false, lost: 0, path: "", failures: 0, listeners: new Set() };

function showLive() {
	const now = range();
	const made = document.getElementById("live");
	made.className = lostSince !== null ? "bad" : !now.live ? "paused" : "good";
	made.textContent = lostSince !== null ? "no contact" : !now.live ? "back to live" : live.working ? "live" : "every " + refreshSeconds + " s";
	made.disabled = now.live;
	const lost = document.getElementById("lost");
	lost.hidden = live.lost === 0;
	lost.textContent = live.lost + " lost";
	lost.title = "The browser could not keep up with the stream; the charts were reloaded.";
}

// What the charts on the page are of; none of them if there are too many.
function livePath() {
	const now = range();
	const globs = [...new Set([...charts].map((chart) => chart.history.query.match))];
	if (!now.live || now.seconds > 86400 || globs.length === 0 || globs.length > 32)
		return "/api/1/stream?match=/"; // No series, only notifications.
	return "/api/1/stream?" + globs.map((glob) => "match=" + encodeURIComponent(glob)).join("&");
}

function closeStream() {
	if (live.source)
		live.source.close();
	live.source = null;
	live.working = false;
	live.path = "";
}

// Resolves when the stream tells what comes, or does not for now.
function openStream() {
	const path = livePath();
	if (live.path === path && live.source && live.source.readyState !== EventSource.CLOSED)
		return live.opened;
	closeStream();
	live.path = path;
	const source = (live.source = new EventSource(path));
	live.opened = new Promise((done) => {
		for (const kind of ["open", "error"])
			source.addEventListener(kind, done, { once: true });
		setTimeout(done, openSeconds * 1000);
	});
	source.addEventListener("open", () => {
		live.failures = 0;
		live.working = true;
		live.resync = true; // What came before is missing.
		setContact(true);
		showLive();
	});
	source.addEventListener("samples", (event) => takeSamples(JSON.parse(event.data).series));
	source.addEventListener("lost", (event) => {
		live.lost += JSON.parse(event.data).lost;
		live.resync = true;
		showLive();
	});
	for (const kind of ["presence", "notification"])
		source.addEventListener(kind, (event) => live.listeners.forEach((tell) => tell(kind, JSON.parse(event.data))));
	source.addEventListener("error", () => {
		if (live.source !== source)
			return;
		live.working = false;
		if (source.readyState === EventSource.CLOSED)
			live.failures++;
		showLive();
	});
}

let drawSoon = null;

function takeSamples(samples) {
	let taken = false;
	for (const chart of charts) {
		chart.stale = chart.history.takeAll(samples) || chart.stale;
		taken = taken || chart.stale;
	}
	if (taken && !drawSoon)
		drawSoon = setTimeout(() => {
			drawSoon = null;
			for (const chart of charts)
				if (chart.stale)
					chart.show();
			for (const chart of charts)
				chart.stale = false;
		}, 150);
}
