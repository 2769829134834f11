// The JSON API of the collector, and whether it answers.

let lostSince = null;

function showContact() {
	const note = document.getElementById("contact");
	note.hidden = lostSince === null;
	if (lostSince !== null)
		note.textContent = "No contact since " + clock(lostSince) + ". This page goes on by itself when the collector answers.";
}

async function api(path, parameters) {
	const query = new URLSearchParams(parameters).toString();
	let answer;
	try {
		answer = await fetch("/api/1/" + path + (query ? "?" + query : ""), { signal: AbortSignal.timeout(20000) });
	} catch (error) {
		if (lostSince === null)
			lostSince = new Date();
		showContact();
		throw error;
	}
	lostSince = null;
	showContact();
	const body = await answer.json();
	if (!answer.ok)
		throw new Error(body.detail || answer.statusText);
	return body;
}

// The glob that matches this text and nothing else.
function literal(text) {
	return text.replace(/[\\*?[\]]/g, "\\$&");
}

// The glob of the series of a host that match the rest.
function seriesOf(host, rest) {
	return literal(host) + "/" + rest;
}
