// The table of all hosts.  The collector sorts and filters; the page asks for the rows that are seen.

const rowHeight = 31; // Pixels; see page.css.
const rowsOfPage = 100;

class HostTable {
	// ask(parameters) answers as /api/1/hosts does; sort(key) is called when somebody chooses a column.
	constructor(ask, sort) {
		this.ask = ask;
		this.sort = sort;
		this.pages = new Map(); // By number: rows.
		this.matched = 0;
		this.head = element("tr", { "aria-rowindex": "1" });
		this.body = element("tbody");
		this.table = element("table", {}, element("thead", {}, this.head), this.body);
		this.element = element("div", { class: "scroll tall", tabindex: "0", role: "region", "aria-label": "Hosts" }, this.table);
		this.element.addEventListener("scroll", () => this.fill());
	}

	// Other rows, or the same in another order, from the top.
	async reset(columns, order, up) {
		this.columns = columns;
		this.head.replaceChildren(...columns.map((column) => this.headOf(column, order, up)));
		this.element.scrollTop = 0;
		this.pages.clear();
		this.asked = (this.asked || 0) + 1;
		await this.refresh();
	}

	headOf(column, order, up) {
		const here = column.key === order;
		const cell = element("th", { scope: "col", class: kindOf(column), "aria-sort": here ? (up ? "ascending" : "descending") : undefined });
		if (column.key) {
			const made = button(column.title + (here ? (up ? " \u2191" : " \u2193") : ""), "Sort by " + column.title, () => this.sort(column.key));
			made.id = "sort-" + column.key;
			cell.append(made);
		} else
			cell.append(column.title);
		return cell;
	}

	// The rows between the edges, and some beside them.
	seen() {
		const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - 10);
		return [first, Math.min(this.matched, first + Math.ceil(this.element.clientHeight / rowHeight) + 20)];
	}

	// The rows that are seen are asked for again.
	async refresh() {
		const [first, end] = this.seen(), { asked } = this;
		const kept = new Map();
		for (let page = Math.floor(first / rowsOfPage); page * rowsOfPage < Math.max(end, 1); page++)
			kept.set(page, await this.load(page));
		if (asked !== this.asked)
			return;
		this.pages = kept;
		this.draw();
	}

	async load(page) {
		const asked = this.asked;
		const answer = await this.ask({ offset: page * rowsOfPage, limit: rowsOfPage });
		if (asked !== this.asked)
			return this.pages.get(page);
		this.matched = answer.matched;
		this.answer = answer;
		return answer.hosts;
	}

	// After a scroll: what is there at once, what is missing as it comes.
	async fill() {
		this.draw();
		const [first, end] = this.seen();
		for (let page = Math.floor(first / rowsOfPage); page * rowsOfPage < end; page++)
			if (!this.pages.has(page)) {
				this.pages.set(page, null);
				try {
					this.pages.set(page, await this.load(page));
				} catch (error) {
					this.pages.delete(page);
				}
				this.draw();
			}
	}

	space(rows) {
		const made = element("tr", { "aria-hidden": "true" }, element("td", { colspan: String(this.columns.length) }));
		made.firstChild.style.setProperty("height", rows * rowHeight + "px");
		made.firstChild.style.setProperty("padding", "0");
		return rows > 0 ? [made] : [];
	}

	draw() {
		const [first, end] = this.seen();
		const rows = [];
		for (let at = first; at < end; at++) {
			const page = this.pages.get(Math.floor(at / rowsOfPage)), row = page && page[at % rowsOfPage];
			rows.push(element("tr", { "aria-rowindex": String(at + 2) }, ...this.columns.map((column) => element("td", { class: kindOf(column) }, row ? column.cell(row) : "\u00a0"))));
		}
		this.table.setAttribute("aria-rowcount", String(this.matched + 1));
		refill(this.body, ...this.space(first), ...rows, ...this.space(this.matched - end));
	}
}
