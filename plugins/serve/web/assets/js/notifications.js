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

// Those of one moment that say the same of one host are one row, with how many.
function notificationRows(len) {
	const rows = [];
	for (const one of told.list) {
		const before = rows[rows.length - 1];
		if (before && before.host === one.host && before.severity === one.severity && Math.abs(before.time - one.time) < 2)
			before.more++;
		else
			rows.push({ ...one, more: 0 });
	}
	return rows.slice(0, len);
}

function notificationRow(one) {
	const host = one.host && !one.message.startsWith(one.host) ? [anchor("/host/" + encodeURIComponent(one.host), one.host), " "] : [];
	return element("li", {}, element("time", {}, moment(one.time)), badge(one.severity, severities[one.severity] || ""),
		element("span", {}, ...host, one.message, ...(one.more > 0 ? [element("small", {}, " and " + one.more + " more of this host")] : [])));
}

function showNotifications(into, len) {
	const rows = notificationRows(len).map(notificationRow);
	into.replaceChildren(element("h2", {}, "Notifications"), rows.length > 0 ? element("ol", { class: "told" }, ...rows) : element("p", { class: "empty" }, "None so far. They appear here as they come."));
}
