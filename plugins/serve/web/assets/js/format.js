// Numbers and times as people read them.

const prefixes = ["", "k", "M", "G", "T", "P"];

// "1.2 MB/s": three digits, with the prefix that fits.
function amount(value, unit) {
	if (value === null || value === undefined || !isFinite(value))
		return "-";
	if (unit === "%")
		return digits(value) + " %";
	let step = 0;
	let size = Math.abs(value);
	while (size >= 1000 && step < prefixes.length - 1) {
		size /= 1000;
		step++;
	}
	return (value < 0 ? "-" : "") + digits(size) + (unit || step ? " " : "") + prefixes[step] + (unit || "");
}

function digits(value) {
	const size = Math.abs(value);
	if (size >= 100 || size < 0.0005 || value === Math.round(value))
		return value.toFixed(0);
	return value.toFixed(size >= 10 ? 1 : size >= 0.01 ? 2 : 3);
}

// "9 d": the two largest units are enough.
function duration(seconds) {
	const units = [["y", 31536000], ["d", 86400], ["h", 3600], ["min", 60], ["s", 1]];
	for (const [name, size] of units)
		if (seconds >= size)
			return Math.floor(seconds / size) + " " + name;
	return "0 s";
}

function clock(date) {
	return date.toTimeString().slice(0, 8);
}

// What stands below the axis of time: as much of a date as changes along it.
function axisTimes(times, span) {
	const two = (number) => String(number).padStart(2, "0");
	return times.map((time) => {
		const date = new Date(time * 1000);
		const minutes = two(date.getHours()) + ":" + two(date.getMinutes());
		if (span <= 600)
			return minutes + ":" + two(date.getSeconds());
		if (span <= 2 * 86400)
			return minutes;
		const day = date.getFullYear() + "-" + two(date.getMonth() + 1) + "-" + two(date.getDate());
		return span <= 100 * 86400 ? day.slice(5) : day.slice(0, 7);
	});
}

// The unit of a type, as it stands behind a number.
function unitOf(unit) {
	const short = { "bytes": "B", "bytes/s": "B/s", "percent": "%", "any": "", "1": "" };
	return unit in short ? short[unit] : unit;
}
