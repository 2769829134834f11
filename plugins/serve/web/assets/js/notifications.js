// Notifications: those of before, and each as it comes.

const notificationsMax = 100;
const severities = { failure: "bad", warning: "warn", okay: "good" };
const told = { list: [], last: 0 };

async function readNotifications() {
	const { notifications } = await api("notifications", { limit: notificationsMax });
	told.list = [...notifications].sort((a, b) => b.number - a.number);
}

function addNotification(one) {
	if (!told.list.some((other) => other.number === one.number))
		told.list.unshift(one);
	told.list.length = Math.min(told.list.length, notificationsMax);
}

// What is said, without the names and numbers in it.
function gist(one) {
	return one.message.split(one.host || "\n").join("").replace(/'[^']*'|[\d.]+/g, "");
}

// Those of one moment that say the same, or of one host, are one row, with how many
// more there are.
function notificationRows(len) {
	const rows = [];
	for (const one of told.list) {
		const before = rows[rows.length - 1];
		const near = before && before.severity === one.severity && Math.abs(before.last - one.time) < 2;
		if (near && (before.host === one.host || gist(before) === gist(one))) {
			before.more++;
			before.last = one.time;
			before.hosts.add(one.host);
		} else {
			rows.push({ ...one, more: 0, last: one.time, hosts: new Set([one.host]) });
		}
	}
	return rows.slice(0, len);
}

function notificationRow(one) {
	const host = one.host && !one.message.startsWith(one.host) ? [anchor("/host/" + encodeURIComponent(one.host), one.host), " "] : [];
	const others = one.hosts.size > 1 ? one.hosts.size - 1 + " more hosts" : one.more + " more of this host";
	const more = one.more > 0 ? [element("small", { class: "more" }, "and " + others + " \u2013 ")] : [];
	return element("li", {}, element("time", {}, moment(one.time)), badge(one.severity, severities[one.severity] || ""),
		element("span", { title: one.message }, ...host, ...more, one.message));
}

function showNotifications(into, len) {
	const rows = notificationRows(len).map(notificationRow);
	into.replaceChildren(element("h2", {}, "Notifications"), rows.length > 0 ? element("ol", { class: "told" }, ...rows) : element("p", { class: "empty" }, "No notifications yet."));
}
