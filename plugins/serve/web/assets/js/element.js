// Elements of the page.  Texts are texts: no name of a host becomes HTML.

function element(name, attributes, ...children) {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {}))
		if (value !== undefined)
			made.setAttribute(key, value);
	made.append(...children);
	return made;
}

// A table of columns { title, number, cell(row) }.
function table(columns, rows) {
	const kind = (column) => ({ class: column.number ? "number" : column.wide ? "wide" : undefined });
	const head = columns.map((column) => element("th", { scope: "col", ...kind(column) }, column.title));
	const body = rows.map((row) => element("tr", {}, ...columns.map((column) => element("td", kind(column), column.cell(row)))));
	return element("div", { class: "scroll" },
		element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
}
