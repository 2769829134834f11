// Elements of the page.  Texts are texts: no name of a host becomes HTML.

function element(name, attributes, ...children) {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(attributes || {}))
		if (value !== undefined)
			made.setAttribute(key, value);
	made.append(...children);
	return made;
}

// A link to a view of ours; the range of time stays.
function anchor(path, text, kind) {
	return element("a", { href: link(path), class: kind }, text);
}

// Read aloud, and called by voice, by what is on it.
function button(text, title, act) {
	const label = /\w/.test(text) && !title.includes(text) ? text + ": " + title : title;
	const made = element("button", { type: "button", title, "aria-label": label }, text);
	made.addEventListener("click", act);
	return made;
}

// A word with the colour of what it says: "good", "warn", "bad" or "".
function badge(text, kind) {
	return element("span", { class: "badge " + kind }, text);
}

// A number with a bar behind it; share is from 0 to 1.
function bar(text, share, kind) {
	const made = element("span", { class: "bar " + (kind || "") }, text);
	made.style.setProperty("--share", 100 * Math.max(0, Math.min(1, share || 0)) + "%");
	return made;
}

// title: a text, or a list of texts and elements.
function section(title, ...children) {
	return element("section", {}, element("h2", {}, ...[title].flat()), ...children);
}
