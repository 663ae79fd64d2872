
"use strict";
(() => {
  const form = document.getElementById("filters");
  const shown = document.getElementById("shown");
  const concerns = [...document.querySelectorAll("article.concern")].map((node) => ({
    node,
    row: document.querySelector(`tr[data-for="${node.id}"]`),
    severity: node.dataset.severity,
    status: node.dataset.status,
    reviewers: new Set(JSON.parse(node.dataset.reviewers)),
    files: new Set(JSON.parse(node.dataset.files)),
  }));

  function apply() {
    const wanted = new FormData(form);
    const severities = new Set(wanted.getAll("severity"));
    const [reviewer, status, file] = ["reviewer", "status", "file"].map((name) => wanted.get(name));
    let count = 0;
    for (const concern of concerns) {
      const visible = severities.has(concern.severity)
        && (!reviewer || concern.reviewers.has(reviewer))
        && (!status || concern.status === status)
        && (!file || concern.files.has(file));
      concern.node.hidden = !visible;
      if (concern.row) concern.row.hidden = !visible;
      count += visible ? 1 : 0;
    }
    shown.textContent = `${count} of ${concerns.length} shown`;
  }

  function reveal() {
    const target = document.getElementById(location.hash.slice(1));
    const article = target && target.closest("article.concern");
    if (article && article.hidden) { form.reset(); apply(); target.scrollIntoView(); }
  }

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const node of opened) node.open = true;
  });
  addEventListener("afterprint", () => {
    for (const node of opened) node.open = false;
  });

  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  addEventListener("hashchange", reveal);
  form.hidden = false;
  apply();
})();
