// Tables.  A column is { title, number, wide, minor, cell(row), sort(row) }:
// minor columns are left out on small screens, and those with sort() can be
// chosen to sort by.  Optional columns are left out if no row has a value there.

const sorted = new Map(); // By the table's name: { title, up } that was chosen.
const whole = new Set(); // Names of tables of which somebody wants all rows.

function compare(a, b) {
	if (typeof a === "number" || typeof b === "number")
		return (isFinite(a) && a !== null ? a : -Infinity) - (isFinite(b) && b !== null ? b : -Infinity);
	return String(a).localeCompare(String(b), undefined, { numeric: true });
}

function inOrderOf(name, columns, rows) {
	const chosen = sorted.get(name);
	const column = chosen && columns.find((one) => one.title === chosen.title);
	if (!column)
		return rows;
	return [...rows].sort((a, b) => (chosen.up ? 1 : -1) * compare(column.sort(a), column.sort(b)));
}

function headOf(name, column, again) {
	const chosen = sorted.get(name) || {};
	const here = chosen.title === column.title;
	const cell = element("th", { scope: "col", class: kindOf(column), "aria-sort": here ? (chosen.up ? "ascending" : "descending") : undefined });
	if (!column.sort) {
		cell.append(column.title);
		return cell;
	}
	const made = button(column.title + (here ? (chosen.up ? " \u2191" : " \u2193") : ""), "Sort by " + column.title, () => {
		sorted.set(name, { title: column.title, up: here ? !chosen.up : !column.number });
		again();
	});
	cell.append(made);
	return cell;
}

function kindOf(column) {
	return [column.number && "number", column.wide && "wide", column.minor && "minor"].filter(Boolean).join(" ") || undefined;
}

// Fills the element; a link or button in it that has the focus keeps it.
function refill(into, ...children) {
	const here = document.activeElement, nameOf = (one) => one.getAttribute("href") || one.getAttribute("aria-label");
	const name = into.contains(here) && nameOf(here);
	into.replaceChildren(...children);
	const again = name && [...into.querySelectorAll("a, button, [tabindex]")].find((one) => nameOf(one) === name);
	if (again)
		again.focus({ preventScroll: true });
}

function allButton(...parts) {
	const made = button(...parts);
	made.className = "all";
	return made;
}

// Fills the element with the table, again each time that somebody sorts it.  Of more than 'most' rows the first are shown,
// until somebody wants all.
function showTable(into, name, columns, rows, most) {
	if (most && rows.length === 0) // Nothing has come yet.
		return into.replaceChildren();
	const again = () => {
		showTable(into, name, columns, rows, most);
		const chosen = into.querySelector("th[aria-sort] button");
		if (chosen)
			chosen.focus();
	};
	const shown = columns.filter((column) => !column.optional || rows.some((row) => column.sort(row) !== null));
	const head = shown.map((column) => headOf(name, column, again));
	const some = most < rows.length && !whole.has(name);
	const body = inOrderOf(name, columns, rows).slice(0, some ? most : rows.length).map((row) =>
		element("tr", {}, ...shown.map((column) => element("td", { class: kindOf(column) }, column.cell(row)))));
	const scrolled = into.firstElementChild ? into.firstElementChild.scrollLeft : 0;
	refill(into, element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
		element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body))),
		...(some ? [allButton("Show all " + rows.length, "Show all " + rows.length + " of " + name.toLowerCase(), () => whole.add(name) && again())] : []));
	into.firstElementChild.scrollLeft = scrolled;
}

function table(name, columns, rows) {
	const into = element("div");
	showTable(into, name, columns, rows);
	return into;
}

// Two columns: what, and what it is.
function facts(name, rows) {
	return element("div", { class: "scroll" }, element("table", { class: "facts", "aria-label": name }, element("tbody", {},
		...rows.map(([what, ...is]) => element("tr", {}, element("th", { scope: "row" }, what), element("td", { class: "wide" }, ...is))))));
}
