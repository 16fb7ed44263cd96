"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const list = document.getElementById("frames");
  const filter = document.getElementById("filter");
  const count = document.getElementById("count");

  const element = (tag, className, text) => {
    const e = document.createElement(tag);
    if (className) e.className = className;
    if (text !== undefined) e.textContent = text;
    return e;
  };

  // Hidden characters are shown as escapes: those of phrase.IsHiddenInText.
  const hidden = /[\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2028\u2029\u3164\ufe00-\ufe0d\uffa0\u{e0000}-\u{e0fff}]/gu;
  const visible = (text) => text.replace(hidden, (c) => "\t\n\r".includes(c) ? c : "\\u" + c.codePointAt(0).toString(16).padStart(4, "0"));

  // A JSON text as folding elements. The tokens are those of the text: numbers,
  // escapes, duplicate names and their order stay.
  const jsonView = (text) => {
    let at = 0;
    const space = () => { while (at < text.length && " \t\r\n".includes(text[at])) at++; };
    const stringToken = () => {
      const start = at++;
      while (at < text.length && text[at] !== "\"") at += text[at] === "\\" ? 2 : 1;
      at++;
      return text.slice(start, at);
    };
    const value = (prefix, depth) => {
      space();
      const first = text[at];
      if (first === "{" || first === "[") return group(prefix, first, depth);
      const line = element("div");
      line.append(...prefix);
      if (first === "\"") {
        line.append(element("span", "string", visible(stringToken())));
      } else {
        const start = at;
        while (at < text.length && !",]} \t\r\n".includes(text[at])) at++;
        line.append(element("span", "literal", text.slice(start, at)));
      }
      return line;
    };
    const group = (prefix, open, depth) => {
      const close = open === "{" ? "}" : "]";
      const inner = element("div", "inner");
      let entries = 0;
      at++;
      for (space(); at < text.length && text[at] !== close; space()) {
        if (text[at] === ",") { at++; continue; }
        entries++;
        if (open === "{") {
          const key = element("span", "key", visible(stringToken()));
          space();
          at++; // the colon
          inner.append(value([key, ": "], depth + 1));
        } else {
          inner.append(value([], depth + 1));
        }
      }
      at++;
      if (entries === 0) {
        const line = element("div");
        line.append(...prefix, open + close);
        return line;
      }
      const details = element("details");
      details.open = depth < 3 && entries <= 50;
      const summary = element("summary");
      summary.append(...prefix, open, element("span", "muted", ` ${entries} `), close);
      details.append(summary, inner);
      return details;
    };
    const root = element("div", "json");
    root.append(value([], 0));
    return root;
  };

  const body = (frame) => {
    const box = element("div", "body");
    for (const finding of frame.findings || []) {
      box.append(element("div", finding.severity, `${finding.severity} ${finding.rule} ${finding.path}: ${visible(finding.message)} (${finding.fault})`));
    }
    if (frame.request) box.append(element("div", "muted", `belongs to frame ${frame.request}`));
    const text = (name, body, unchecked) => {
      if (name) box.append(element("div", "muted", name));
      if (frame.json) {
        try { if (unchecked) JSON.parse(body); box.append(jsonView(body)); return; } catch { /* no JSON, or nested too deeply: as text */ }
      }
      box.append(element("pre", "", visible(body)));
    };
    for (const [name, value] of frame.headers || []) box.append(element("div", "muted", visible(`${name}: ${value}`)));
    if (frame.change) box.append(element("div", "warn", visible(`This frame ${frame.change}.`)));
    if (frame.received !== undefined) text("received", frame.received, true);
    text(frame.received !== undefined ? "sent on" : frame.sent ? "received" : "", frame.body);
    for (const other of frame.sent || []) text("sent on", other, true);
    return box;
  };

  const rows = data.frames.map((frame) => {
    const row = element("details", "frame");
    const summary = element("summary");
    const worst = (frame.findings || []).map((f) => f.severity).sort()[0];
    const label = element("span", "label" + (frame.failed ? " bad" : ""), visible(frame.label));
    if (worst) label.append(element("span", worst, `  ● ${frame.findings.length}`));
    summary.append(
      element("span", "number", String(frame.n)),
      element("span", "time", frame.time),
      element("span", frame.dir, frame.dir === "out" ? "→" : frame.dir === "in" ? "←" : ""),
      label,
      element("span", "took", frame.took || ""),
    );
    row.append(summary);
    row.addEventListener("toggle", () => {
      if (row.open && row.childElementCount === 1) row.append(body(frame));
    });
    row.id = "frame-" + frame.n;
    return { frame, row, text: null };
  });
  list.append(...rows.map((r) => r.row));

  // Words must all occur; a minus excludes. method:, dir: and status:error as in mcptea.
  const matches = (r, words) => words.every((word) => {
    let wanted = true;
    if (word.length > 1 && word.startsWith("-")) { wanted = false; word = word.slice(1); }
    let hit;
    if (word.startsWith("method:")) {
      const pattern = word.slice(7).split("*").map((s) => s.replace(/[.+?^${}()|[\]\\]/g, "\\$&")).join(".*");
      hit = new RegExp("^" + pattern + "$", "i").test(r.frame.method || "");
    } else if (word.startsWith("dir:")) {
      hit = r.frame.dir === word.slice(4);
    } else if (word === "status:error") {
      hit = !!r.frame.failed;
    } else {
      r.text ??= [r.frame.label, r.frame.body, r.frame.received, ...(r.frame.sent || []), ...(r.frame.headers || []).map((h) => h.join(": "))].join("\n").toLowerCase();
      hit = r.text.includes(word.toLowerCase());
    }
    return hit === wanted;
  });
  const apply = () => {
    const words = filter.value.split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const r of rows) {
      const hit = matches(r, words);
      r.row.hidden = !hit;
      if (hit) shown++;
    }
    count.textContent = shown === rows.length ? `${rows.length} frames` : `${shown} of ${rows.length} frames`;
  };
  filter.addEventListener("input", apply);
  apply();

  document.getElementById("unfold").addEventListener("click", () => {
    const shown = rows.filter((r) => !r.row.hidden);
    const open = shown.some((r) => !r.row.open);
    for (const r of shown.slice(0, 500)) r.row.open = open;
  });
  for (const link of document.querySelectorAll("[data-frame]")) {
    link.addEventListener("click", () => {
      const row = document.getElementById("frame-" + link.dataset.frame);
      if (!row) return;
      row.hidden = false;
      row.open = true;
      row.scrollIntoView({ block: "center" });
    });
  }
})();
