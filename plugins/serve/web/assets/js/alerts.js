// All open alerts, by host: the hosts with the worst ones first, then those that have one each.

const alertsMax = 500; // Rows.
const loneMax = 4;     // Hosts with one alert that have a table each.

function alertHosts(alerts) {
	const hosts = new Map();
	for (const alert of worstFirst(alerts)) {
		const { host } = partsOf(alert.series);
		hosts.set(host, [...(hosts.get(host) || []), alert]);
	}
	return [...hosts];
}

async function alertsView(view) {
	const note = element("p", { class: "summary" }), into = element("div"), silent = element("div");
	view.replaceChildren(heading("Alerts"), note, into, silent);
	let shown = "";
	const refresh = async () => {
		const [{ alerts, may_act: acts }, { silences }, { collector }] = await Promise.all([api("alerts"), api("silences"), api("status")]);
		const text = JSON.stringify([alerts, silences, collector.rules === 0]);
		if (text === shown)
			return;
		shown = text;
		const hosts = alertHosts(alerts), failures = alerts.filter((one) => one.state === "FAILURE").length;
		note.replaceChildren(alerts.length === 0 ? collector.rules === 0 ? badge("No rules", "") : badge("No open alerts", "good") : alerts.length.toLocaleString("en") + (alerts.length === 1 ? " alert" : " alerts") +
			", " + failures.toLocaleString("en") + " of them failures, on " + hosts.length.toLocaleString("en") + (hosts.length === 1 ? " host" : " hosts") +
			(alerts.length > alertsMax ? "; the " + alertsMax + " worst below" : ""));
		let room = alertsMax;
		const ones = hosts.filter(([, found]) => found.length === 1), lone = ones.length > loneMax ? ones.map(([, [one]]) => one) : [];
		refill(into, ...hosts.flatMap(([host, found]) => {
			if (lone.includes(found[0]))
				return [];
			const here = found.slice(0, Math.max(0, room));
			room -= found.length;
			return here.length > 0 ? [section([anchor("/host/" + encodeURIComponent(host), host), " ", element("small", {}, String(found.length))],
				alertTable("Alerts of " + host, here, host, ...actColumn(acts, refresh)))] : [];
		}), ...(lone.length > 0 && room > 0 ? [section(lone.length < alerts.length ? "Other hosts, one alert each" : "Hosts with one alert each",
			alertTable("Alerts of hosts with one", lone.slice(0, room), undefined, ...actColumn(acts, refresh)))] : []));
		silent.replaceChildren(...silenceTable(silences, acts, refresh));
	};
	return refresh;
}
