
// Sorts a table by the column whose heading is pressed: up, down, and back to the order of the report. Figures sort by
// what they stand for, unknown ones last either way. Sums at the foot stay.
"use strict";
(() => {
	const words = new Intl.Collator(document.documentElement.lang || "en", {numeric: true});
	const figure = td => td.dataset.v === undefined ? null : td.dataset.v === "" ? NaN : Number(td.dataset.v);
	const compare = (a, b, sign) => {
		const x = figure(a), y = figure(b);
		const first = v => v === null ? 1 : Number.isNaN(v) ? 2 : 0; // figures, words, unknown
		if (first(x) !== first(y)) return first(x) - first(y);
		if (first(x) === 2) return 0;
		return sign * (x === null ? words.compare(a.textContent, b.textContent) : x - y);
	};
	for (const box of document.querySelectorAll(".wide")) {
		if (box.scrollWidth > box.clientWidth) { // then the keyboard must reach it
			box.tabIndex = 0;
			box.setAttribute("role", "region");
			box.setAttribute("aria-label", box.firstElementChild.getAttribute("aria-label"));
		}
	}
	for (const table of document.querySelectorAll("table")) {
		const body = table.tBodies[0];
		const rows = Array.from(body.rows);
		if (rows.length < 2) continue;
		const heads = Array.from(table.tHead.rows[0].cells);
		heads.forEach((th, column) => {
			const button = document.createElement("button");
			button.type = "button";
			button.append(...th.childNodes);
			th.append(button);
			button.addEventListener("click", () => {
				const was = th.getAttribute("aria-sort");
				const now = was === "ascending" ? "descending" : was === "descending" ? "" : "ascending";
				for (const h of heads) h.removeAttribute("aria-sort");
				let order = rows;
				if (now) {
					th.setAttribute("aria-sort", now);
					const sign = now === "ascending" ? 1 : -1;
					order = rows.slice().sort((a, b) => compare(a.cells[column], b.cells[column], sign));
				}
				body.append(...order);
			});
		});
	}
})();
