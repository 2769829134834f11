// The keys.

const help = element("dialog", { "aria-label": "Keys" }, element("h2", {}, "Keys"), element("dl", {}, ...[
	["/", "search; up and down walk through what was found, Esc ends it"],
	["1 \u2013 8", "5 minutes to a year"],
	["[ ]", "back and on in time"],
	["+ -", "closer, and wider; or drag over a chart"],
	["\u2190 \u2192", "move the cursor, when a chart has the focus (Tab)"],
	["m", "series that correlate with that chart"],
	["l", "back to what is now"],
	["u", "times in UTC, or as here"],
	["h", "this host"],
].flatMap(([key, what]) => [element("dt", {}, key), element("dd", {}, what)])), button("Close", "Close", () => help.close()));

function toggleHelp() {
	if (!help.isConnected)
		document.body.append(help);
	if (help.open)
		help.close();
	else
		help.showModal();
}
