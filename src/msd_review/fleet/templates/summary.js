"use strict";
(() => {
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");
  const tables = [...document.querySelectorAll("main section")].map((section) => ({
    section,
    body: section.querySelector("tbody"),
    rows: [...section.querySelectorAll("tbody tr")].map((row) => ({ row, text: row.textContent.toLowerCase() })),
  }));

  function apply() {
    const wanted = String(new FormData(form).get("text")).trim().toLowerCase();
    let visible = 0;
    let total = 0;
    for (const table of tables) {
      let left = 0;
      for (const one of table.rows) {
        one.row.hidden = !one.text.includes(wanted);
        left += one.row.hidden ? 0 : 1;
      }
      table.section.hidden = left === 0;
      visible += left;
      total += table.rows.length;
    }
    shown.textContent = `${visible} of ${total} rows shown`;
  }

  function valueOf(row, column) {
    const cell = row.cells[column];
    const text = cell.dataset.sort ?? cell.textContent;
    const number = Number(text);
    return text === "" || Number.isNaN(number) ? text : number;
  }

  function compare(one, other) {
    if (typeof one === "number" && typeof other === "number") return one - other;
    return String(one).localeCompare(String(other));
  }

  function sort(table, heading) {
    const falling = heading.getAttribute("aria-sort") !== "descending";
    for (const other of table.section.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", falling ? "descending" : "ascending");
    const keyed = table.rows.map(({ row }) => ({ row, value: valueOf(row, heading.cellIndex) }));
    keyed.sort((a, b) => {
      const last = a.row.classList.contains("total") - b.row.classList.contains("total");
      return last || (falling ? compare(b.value, a.value) : compare(a.value, b.value));
    });
    table.body.append(...keyed.map(({ row }) => row));
  }

  for (const table of tables) {
    for (const heading of table.section.querySelectorAll("thead th")) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => sort(table, heading));
    }
  }

  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  form.hidden = false;
  apply();
})();
