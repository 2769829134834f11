// From the address to the view, and on as time goes.

const refreshSeconds = 5;
let refresh = async () => {};
let shown = 0; // Counts views: an answer for one that is gone is dropped.

async function route(view) {
	const [kind, ...rest] = location.pathname.split("/").slice(1).map(decodeURIComponent);
	const status = (await api("status")).collector;
	const own = status.host;
	setUsual(Date.now() / 1000 - status.started);
	showRanges();
	document.getElementById("home").textContent = own;
	document.title = (rest.length > 0 ? rest.join("/") + " - " : "") + own;
	if (kind === "host")
		return overview(view, rest.join("/"), rest.join("/") === own);
	if (kind === "plugin")
		return pluginView(view, rest[0], rest[1]);
	if (kind === "series")
		return seriesView(view, rest.join("/"));
	return overview(view, own, true);
}

async function show(makes) {
	const view = document.getElementById("view");
	const mine = ++shown;
	removeCharts();
	showRanges();
	try {
		refresh = await (makes || route)(view);
		if (mine !== shown)
			return;
		await Promise.all([refresh(), updateCharts()]);
	} catch (error) {
		if (mine === shown && lostSince === null)
			view.replaceChildren(element("p", { class: "empty" }, error.message));
		refresh = null; // It is tried again, whole.
	}
}

async function tick() {
	if (document.hidden)
		return;
	if (refresh === null) {
		await show();
		return;
	}
	try {
		await Promise.all([refresh(), range().live ? updateCharts() : null]);
	} catch (error) {
		// api() has said so.
	}
}

// Links of ours change the view, not the page.
function follow(event) {
	const anchor = event.target.closest && event.target.closest("a[href^='/']");
	if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0)
		return;
	event.preventDefault();
	document.getElementById("search").value = "";
	history.pushState(null, "", anchor.getAttribute("href"));
	scrollTo(0, 0);
	show();
}

function search(event) {
	const words = event.target.value;
	if (words.trim() === "")
		show();
	else
		show((view) => searchView(view, words));
}

function press(event) {
	const box = document.getElementById("search");
	if (event.key === "/" && document.activeElement !== box) {
		event.preventDefault();
		box.focus();
	} else if (event.key === "Escape") {
		box.value = "";
		box.blur();
		show();
	}
}

document.addEventListener("click", follow);
document.addEventListener("keydown", press);
document.getElementById("search").addEventListener("input", search);
addEventListener("popstate", () => show());
addEventListener("resize", () => updateCharts());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show());
show();
(async () => {
	for (;;) {
		await new Promise((done) => setTimeout(done, refreshSeconds * 1000));
		await tick();
	}
})();
