"use strict";
document.querySelectorAll("table.sortable").forEach((table) => {
  const body = table.tBodies[0];
  const key = (row, at) => row.cells[at].dataset.sort ?? "";
  const compare = (a, b) => {
    if (a === "" || b === "") return (a === "") - (b === "");
    return isNaN(a) || isNaN(b) ? a.localeCompare(b) : a - b;
  };
  table.querySelectorAll("thead th").forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "descending" || at === 0 && !head.ariaSort;
      table.querySelectorAll("th[aria-sort]").forEach((th) => th.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "ascending" : "descending");
      const rows = [...body.rows].sort((a, b) => {
        const [x, y] = [key(a, at), key(b, at)];
        const order = compare(x, y);
        return down || x === "" || y === "" ? order : -order;
      });
      body.append(...rows);
    });
  });
});
const openTarget = () => {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target && target.tagName === "DETAILS") target.open = true;
};
addEventListener("hashchange", openTarget);
openTarget();
addEventListener("beforeprint", () => {
  document.querySelectorAll("details.rules").forEach((fold) => { fold.open = true; });
});
