// Numbers and times as people read them.

const prefixes = ["", "k", "M", "G", "T", "P"];

// "1.2 MB/s": three digits, with the prefix that fits.  Sizes go by 1024.
function amount(value, unit) {
	if (value === null || value === undefined || !isFinite(value))
		return "\u2013";
	if (unit === "%")
		return (value && Math.abs(value) < 0.005 ? "0.00" : digits(value)) + " %";
	if (unit === "s" && value && Math.abs(value) < 1)
		return (value < 0 ? "-" : "") + duration(Math.abs(value));
	const base = unit === "B" ? 1024 : 1000;
	let step = 0;
	let size = Math.abs(value);
	while (Math.round(size) >= base && step < prefixes.length - 1) {
		size /= base;
		step++;
	}
	const prefix = step === 0 ? "" : base === 1024 ? prefixes[step].toUpperCase() + "i" : prefixes[step];
	return (value < 0 ? "-" : "") + digits(size) + (unit || step ? " " : "") + prefix + (unit || "");
}

function digits(value) {
	const size = Math.abs(value);
	if (size >= 100 || size < 1e-5 || value === Math.round(value))
		return value.toFixed(0);
	return size < 0.01 ? String(+value.toPrecision(2)) : value.toFixed(size >= 10 ? 1 : 2);
}

// "9 d": the largest unit is enough.
function duration(seconds) {
	const units = [["y", 31536000], ["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
	for (const [name, size] of units)
		if (seconds >= size)
			return Math.floor(seconds / size) + " " + name;
	if (seconds <= 0)
		return "0 s";
	return seconds < 0.001 ? digits(seconds * 1e6) + " \u00b5s" : digits(seconds * 1000) + " ms";
}

function two(number) {
	return String(number).padStart(2, "0");
}

// "2026-11-21T13:01:07", in the time that the page shows.
function calendar(date) {
	return new Date(date - (isUtc() ? 0 : 60000 * date.getTimezoneOffset())).toISOString();
}

function day(date) {
	return calendar(date).slice(0, 10);
}

function clock(date) {
	return calendar(date).slice(11, 19);
}

// "13:01:07" today, else "2026-11-21 13:01".
function moment(seconds) {
	const date = new Date(seconds * 1000);
	return day(date) === day(new Date()) ? clock(date) : day(date) + " " + clock(date).slice(0, 5);
}

// What stands below the axis of time: as much of a date as changes along it.
function axisTimes(times, span) {
	return times.map((time) => {
		const date = new Date(time * 1000);
		if (span <= 600)
			return clock(date);
		if (span <= 2 * 86400)
			return clock(date).slice(0, 5);
		return span <= 100 * 86400 ? day(date).slice(5) : day(date).slice(0, 7);
	});
}

// The unit of a type, as it stands behind a number.
function unitOf(unit) {
	const short = { "bytes": "B", "bytes/s": "B/s", "percent": "%", "any": "", "1": "", "code": "", "boolean": "", "seconds": "s" };
	return unit in short ? short[unit] : unit;
}

function seriesCount(number) {
	return number.toLocaleString("en") + " series";
}
