// What somebody does about an alert: acknowledges it, or silences its series or its host.

async function act(path, body) {
	const answer = await fetch("/api/1/" + path, {
		method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal: AbortSignal.timeout(20000),
	});
	if (!answer.ok)
		throw new Error((await answer.json()).detail || answer.statusText);
}

// As a glob that matches this name alone.
function exactly(name) {
	return name.replace(/[\\*?[\]]/g, "\\$&");
}

// A form with a reason; what was chosen is done, and shown.
function actDialog(row, refresh) {
	const reason = element("input", { type: "text", maxlength: "400", "aria-label": "Reason", placeholder: "Reason, such as who looks at it" });
	const whole = element("input", { type: "checkbox" }), note = element("p", { class: "bad", role: "status" });
	const { host } = partsOf(row.series);
	const dialog = element("dialog", { "aria-label": "About this alert" });
	const way = (text, title, path, seconds) => button(text, title, async () => {
		const match = exactly(seconds && whole.checked ? host : row.series);
		try {
			await act(path, { match, reason: reason.value, ...(seconds ? { seconds } : {}) });
			dialog.close();
			await refresh();
		} catch (error) {
			note.textContent = error.message;
		}
	});
	dialog.append(element("h2", {}, row.series), element("p", {}, row.reason), reason,
		element("label", {}, whole, " Silence the whole host " + host), note,
		element("div", { class: "acts" }, way("Acknowledge", "Until it ends or becomes worse", "acknowledge"), way("Silence 1 h", "Silence for an hour", "silence", 3600),
			way("4 h", "Silence for four hours", "silence", 4 * 3600), way("1 d", "Silence for a day", "silence", 86400), button("Cancel", "Cancel", () => dialog.close())));
	dialog.addEventListener("close", () => dialog.remove());
	document.body.append(dialog);
	dialog.showModal();
}

function actColumn(acts, refresh) {
	return acts ? [{ title: "Action", cell: (row) => button("Ack or silence", "Acknowledge or silence " + row.series, () => actDialog(row, refresh)) }] : [];
}

function silenceTable(silences, acts, refresh) {
	if (silences.length === 0)
		return [];
	return [section("Silences", table("Silences", [
		{ title: "Host or series", wide: true, cell: (row) => row.pattern },
		{ title: "Until", cell: (row) => moment(row.until) },
		{ title: "Reason", wide: true, cell: (row) => row.reason },
		...(acts ? [{ title: "", cell: (row) => button("End", "End the silence of " + row.pattern, () => act("unsilence", { match: row.pattern }).then(refresh, refresh)) }] : []),
	], silences))];
}
