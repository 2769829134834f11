// The page of a guest.

// name: "web1/virt" or "kvm1/virt-web1".
async function guestPage(view, name) {
	const note = element("p", { class: "summary" }), about = element("section");
	const parts = partsOf(name + "/x");
	const key = parts.host + "/" + parts.plugin_instance;
	const graphs = (await Promise.all([name, name.replace("/virt", "/noisy_neighbour")].map((one) => graphsOf(literal(one) + "/*")))).flat().sort((a, b) => a.order - b.order);
	view.replaceChildren(heading(anchor("/guests", "Guests"), guestName(key)), note, ...(await graphSections(graphs, openGraphs)), about);
	return async () => {
		const [latest, known] = await Promise.all([api("latest", { match: literal(name) + "/*" }), api("explain/" + encodeName(name) + "/virt_cpu_total").catch(() => null)]);
		const kinds = {};
		for (const { name: series, rates } of latest.series) {
			const one = partsOf(series);
			const kind = one.type === "memory" ? series.slice(series.lastIndexOf("/") + 1) : one.type;
			for (const [source, rate] of Object.entries(rates))
				(kinds[kind] = kinds[kind] || {})[source] = (kinds[kind][source] || 0) + (rate || 0);
		}
		await addNeighbours(new Map([[key, kinds]]));
		const sentences = known ? known.judges.filter((one) => one.name === "noisy_neighbour").map((one) => one.text) : [];
		const row = guestRow([key, kinds]);
		const told = [["CPU", row.cpu, "%"], ["ready", row.ready, "%"], ["memory", row.memory, "B"], ["disks used", row.fill, "%"]].filter(([, value]) => value !== null);
		note.replaceChildren(...(row.word ? [badge(row.word, row.stuck ? "bad" : row.state === 1 ? "good" : "warn"), " "] : []),
			row.stuck ? "QEMU does not respond; counters of the kernel go on" : told.map(([word, value, unit]) => word + " " + amount(value, unit)).join(", "),
			row.noisy ? element("span", { class: "warn" }, ". " + (sentences.join("; ") || "Neighbour: " + noisyWords(row.noisy))) : "");
		if (known && known.labels.length > 0)
			about.replaceChildren(element("h2", {}, "Labels"), facts("Labels", known.labels.map((label) => [label.name, label.value])));
	};
}
