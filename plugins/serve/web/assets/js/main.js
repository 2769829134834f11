// From the address to the view, and on as time goes.

const refreshSeconds = 5;
let refresh = null;
let shown = 0; // Counts views: an answer for one that is gone is dropped.
let onNews = () => {};
let resynced = 0;
let pictures = false; // Whether the collector draws PNG.

async function route(view) {
	const [kind, ...rest] = location.pathname.split("/").slice(1).map(decodeURIComponent);
	const guests = kind ? null : countGuests(); // Asked at once: each question costs a round trip.
	if (guests)
		guests.catch(() => {}); // Without an answer there is no status either.
	const status = await api("status");
	const own = status.collector.host;
	pictures = status.pictures;
	await setUsual(status.collector);
	showRanges();
	document.getElementById("home").lastChild.textContent = own;
	document.title = (rest.length > 0 ? rest.join("/") + " - " : "") + own;
	const words = new URLSearchParams(location.search).get("find");
	if (!words && (!kind || (kind === "host" && rest.join("/") === own)))
		return overview(view, status, await (guests || countGuests()));
	await Promise.all([loadMore(), ...(kind === "hosts" && !words ? [loadHosts()] : [])]);
	return otherView(view, words ? "find" : kind, words || rest);
}

const loaded = new Map(); // By path: a promise.

// The other views come when they are needed: the first page is there sooner.
function load(path) {
	if (!loaded.has(path))
		loaded.set(path, new Promise((done, fail) => {
			const script = element("script", { src: path });
			script.addEventListener("load", done);
			script.addEventListener("error", () => {
				loaded.delete(path);
				setContact(false);
				fail(new Error("cannot load " + path));
			});
			document.head.append(script);
		}));
	return loaded.get(path);
}

function loadMore() {
	return Promise.all([loadGuests(), load("/more.js")]);
}

function loadGuests() {
	return load("/guests.js");
}

function loadPast() {
	return load("/past.js");
}

function loadHosts() {
	return Promise.all([loadMore(), load("/hosts.js")]);
}

// The links of the header: the range of time stays, and the one that leads here is marked.
function showViews() {
	const [, kind] = location.pathname.split("/");
	for (const one of document.querySelectorAll("#views a")) {
		one.setAttribute("href", link(one.pathname));
		if (one.pathname === "/" + kind || one.pathname === "/" + kind + "s")
			one.setAttribute("aria-current", "page");
		else
			one.removeAttribute("aria-current");
	}
}

// Makes the view of the address.  It is filled apart, and shown when it is whole.
async function show() {
	const view = document.getElementById("view");
	const mine = ++shown;
	removeCharts();
	onNews = () => {};
	showRanges();
	showViews();
	try {
		const again = await route({ replaceChildren: (...parts) => {
			if (mine === shown)
				view.replaceChildren(...parts);
		} });
		if (mine !== shown)
			return;
		refresh = again || (async () => {});
		await openStream(); // Before the histories are asked for: nothing is missed in between.
		if (mine !== shown)
			return;
		resynced = Date.now();
		live.resync = false;
		await Promise.all([updateCharts(), refresh()]);
		const asked = history.state && history.state.related;
		if (asked && mine === shown)
			loadPast().then(() => mine === shown && showRelated(asked), () => {});
	} catch (error) {
		if (mine !== shown)
			return;
		if (lostSince === null)
			view.replaceChildren(element("p", { class: "empty" }, error.message));
		refresh = null; // It is tried again, whole.
	}
	showLive();
}

async function tick() {
	showLive();
	if (document.hidden)
		return closeStream();
	if (refresh === null)
		return show();
	try {
		await openStream();
		const now = range();
		const due = live.resync || !live.working || now.seconds > 86400 || Date.now() - resynced > resyncSeconds * 1000;
		if (now.live && due && (live.working || lostSince === null)) {
			resynced = Date.now();
			live.resync = false;
			await updateCharts();
		}
		await refresh();
	} catch (error) {
		// api() has said so.
	}
	showLive();
}

// Links of ours change the view, not the page.
function follow(event) {
	const to = event.target.closest && event.target.closest("a[href^='/']:not(.outside)");
	if (!to || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0)
		return;
	event.preventDefault();
	document.getElementById("search").value = "";
	history.pushState(null, "", to.getAttribute("href"));
	scrollTo(0, 0);
	show().then(() => document.getElementById("view").focus({ preventScroll: true }));
}

let typed = null;

// The words stand in the address; what was shown before comes back without them.
function search() {
	clearTimeout(typed);
	typed = setTimeout(() => {
		const query = new URLSearchParams(location.search);
		const words = document.getElementById("search").value.trim();
		if (words)
			query.set("find", words);
		else
			query.delete("find");
		history.replaceState(null, "", address(location.pathname, query));
		show();
	}, 120);
}

async function showHelp() {
	await loadMore();
	toggleHelp();
}

const keys = {
	"/": () => document.getElementById("search").focus(),
	"?": () => showHelp(),
	"h": () => document.getElementById("home").click(),
	"l": () => setRange({}),
	"u": toggleUtc,
	"[": () => shiftRange(-0.5),
	"]": () => shiftRange(0.5),
	"+": () => zoomRange(0.5),
	"-": () => zoomRange(2),
};

function press(event) {
	const box = document.getElementById("search");
	if (event.key === "Escape" && (document.activeElement === box || box.value)) {
		box.value = "";
		box.blur();
		search();
		return;
	}
	if (document.activeElement.matches("input, select") || event.ctrlKey || event.metaKey || event.altKey)
		return;
	const number = Number(event.key) - 1;
	const act = keys[event.key] || (ranges[number] && (() => setRange({ range: ranges[number][0] })));
	if (act) {
		event.preventDefault();
		act();
	}
}

function begin() {
	document.addEventListener("click", follow);
	document.addEventListener("keydown", press);
	document.getElementById("search").addEventListener("input", search);
	document.getElementById("search").value = new URLSearchParams(location.search).get("find") || "";
	document.getElementById("live").addEventListener("click", () => setRange({}));
	document.getElementById("keys").addEventListener("click", showHelp);
	document.addEventListener("visibilitychange", () => {
		live.resync = true;
		tick();
	});
	live.listeners.add((kind, one) => {
		if (kind === "notification")
			addNotification(one);
		onNews(kind, one);
	});
	addEventListener("popstate", () => show());
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show());
}

begin();
show();
(async () => {
	for (;;) {
		await new Promise((done) => setTimeout(done, refreshSeconds * 1000));
		await tick();
	}
})();
