// The JSON API of the collector, and whether it answers.

let lostSince = null;

function showContact() {
	const note = document.getElementById("contact");
	note.hidden = lostSince === null;
	if (lostSince !== null)
		note.textContent = "No contact since " + clock(lostSince) + ". Reconnecting.";
	document.body.classList.toggle("lost", lostSince !== null);
}

function setContact(there) {
	if (there === (lostSince === null))
		return;
	lostSince = there ? null : new Date();
	showContact();
}

async function api(path, parameters) {
	const query = new URLSearchParams(parameters).toString();
	let answer, body;
	try {
		answer = await fetch("/api/1/" + path + (query ? "?" + query : ""), { signal: AbortSignal.timeout(20000) });
		body = await answer.json();
	} catch (error) {
		setContact(false);
		throw error;
	}
	setContact(true);
	if (!answer.ok)
		throw new Error(body.detail || answer.statusText);
	return body;
}
