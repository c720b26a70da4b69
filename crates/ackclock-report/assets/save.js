// Saves what a report shows: pictures as SVG and PNG, tables as CSV. Everything is made from the page itself.
"use strict";
const saving = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
  const round = (value) => String(Math.round(value * 100) / 100);

  const slug = (text) => text.toLowerCase().normalize("NFKD").replace(/[^a-z0-9]+/g, "-").slice(0, 50).replace(/^-+|-+$/g, "");
  const title = () => slug(document.querySelector("h1").textContent) || "report";

  const download = (blob, name) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    // Not at once: some browsers begin to read later.
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };

  // ---- Tables -----------------------------------------------------------------------------------------------------

  // Digits as programs read them: no groups, an ordinary minus; a dash stands for no value.
  const plain = (text) => {
    const clean = text.replace(/(\d)\u202f(?=\d)/g, "$1").replace(/\s+/g, " ").trim();
    return clean === "–" ? "" : clean.replace(/^−(?=\d)/, "-");
  };
  // RFC 4180 §2 (6, 7).
  const quoted = (text) => (/[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text);

  // A mean with its interval becomes two columns. Words that stand for the eye only are left out.
  const csv = (table) => {
    const rows = [...table.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells];
    const halved = heads.map((_, n) => rows.some((row) => row.cells[n] && row.cells[n].querySelector(".half")));
    const words = (cell) => {
      const copy = cell.cloneNode(true);
      copy.querySelectorAll("[aria-hidden], .half, button").forEach((part) => part.remove());
      return plain(copy.textContent);
    };
    const half = (cell) => {
      const found = cell.querySelector(".half");
      return found ? plain(found.dataset.half ?? found.textContent.replace("±", "")) : "";
    };
    const of = (cells, make) => [...cells].flatMap((cell, n) => (halved[n] ? [words(cell), make(cell, n)] : [words(cell)]));
    const lines = [of(heads, (cell) => `${words(cell)} ±`), ...rows.map((row) => of(row.cells, half))];
    return lines.map((line) => line.map(quoted).join(",") + "\r\n").join("");
  };

  const saveTable = (table) => {
    // Programs that guess the encoding need the mark at the beginning.
    const blob = new Blob(["\ufeff", csv(table)], { type: "text/csv;charset=utf-8" });
    const caption = table.caption.cloneNode(true);
    caption.querySelectorAll("button").forEach((part) => part.remove());
    download(blob, `${title()}-${slug(caption.textContent) || "table"}.csv`);
  };

  // ---- Pictures that are SVG already ------------------------------------------------------------------------------

  const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-size", "font-weight", "text-anchor", "display", "overflow"];
  const svgElement = (name, attributes, ...children) => {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  // A copy that needs no style sheet. Links lead nowhere outside of the page.
  const standalone = (svg) => {
    const copy = svg.cloneNode(true);
    const [from, to] = [svg, copy].map((root) => [root, ...root.querySelectorAll("*")]);
    from.forEach((element, n) => {
      const style = getComputedStyle(element);
      for (const name of LOOK) {
        const value = style.getPropertyValue(name);
        if (value) to[n].setAttribute(name, value);
      }
      to[n].removeAttribute("class");
      if (to[n].localName === "a") to[n].removeAttribute("href");
    });
    copy.setAttribute("font-family", FONT);
    return copy;
  };

  // A document of its own on a ground, with a title above.
  const documentOf = (heading, width, height, ...parts) => {
    const top = heading ? 30 : 0;
    const root = svgElement("svg", { xmlns: SVG, width: round(width), height: round(height + top), viewBox: `0 0 ${round(width)} ${round(height + top)}`, "font-family": FONT });
    root.append(svgElement("rect", { width: "100%", height: "100%", fill: "#ffffff" }));
    if (heading) root.append(svgElement("text", { x: "12", y: "21", "font-size": "15", "font-weight": "650", fill: "#1b2127" }, heading));
    const body = svgElement("g", { transform: `translate(0 ${top})` }, ...parts);
    root.append(body);
    return { text: new XMLSerializer().serializeToString(root), width, height: height + top };
  };

  // Saved pictures are light, whatever the page is: they are for paper.
  const onPaper = (make) => {
    const { dataset } = document.documentElement;
    const before = dataset.paper;
    dataset.paper = "";
    const after = () => { if (before === undefined) delete dataset.paper; };
    try {
      const made = make();
      if (made && made.then) return made.finally(after);
      after();
      return made;
    } catch (error) { after(); throw error; }
  };

  const staticPicture = (svg, heading) => onPaper(() => {
    const { width, height } = svg.viewBox.baseVal;
    const copy = standalone(svg);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    return documentOf(heading, width, height, copy);
  });

  // Several pictures of one size beside each other, each with the words above it.
  const gallery = (heading, figures, columns) => onPaper(() => {
    const first = figures[0].querySelector("svg").viewBox.baseVal;
    const [cell, row] = [first.width + 16, first.height + 44];
    const parts = figures.map((figure, n) => {
      const copy = standalone(figure.querySelector("svg"));
      copy.setAttribute("width", first.width);
      copy.setAttribute("height", first.height);
      const [name, about] = [figure.querySelector("figcaption a"), figure.querySelector("figcaption p")];
      return svgElement("g", { transform: `translate(${(n % columns) * cell + 8} ${Math.floor(n / columns) * row + 8})` },
        svgElement("text", { x: "4", y: "12", "font-size": "12", "font-weight": "650", fill: "#1b2127" }, name.textContent),
        svgElement("text", { x: "4", y: "27", "font-size": "11", fill: "#58636e" }, about.textContent),
        svgElement("g", { transform: "translate(0 32)" }, copy));
    });
    return documentOf(heading, Math.min(columns, figures.length) * cell + 8, Math.ceil(figures.length / columns) * row + 8, ...parts);
  });

  const save = async (picture, name, type) => {
    const file = `${title()}-${slug(name) || "picture"}.${type}`;
    const { text, width, height } = await picture;
    const svg = `<?xml version="1.0" encoding="UTF-8"?>\n${text}\n`;
    if (type === "svg") return download(new Blob([svg], { type: "image/svg+xml" }), file);
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [Math.round(2 * width), Math.round(2 * height)];
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise((done) => canvas.toBlob(done, "image/png"));
    download(blob, file);
  };

  // One after the other: each changes the page for a moment.
  let saved = Promise.resolve();
  const enqueue = (action) => { saved = saved.then(action).catch(reportError); };

  const buttons = (what, picture, name) => ["svg", "png"].map((type) => {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "save";
    made.textContent = type.toUpperCase();
    made.title = `Save ${what} as ${type.toUpperCase()}`;
    made.setAttribute("aria-label", made.title);
    made.addEventListener("click", () => enqueue(() => save(picture(), name(), type)));
    return made;
  });

  // ---- Canvases as SVG --------------------------------------------------------------------------------------------

  // The parts of Path2D that plots use, kept as the text of an SVG path. (HTML: CanvasPath.)
  class PathRecorder {
    constructor(from) { this.d = from ? from.d : ""; }
    moveTo(x, y) { this.d += `M${round(x)} ${round(y)}`; }
    // The first line of a path begins it.
    lineTo(x, y) { this.d += `${this.d ? "L" : "M"}${round(x)} ${round(y)}`; }
    bezierCurveTo(...at) { this.d += `C${at.map(round).join(" ")}`; }
    rect(x, y, w, h) { this.d += `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${round(-w)}z`; }
    arc(x, y, r) { this.d += `M${round(x - r)} ${round(y)}a${round(r)} ${round(r)} 0 1 0 ${round(2 * r)} 0a${round(r)} ${round(r)} 0 1 0 ${round(-2 * r)} 0z`; }
    closePath() { this.d += "z"; }
    addPath(path) { this.d += path.d; }
  }

  // The parts of CanvasRenderingContext2D that plots use. What is drawn is appended to `out`, in elements of SVG.
  class ContextRecorder {
    constructor(canvas, real) {
      Object.assign(this, { canvas, real, out: [], clips: 0, kept: [], path: new PathRecorder() });
      this.state = { fillStyle: "#000", strokeStyle: "#000", lineWidth: 1, dash: [], font: "10px sans-serif", textAlign: "start", textBaseline: "alphabetic", globalAlpha: 1, lineCap: "butt", lineJoin: "miter", matrix: [], clip: "" };
      for (const key of Object.keys(this.state)) {
        if (!["dash", "matrix", "clip"].includes(key)) Object.defineProperty(this, key, { get: () => this.state[key], set: (value) => { this.state[key] = value; } });
      }
    }
    save() { this.kept.push({ ...this.state }); }
    restore() { if (this.kept.length) this.state = this.kept.pop(); }
    setLineDash(dash) { this.state.dash = [...dash]; }
    clearRect() {}
    measureText(text) { this.real.font = this.font; return this.real.measureText(text); }
    translate(x, y) { this.state.matrix = [...this.state.matrix, `translate(${round(x)} ${round(y)})`]; }
    rotate(angle) { this.state.matrix = [...this.state.matrix, `rotate(${round((angle * 180) / Math.PI)})`]; }
    beginPath() { this.path = new PathRecorder(); }
    moveTo(x, y) { this.path.moveTo(x, y); }
    lineTo(x, y) { this.path.lineTo(x, y); }
    rect(...at) { this.path.rect(...at); }
    arc(...at) { this.path.arc(...at); }
    closePath() { this.path.closePath(); }
    transform() { return this.state.matrix.length ? ` transform="${this.state.matrix.join(" ")}"` : ""; }
    clip(path) {
      const { d } = path instanceof PathRecorder ? path : this.path;
      const id = `clip-${++this.clips}`;
      const within = this.state.clip ? ` clip-path="url(#${this.state.clip})"` : "";
      this.out.push(`<clipPath id="${id}"${within}><path d="${d}"${this.transform()}/></clipPath>`);
      this.state.clip = id;
    }
    draw(path, look) {
      const { d } = path instanceof PathRecorder ? path : this.path;
      const { clip, globalAlpha } = this.state;
      if (!d) return;
      const shape = `<path d="${d}" ${look}${globalAlpha < 1 ? ` opacity="${round(globalAlpha)}"` : ""}${this.transform()}/>`;
      this.out.push(clip ? `<g clip-path="url(#${clip})">${shape}</g>` : shape);
    }
    fill(path) { this.draw(path, `fill="${this.fillStyle}"`); }
    stroke(path) {
      const { strokeStyle, lineWidth, dash, lineCap, lineJoin } = this.state;
      if (!lineWidth || strokeStyle === "transparent") return;
      const dashes = dash.length ? ` stroke-dasharray="${dash.map(round).join(" ")}"` : "";
      this.draw(path, `fill="none" stroke="${strokeStyle}" stroke-width="${round(lineWidth)}" stroke-linecap="${lineCap}" stroke-linejoin="${lineJoin}"${dashes}`);
    }
    fillText(text, x, y) {
      const anchor = { center: "middle", right: "end", end: "end" }[this.state.textAlign] || "start";
      const base = { top: "0.82em", middle: "0.35em", bottom: "-0.2em" }[this.state.textBaseline] || "0";
      const size = /([\d.]+)px/.exec(this.state.font);
      const words = String(text).replace(/[&<>]/g, (c) => `&#${c.charCodeAt(0)};`);
      this.out.push(`<text x="${round(x)}" y="${round(y)}" dy="${base}" text-anchor="${anchor}" font-size="${size ? size[1] : 12}" fill="${this.state.fillStyle}"${this.transform()}>${words}</text>`);
    }
  }

  // What `make` draws into canvases that it creates, drawn at once or in the next microtask, as elements of SVG.
  const record = async (make) => {
    const { prototype } = HTMLCanvasElement;
    const [getContext, Path] = [prototype.getContext, window.Path2D];
    let recorder = null;
    try {
      prototype.getContext = function (...kind) {
        recorder = new ContextRecorder(this, getContext.apply(this, kind));
        return recorder;
      };
      window.Path2D = PathRecorder;
      make();
      await Promise.resolve();
      await Promise.resolve();
    } finally {
      prototype.getContext = getContext;
      window.Path2D = Path;
    }
    return { width: recorder.canvas.width, height: recorder.canvas.height, markup: recorder.out.join("\n") };
  };

  // A plot: what `make` draws, the quantity above it and the legend below.
  const plotPicture = (heading, quantity, make, legend) => onPaper(async () => {
    const { width, height, markup } = await record(make);
    const drawn = svgElement("svg", { x: "0", y: "18", width: PLOT_WIDTH, height: PLOT_HEIGHT, viewBox: `0 0 ${width} ${height}` });
    drawn.innerHTML = markup;
    const parts = [svgElement("text", { x: "12", y: "12", "font-size": "12", fill: "#58636e" }, quantity), drawn];
    let [x, y] = [16, PLOT_HEIGHT + 30];
    for (const button of legend) {
      const name = button.querySelector(".name").textContent;
      const needed = 46 + 7 * name.length;
      if (x > 16 && x + needed > PLOT_WIDTH) [x, y] = [16, y + 20];
      const swatch = button.querySelector("svg").cloneNode(true);
      const resolve = (value) => value.replace(/var\((--[a-z0-9-]+)\)/, (_, variable) => resolved(variable));
      for (const part of swatch.querySelectorAll("*")) for (const key of ["stroke", "fill"]) if (part.hasAttribute(key)) part.setAttribute(key, resolve(part.getAttribute(key)));
      swatch.setAttribute("x", x);
      swatch.setAttribute("y", y - 10);
      parts.push(swatch, svgElement("text", { x: x + 36, y, "font-size": "12", fill: "#1b2127" }, name));
      x += needed;
    }
    return documentOf(heading, PLOT_WIDTH, y + 14, ...parts);
  });
  const resolved = (variable) => {
    const probe = document.createElement("span");
    probe.style.color = `var(${variable})`;
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const [PLOT_WIDTH, PLOT_HEIGHT] = [900, 380];

  // ---- Begin ------------------------------------------------------------------------------------------------------

  for (const table of document.querySelectorAll(".scroll > table")) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "save";
    made.textContent = "CSV";
    made.title = "Save this table as CSV";
    made.setAttribute("aria-label", `Save the table ${table.caption.textContent} as CSV`);
    made.addEventListener("click", () => saveTable(table));
    table.caption.append(" ", made);
  }
  for (const svg of document.querySelectorAll("svg.scatter:not(.on-narrow)")) {
    // That for narrow windows follows; what is shown is saved.
    const shown = () => (getComputedStyle(svg).display === "none" ? svg.nextElementSibling : svg);
    const name = svg.getAttribute("aria-label") || "picture";
    const tools = document.createElement("div");
    tools.className = "tools save-line";
    tools.append(...buttons("this picture", () => staticPicture(shown(), name), () => name));
    svg.before(tools);
  }
  for (const box of document.querySelectorAll(".panels")) {
    const tools = document.createElement("div");
    tools.className = "tools save-line";
    const heading = document.querySelector("h1").textContent;
    const panels = () => [...box.querySelectorAll("figure.panel")];
    tools.append(...buttons("all panels", () => gallery(`${heading}: published against ours`, panels(), Math.min(panels().length > 8 ? 5 : 4, panels().length)), () => "published-against-ours"));
    const head = box.previousElementSibling;
    if (head && head.matches(".panels-head")) head.append(tools); else box.before(tools);
  }

  // A link to a row that is folded away unfolds it; on paper everything is unfolded.
  const unfold = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    let folded = false;
    for (let at = target; at; at = at.parentElement) if (at.localName === "details" && !at.open) folded = at.open = true;
    if (folded) target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  document.addEventListener("click", (event) => {
    // A second click on the same link changes no address.
    const link = event.target.closest && event.target.closest("a[href]");
    if (link && link.getAttribute("href") === location.hash) unfold();
  });
  unfold();
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")].filter((details) => !details.querySelector("pre"));
    opened.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => { opened.forEach((details) => { details.open = false; }); opened = []; });

  return { buttons, plotPicture, plotSize: { width: PLOT_WIDTH, height: PLOT_HEIGHT } };
})();
