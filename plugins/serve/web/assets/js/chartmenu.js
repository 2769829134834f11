// What can be had of a chart besides a look at it: its picture, its values, and what moved alike.

const pictureSize = { width: 800, height: 240 };

function download(text, path, parameters, name) {
	return element("a", { href: path + "?" + new URLSearchParams(parameters), class: "outside", ...(name ? { download: name } : {}) }, text);
}

function chartLinks(chart) {
	const now = range(), span = { from: Math.floor(now.from), to: Math.ceil(now.to) };
	const { match, group, function: by } = chart.history.query, { picture } = chart.options;
	const query = { match, ...(group ? { group } : {}), ...(by ? { function: by } : {}), ...span, points: 1000 };
	const name = chart.element.ariaLabel.replace(/[^\w.-]+/g, "_");
	return [
		...(pictures && picture ? [download("PNG", "/graph/" + encodeName(picture) + ".png", { ...span, ...pictureSize }, name + ".png")] : []),
		download("CSV", "/api/1/history", { ...query, format: "csv" }, name + ".csv"),
		download("JSON", "/api/1/history", query),
		button("Correlated series", "Correlated series (key m)", () => zoomInto(chart, span.from, span.to)),
		...compareChoices(chart),
	];
}

// Opens below the button, or closes.
function toggleChartMenu(chart) {
	const { more } = chart;
	if (chart.menu)
		return chart.menu.close();
	const list = element("ul", { class: "choices" }, ...chartLinks(chart).map((one) => element("li", {}, one)));
	const close = () => {
		list.remove();
		chart.menu = null;
		more.setAttribute("aria-expanded", "false");
		removeEventListener("pointerdown", outside);
	};
	const outside = (event) => !chart.element.contains(event.target) && close();
	list.addEventListener("click", (event) => event.target.closest("input") || close());
	list.addEventListener("keydown", (event) => {
		if (event.key !== "Escape")
			return;
		close();
		more.focus();
	});
	addEventListener("pointerdown", outside);
	more.setAttribute("aria-expanded", "true");
	more.after(list);
	chart.menu = { close };
	list.querySelector("a").focus();
}
