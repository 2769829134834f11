// Names of series: host/plugin-instance/type-instance.

// The glob that matches this text and nothing else.
function literal(text) {
	return text.replace(/[\\*?[\]]/g, "\\$&");
}

// The glob of the series of a host that match the rest.
function seriesOf(host, rest) {
	return literal(host) + "/" + rest;
}

// The slashes of a name stay.
function encodeName(name) {
	return name.split("/").map(encodeURIComponent).join("/");
}

// The regular expression of a glob, as fnmatch() takes it.
function globExpression(glob) {
	const made = glob.replace(/\\(.)|(\[!?\]?[^\]]*\])|[*?]|[^\\*?[]+|\[/g, (part, escaped, set) => {
		if (escaped !== undefined || (!set && part !== "*" && part !== "?"))
			return (escaped || part).replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
		return part === "*" ? ".*" : part === "?" ? "." : set.replace("[!", "[^");
	});
	return new RegExp("^" + made + "$", "s");
}

function partsOf(name) {
	const at = name.lastIndexOf("/"), middle = name.lastIndexOf("/", at - 1);
	const split = (text) => {
		const dash = text.indexOf("-");
		return dash < 0 ? [text, ""] : [text.slice(0, dash), text.slice(dash + 1)];
	};
	const [plugin, plugin_instance] = split(name.slice(middle + 1, at));
	const [type, type_instance] = split(name.slice(at + 1));
	return { host: name.slice(0, middle), plugin, plugin_instance, type, type_instance };
}

// The name of the group of a series, as /api/1/history makes it.
function groupOf(name, group) {
	if (!group)
		return name;
	const parts = partsOf(name);
	let text = "";
	for (const part of ["host", "plugin", "plugin_instance", "type", "type_instance"])
		if (group.split(",").includes(part))
			text += (text ? "/" : "") + parts[part];
	return text;
}

// A guest is known by what its series have in common: host and plugin instance,
// "web1/" or "kvm1/web1".
const guestGroup = "host,plugin_instance";
const guestsMax = 1000; // In the table.

function guestName(group) {
	return group.slice(group.indexOf("/") + 1) || group.replace(/\/$/, "");
}
