// Search in all series, as somebody types; the collector searches.

const resultsMax = 200;

async function searchView(view, words) {
	const glob = "*" + words.trim().split(/\s+/).map(literal).join("*") + "*";
	const [hosts, found] = await Promise.all([api("hosts", { match: glob, limit: 20 }).catch(() => ({ hosts: [], matched: 0 })), api("series", { match: glob, limit: resultsMax })]);
	const result = (path, text) => element("li", {}, anchor(path, text, "result"));
	const parts = [element("p", { class: "summary" }, seriesCount(found.matched) + (found.matched > found.series.length ? ", the first " + found.series.length + " below; add words to narrow it down" : ""))];
	if (hosts.hosts.length > 0)
		parts.push(section("Hosts", element("ul", { class: "names" }, ...hosts.hosts.map(({ host }) => result("/host/" + encodeURIComponent(host), host)))));
	if (found.series.length > 0)
		parts.push(section("Series", element("ul", { class: "names" }, ...found.series.map(({ name }) => result("/series/" + encodeName(name), name)))));
	view.replaceChildren(element("h1", {}, "\u201c" + words + "\u201d"), ...parts);
	return null;
}

// Up and down walk through what was found.
function walkResults(event) {
	const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
	const box = document.getElementById("search");
	const results = [...document.querySelectorAll("a.result")];
	const here = results.indexOf(document.activeElement);
	if (!step || (here < 0 && document.activeElement !== box) || results.length === 0)
		return;
	event.preventDefault();
	const there = here + step;
	(there < 0 ? box : results[Math.min(there, results.length - 1)]).focus();
}

document.addEventListener("keydown", walkResults);
