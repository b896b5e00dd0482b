"use strict";
(() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const toggle = document.getElementById("theme");
  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const name = () => { toggle.textContent = dark() ? "Light" : "Dark"; };
  toggle.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  system.addEventListener("change", name);
  name();
  toggle.hidden = false;

  const words = new Intl.Collator("en", { numeric: true });
  const figures = (x, decimals) => {
    const [whole, part] = Math.abs(x).toFixed(decimals).split(".");
    const text = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? "." + part : "");
    return x < 0 && /[1-9]/.test(text) ? "-" + text : text;
  };

  for (const box of document.querySelectorAll(".grid")) {
    const { columns, rows, page } = JSON.parse(box.querySelector("script").textContent);
    const heads = [...box.querySelectorAll("thead th")];
    const body = box.querySelector("tbody");
    const status = box.querySelector("[role=status]");
    const input = box.querySelector("input");
    const [previous, next] = box.querySelectorAll(".pager button");
    let order = Array.from({ length: rows }, (_, i) => i);
    let shown = order;
    let first = 0;

    const text = (column, i) => {
      const value = column.values[i];
      if (value === null) return "no value";
      if (column.texts) return column.texts[i];
      return typeof value === "number" && column.decimals !== null ? figures(value, column.decimals) : String(value);
    };
    const compare = (column, sign) => {
      const values = column.values;
      const two = column.number ? (a, b) => a - b : (a, b) => words.compare(a, b);
      return (i, j) => {
        const a = values[i], b = values[j];
        if (a === null || b === null) return (a === null) - (b === null) || i - j;
        return sign * two(a, b) || i - j;
      };
    };
    const draw = () => {
      const lines = shown.slice(first, first + page).map((i) => {
        const line = document.createElement("tr");
        for (const column of columns) {
          const cell = document.createElement(column.head ? "th" : "td");
          if (column.head) cell.scope = "row";
          cell.className = column.values[i] === null ? "none" : column.style;
          cell.textContent = text(column, i);
          line.append(cell);
        }
        return line;
      });
      body.replaceChildren(...lines);
      const last = Math.min(first + page, shown.length);
      const range = shown.length > page ? `Rows ${figures(first + 1, 0)} to ${figures(last, 0)} of ` : "";
      const what = shown.length === 1 ? "1 row" : figures(shown.length, 0) + (range ? "" : " rows");
      status.textContent = range + what + (shown.length < rows ? `, filtered from ${figures(rows, 0)}` : "");
      previous.disabled = first === 0;
      next.disabled = last >= shown.length;
      previous.parentElement.hidden = shown.length <= page;
    };
    let searched = null;
    const filter = () => {
      const wanted = input.value.trim().toLowerCase();
      if (wanted && !searched) {
        const keys = columns.filter((column) => column.head);
        searched = order.map(() => "");
        for (const i of order) searched[i] = keys.map((column) => text(column, i)).join(" ").toLowerCase();
      }
      shown = wanted ? order.filter((i) => searched[i].includes(wanted)) : order;
      first = 0;
      draw();
    };
    heads.forEach((head, at) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const now = head.getAttribute("aria-sort");
        const down = now === "none" ? columns[at].number && !columns[at].head : now === "ascending";
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        order = Array.from(order).sort(compare(columns[at], down ? -1 : 1));
        filter();
      });
    });
    input.addEventListener("input", filter);
    previous.addEventListener("click", () => { first = Math.max(first - page, 0); draw(); });
    next.addEventListener("click", () => { first += page; draw(); });
    draw();
    box.querySelector(".tools").hidden = rows < 8;
  }
})();
