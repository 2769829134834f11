// SPDX-License-Identifier: MIT
// Search without a server: index.js, which is loaded when somebody begins to search,
// has the text below each heading.  Words may stand anywhere; headings count more.
"use strict";
const input = document.getElementById("search");
const found = document.getElementById("found");
const LIMIT = 20;

if (matchMedia("(max-width: 52rem)").matches)
	document.querySelector("nav .pages").open = false;

function load() {
	if (document.getElementById("search-index"))
		return;
	const script = document.createElement("script");
	script.id = "search-index";
	script.src = "index.js";
	script.onload = show;
	document.body.append(script);
}

// How well a part fits; 0 if a word is lacking.
function score([title, heading, , text], words) {
	let sum = 0;
	for (const word of words) {
		const points = (title.toLowerCase().includes(word) ? 8 : 0) +
			(heading.toLowerCase().includes(word) ? 5 : 0) +
			(text.toLowerCase().includes(word) ? 1 : 0);
		if (!points)
			return 0;
		sum += points;
	}
	return sum;
}

// The text around the first word, with it marked.
function excerpt(text, words) {
	const line = document.createElement("p");
	const lower = text.toLowerCase();
	const word = words.find((one) => lower.includes(one));
	const at = word ? lower.indexOf(word) : 0;
	const begin = Math.max(0, at - 60);
	line.append(begin ? "\u2026" : "", text.slice(begin, at));
	if (word) {
		const mark = document.createElement("mark");
		mark.textContent = text.slice(at, at + word.length);
		line.append(mark);
	}
	line.append(text.slice(at + (word || "").length, at + 120));
	return line;
}

function show() {
	const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
	found.hidden = !words.length || !window.parts;
	if (found.hidden)
		return;
	const hits = window.parts.map((part) => [score(part, words), part])
		.filter(([points]) => points).sort((a, b) => b[0] - a[0]);
	found.replaceChildren(...hits.slice(0, LIMIT).map(([, [title, heading, address, text]]) => {
		const entry = document.createElement("div");
		const link = document.createElement("a");
		link.href = address;
		link.textContent = title === heading ? title : `${title}: ${heading}`;
		link.onclick = () => { found.hidden = true; };
		entry.append(link, excerpt(text, words));
		return entry;
	}));
	if (!hits.length)
		found.textContent = "Nothing has all of these words.";
}

input.addEventListener("focus", load);
input.addEventListener("input", () => { load(); show(); });
document.addEventListener("keydown", (event) => {
	if (event.key === "/" && document.activeElement !== input) {
		event.preventDefault();
		input.focus();
	} else if (event.key === "Escape") {
		found.hidden = true;
		input.blur();
	}
});
