// Draws the charts of a report from the data in the page. No network, no state beyond the page.
"use strict";
(() => {
  const root = document.documentElement;
  const data = JSON.parse(document.getElementById("data").textContent);

  // How it went, for whoever opens the page without looking at it: errors, charts there, charts drawn.
  root.dataset.errors = "0";
  root.dataset.charts = data.charts.length;
  root.dataset.drawn = "0";
  addEventListener("error", (event) => {
    root.dataset.errors = Number(root.dataset.errors) + 1;
    root.dataset.lastError = event.message;
  });

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };
  const button = (label, text, action) => {
    const made = element("button", { type: "button", "aria-label": label, title: label }, text);
    made.addEventListener("click", action);
    return made;
  };

  // ---- Numbers ----------------------------------------------------------------------------------------------------

  const grouped = (text) => {
    const [whole, fraction] = text.split(".");
    const digits = whole.length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
    return fraction ? digits + "." + fraction : digits;
  };
  const shown = (value) => (value == null ? "–" : grouped(String(Number(value.toPrecision(5)))));
  const tick = (value) => (value == null ? "" : grouped(String(Number(value.toPrecision(9)))));

  // Differences of multiples of a step, back into values; null is a gap.
  const unpack = ({ q, d }) => {
    // 1/q is exact where q is not: 3 / 10 and not 3 * 0.1.
    const inverse = q < 1 ? Math.round(1 / q) : 0;
    let sum = 0;
    return d.map((n) => (n === null ? null : ((sum += n), inverse ? sum / inverse : sum * q)));
  };

  // Short runs are shown in milliseconds.
  const longest = Math.max(0, ...data.charts.map((chart) => chart.end));
  const [timeFactor, timeUnit] = longest > 0 && longest < 0.5 ? [1000, "ms"] : [1, "s"];

  const ready = (line, end) => {
    if (line.x) return line;
    line.y = unpack(line.v);
    if (line.t) {
      line.x = unpack(line.t).map((t) => t * timeFactor);
    } else {
      line.x = line.y.map((_, n) => n * line.dt * timeFactor);
      line.low = line.lo && unpack(line.lo);
      line.high = line.hi && unpack(line.hi);
      // The last interval holds until the end of the run.
      line.x.push(Math.max(end * timeFactor, line.x[line.x.length - 1] + 1e-9));
      for (const values of [line.y, line.low, line.high]) if (values) values.push(values[values.length - 1]);
    }
    return line;
  };

  // The last position whose x is at most t; -1 before the first.
  const before = (xs, t) => {
    let [low, high] = [0, xs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (xs[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  };
  const isEvent = (line) => line.style === "dots" || line.style === "crosses";

  // ---- More intervals than there is room for ----------------------------------------------------------------------

  const MOST_WINDOWS = 150; // of a rate: more would be a fence
  // How many intervals of a line a rate is averaged over at least; 0 of what is no rate.
  const windowOf = (chart, line) => (chart.window && line.dt ? Math.max(1, Math.ceil(chart.window / line.dt - 1e-9)) : 0);
  // How many intervals of a line are one in a view: as many as a pixel and a half has, or as the chart asks for.
  const togetherIn = (chart, line, from, to, width) => {
    if (line.dt === undefined) return 1;
    const inView = (to - from) / (line.dt * timeFactor);
    const window = windowOf(chart, line);
    if (window) return window * Math.max(1, Math.ceil(inView / MOST_WINDOWS / window));
    return Math.max(1, Math.floor(inView / (width / 1.5)));
  };
  // A line with means over so many intervals, and between which values they lie: of rates, between which means over one window. (In
  // less than a round trip a rate is any number: what waited behind a lost segment is delivered at one instant.)
  const averaged = (line, count, window) => {
    if (count <= 1) return line;
    line.coarse ??= new Map();
    if (!line.coarse.has(count)) {
      const made = { ...line, x: [], y: [], low: [], high: [] };
      const intervals = line.x.length - 1;
      for (let first = 0; first < intervals; first += count) {
        const end = Math.min(first + count, intervals);
        let [sum, number, low, high] = [0, 0, Infinity, -Infinity];
        for (let begin = first; begin < end; begin += window || 1) {
          let [part, values] = [0, 0];
          for (let n = begin; n < Math.min(begin + (window || 1), end); n++) {
            const value = line.y[n];
            if (value == null) continue;
            part += value;
            values++;
            if (!window) {
              low = Math.min(low, line.low ? line.low[n] ?? value : value);
              high = Math.max(high, line.high ? line.high[n] ?? value : value);
            }
          }
          // What is left at the end of a run is shorter than a window, and no rate.
          if (values && window && (values === window || !number)) {
            low = Math.min(low, part / values);
            high = Math.max(high, part / values);
          }
          sum += part;
          number += values;
        }
        made.x.push(line.x[first]);
        made.y.push(number ? sum / number : null);
        made.low.push(number ? low : null);
        made.high.push(number ? high : null);
      }
      made.x.push(line.x[intervals]);
      for (const values of [made.y, made.low, made.high]) values.push(values[values.length - 1]);
      line.coarse.set(count, made);
    }
    return line.coarse.get(count);
  };

  // ---- Appearance -------------------------------------------------------------------------------------------------

  const SLOTS = 6; // as many lines as can be told apart
  const PAPER_WIDTH = 660;
  const DASHES = [[], [7, 4], [2, 3]];
  const probe = element("span", { hidden: "" });
  document.body.append(probe);
  const colour = (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const faint = (rgb, alpha) => rgb.replace(/^rgb\(/, "rgba(").replace(/\)$/, `, ${alpha})`);

  // Shapes that tell lines apart without colour. Each draws around (x, y).
  const GLYPHS = [
    (path, x, y, r) => path.arc(x, y, r, 0, 7),
    (path, x, y, r) => path.rect(x - r, y - r, 2 * r, 2 * r),
    (path, x, y, r) => { path.moveTo(x, y - r * 1.3); path.lineTo(x + r * 1.2, y + r); path.lineTo(x - r * 1.2, y + r); path.closePath(); },
    (path, x, y, r) => { path.moveTo(x, y - r * 1.4); path.lineTo(x + r * 1.4, y); path.lineTo(x, y + r * 1.4); path.lineTo(x - r * 1.4, y); path.closePath(); },
    (path, x, y, r) => { path.moveTo(x, y + r * 1.3); path.lineTo(x + r * 1.2, y - r); path.lineTo(x - r * 1.2, y - r); path.closePath(); },
    (path, x, y, r) => { path.rect(x - r * 1.5, y - r * 0.6, r * 3, r * 1.2); },
  ];
  const GLYPHS_SVG = [
    '<circle cx="15" cy="6" r="3"/>', '<rect x="12" y="3" width="6" height="6"/>', '<path d="M15 2l4 7h-8z"/>',
    '<path d="M15 1.5l4.5 4.5-4.5 4.5-4.5-4.5z"/>', '<path d="M15 10l4-7h-8z"/>', '<rect x="10.5" y="4.2" width="9" height="3.6"/>',
  ];

  // With one member its lines differ in colour; with several, the members do. Dashes tell roles apart in any case.
  const look = (line, members, chart) => {
    const slot = (members.length > 1 ? members.indexOf(line.member) : chart.colour ?? line.role) % SLOTS;
    return { slot, colour: colour(`series-${slot}`), dash: DASHES[line.role % DASHES.length], glyph: members.length > 1 };
  };

  // Bands of more than two would hide each other.
  const banded = (line, members) => line.low && members.length <= 2;

  const swatch = (line, appearance, band) => {
    const { slot, dash, glyph } = appearance;
    const stroke = `var(--series-${slot})`;
    let inner;
    if (line.style === "crosses") inner = `<path d="M11.5 2.5l7 7m0-7l-7 7" stroke="${stroke}" stroke-width="1.8"/>`;
    else if (line.style === "dots") inner = [5, 11, 17, 23].map((x, n) => `<rect x="${x}" y="${n % 2 ? 3 : 6}" width="3" height="3" fill="${stroke}"/>`).join("");
    else {
      const area = band || line.style === "columns" ? `<rect x="1" y="1" width="28" height="10" fill="${stroke}" opacity=".22"/>` : "";
      const filling = glyph ? `<g fill="${stroke}">${GLYPHS_SVG[slot]}</g>` : "";
      const pattern = line.style === "columns" && !glyph ? [] : dash;
      inner = `${area}<path d="M1 6h28" stroke="${stroke}" stroke-width="2" stroke-dasharray="${pattern.join(" ")}"/>${filling}`;
    }
    const made = element("span", { class: "swatch", "aria-hidden": "true" });
    made.innerHTML = `<svg viewBox="0 0 30 12" width="30" height="12" fill="none">${inner}</svg>`;
    return made;
  };

  // ---- What is shown ----------------------------------------------------------------------------------------------

  // Charts that end together show the same part of the time, [from, to], or all of it.
  const clocks = new Map();
  const clockOf = (chart) => {
    if (!clocks.has(chart.end)) clocks.set(chart.end, { end: chart.end * timeFactor, zoom: null });
    return clocks.get(chart.end);
  };
  const shownBy = (clock) => clock.zoom || [0, clock.end];
  const plots = [];

  const setZoom = (clock, from, to) => {
    const { end } = clock;
    const width = Math.min(Math.max(to - from, end * 1e-6), end);
    const start = Math.min(Math.max(from, 0), end - width);
    clock.zoom = width >= end * 0.9999 ? null : [start, start + width];
    plots.filter((plot) => plot.clock === clock).forEach((plot) => plot.applyZoom());
  };
  const zoomBy = (clock, factor, at) => {
    const [from, to] = shownBy(clock);
    const centre = at == null ? (from + to) / 2 : at;
    setZoom(clock, centre - (centre - from) * factor, centre + (to - centre) * factor);
  };
  const pan = (clock, share) => {
    const [from, to] = shownBy(clock);
    setZoom(clock, from + (to - from) * share, to + (to - from) * share);
  };
  const reset = (clock) => setZoom(clock, 0, clock.end);

  // 1, 2 or 5 times a power of ten, below (`floor`) or above (`ceil`).
  const round = (value, side) => {
    const power = 10 ** Math.floor(Math.log10(value));
    const steps = [1, 2, 5, 10].filter((step) => (side === Math.floor ? step <= value / power : step >= value / power));
    return power * (side === Math.floor ? steps[steps.length - 1] : steps[0]);
  };

  // The values in view, what holds from before included.
  const range = (view, from, to) => {
    let [low, high] = [Infinity, -Infinity];
    const take = (value) => {
      if (value == null || (view.log && value <= 0)) return;
      if (value < low) low = value;
      if (value > high) high = value;
    };
    let lowest = Infinity; // the least of the highest values of each line
    for (const line of view.visible) {
      let highest = -Infinity;
      const first = Math.max(0, before(line.x, from) + (isEvent(line) ? 1 : 0));
      const last = before(line.x, to);
      for (let n = first; n <= last; n++) {
        take(line.y[n]);
        if (line.y[n] != null) highest = Math.max(highest, line.y[n]);
        if (banded(line, view.members)) { take(line.low[n]); take(line.high[n]); }
      }
      if (highest > -Infinity) lowest = Math.min(lowest, highest);
    }
    if (low > high) return view.log ? [1, 10] : [0, 1];
    // Lines that are higher as a whole are cut off only where others would be flat beside them.
    const cut = view.top != null && (!view.apart || lowest <= view.top);
    if (!view.clock.zoom && !view.log && cut) high = Math.min(high, view.top);
    if (!view.clock.zoom && !view.log && view.reach != null) high = view.reach;
    if (view.log) return [round(low / 1.05, Math.floor), round(high * 1.05, Math.ceil)];
    const margin = (high - low || Math.abs(high) || 1) * 0.06;
    const bottom = low >= 0 && low < 0.5 * high ? 0 : low - margin;
    return [view.visible.some((line) => line.style === "columns") ? 0 : bottom, high + margin];
  };

  // What happens to the network: a tick on a strip above the plot and a faint line through it. The words stand at the cursor,
  // and in the list of events.
  const STRIP = 12;
  const drawEvents = (u) => {
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio || 1;
    const axis = colour("axis");
    ctx.save();
    ctx.lineWidth = ratio;
    ctx.setLineDash([2 * ratio, 3 * ratio]);
    ctx.fillStyle = axis;
    ctx.strokeStyle = faint(axis, 0.45);
    let drawn = 0;
    for (const [time] of data.marks) {
      const t = time * timeFactor;
      if (t < u.scales.x.min || t > u.scales.x.max) continue;
      const x = Math.round(u.valToPos(t, "x", true)) + (ratio % 2) / 2;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.beginPath();
      ctx.moveTo(x - 3.5 * ratio, bbox.top - 8 * ratio);
      ctx.lineTo(x + 3.5 * ratio, bbox.top - 8 * ratio);
      ctx.lineTo(x, bbox.top - 2 * ratio);
      ctx.fill();
      drawn++;
    }
    ctx.restore();
    root.dataset.events = drawn;
  };

  // The words of the events as near to an instant as a finger is.
  const eventsAt = (t, near) => {
    const here = data.marks.filter(([time]) => Math.abs(time * timeFactor - t) <= near).map(([, text]) => text);
    return here.length > 3 ? [...here.slice(0, 2), `${here.length - 2} more events`] : here;
  };

  const drawMarks = (view, u, n) => {
    const drawing = view.drawings[n];
    if (!drawing) return;
    const { line, appearance } = drawing;
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio || 1;
    const y_of = (value) => u.valToPos(value, "y", true);
    const path = new Path2D();
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = ctx.strokeStyle = appearance.colour;
    if (isEvent(line)) {
      const last = before(line.x, u.scales.x.max);
      const r = (line.style === "crosses" ? 3.6 : 1.5) * ratio;
      for (let n = before(line.x, u.scales.x.min) + 1; n <= last; n++) {
        const value = line.y[n];
        if (value == null || (view.log && value <= 0)) continue;
        const [x, y] = [u.valToPos(line.x[n], "x", true), y_of(value)];
        if (line.style === "dots") path.rect(x - r, y - r, 2 * r, 2 * r);
        else { path.moveTo(x - r, y - r); path.lineTo(x + r, y + r); path.moveTo(x + r, y - r); path.lineTo(x - r, y + r); }
      }
      if (line.style === "dots") ctx.fill(path);
      else { ctx.lineWidth = 1.5 * ratio; ctx.stroke(path); }
    } else if (appearance.glyph) {
      const [step, offset] = [130 * ratio, (14 + 21 * appearance.slot) * ratio];
      for (let x = bbox.left + offset; x < bbox.left + bbox.width; x += step) {
        const at = before(line.x, u.posToVal(x / ratio - bbox.left / ratio, "x"));
        const value = at < 0 ? null : line.y[at];
        if (value == null || (view.log && value <= 0)) continue;
        // A subpath of its own, or an arc would be tied to the shape before.
        const glyph = new Path2D();
        GLYPHS[appearance.slot](glyph, x, y_of(value), 3.4 * ratio);
        path.addPath(glyph);
      }
      ctx.fill(path);
    }
    ctx.restore();
  };

  // Instants of note, as upright lines behind everything else.
  const drawInstants = (instants, u, stroke) => {
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio || 1;
    ctx.save();
    ctx.strokeStyle = stroke;
    ctx.lineWidth = ratio;
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    let drawn = 0;
    for (const instant of instants) {
      // In the middle of a pixel, or it would be two grey ones.
      const x = Math.round(u.valToPos(instant * timeFactor, "x", true)) + (ratio % 2) / 2;
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      drawn++;
    }
    ctx.restore();
    root.dataset.instants = drawn;
  };

  class Plot {
    constructor(chart) {
      this.chart = chart;
      this.choice = data.choices[chart.choice];
      this.clock = clockOf(chart);
      this.log = chart.log;
      this.hidden = new Set(chart.lines.filter((line) => chart.off.includes(line.role)).map((line) => this.key_of(line)));
      const figure = document.getElementById(chart.id);
      this.isLow = figure.classList.contains("low");
      this.box = figure.querySelector(".plot");
      this.canvasBox = element("div", { class: "canvas", tabindex: "0", role: "group" });
      this.legend = element("ul", { class: "legend", "aria-label": `Lines of ${chart.title}` });
      this.label = element("p", { class: "quantity" });
      figure.querySelector("figcaption").append(this.tools());
      this.box.append(this.label, this.canvasBox, this.legend);
      this.canvasBox.setAttribute("aria-label", `${chart.title} over time. Arrow keys move, plus and minus enlarge and reduce, 0 shows all.`);
      this.canvasBox.addEventListener("keydown", (event) => this.key(event));
      new ResizeObserver(() => this.resize()).observe(this.canvasBox);
    }

    tools() {
      const log = button("Logarithmic scale", "log", () => {
        this.log = !this.log;
        log.setAttribute("aria-pressed", this.log);
        this.draw();
      });
      log.setAttribute("aria-pressed", this.log);
      return element("div", { class: "tools", role: "group", "aria-label": `View of ${this.chart.title}` },
        button("Reduce", "−", () => zoomBy(this.clock, 2)), button("Enlarge", "+", () => zoomBy(this.clock, 0.5)),
        button("Earlier", "‹", () => pan(this.clock, -0.5)), button("Later", "›", () => pan(this.clock, 0.5)),
        button("Show all", "Reset", () => reset(this.clock)), log,
        ...saving.buttons(`the plot ${this.chart.title}`, () => this.picture(), () => this.chart.title));
    }

    // What is shown now, drawn once more without a screen.
    picture() {
      const { chart, quantity } = this;
      const legend = [...this.legend.querySelectorAll('button[aria-pressed="true"]')];
      return saving.plotPicture(chart.title, quantity, () => {
        const { options, table } = this.compose(saving.plotSize);
        new uPlot(options, table, element("div"));
      }, legend);
    }

    key(event) {
      const { clock } = this;
      const enlarge = () => zoomBy(clock, 0.5);
      const actions = { ArrowLeft: () => pan(clock, -0.25), ArrowRight: () => pan(clock, 0.25), "+": enlarge, "=": enlarge, "-": () => zoomBy(clock, 2), "0": () => reset(clock) };
      const action = actions[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    }

    // The lines of the chosen members, those switched off included.
    lines() {
      const chosen = this.choice.chosen;
      const lines = this.chart.lines.filter((line) => chosen.includes(line.member));
      return lines.map((line) => ready(line, this.chart.end));
    }

    key_of(line) {
      return `${line.role}/${line.member}`;
    }

    size() {
      // While the page is prepared for paper, it still has the width of the screen.
      const width = "paper" in root.dataset ? PAPER_WIDTH : Math.max(200, Math.floor(this.canvasBox.clientWidth));
      return { width, height: this.isLow ? 170 : width < 500 ? 220 : 270 };
    }

    draw() {
      const { chart } = this;
      const lines = this.lines();
      this.members = this.choice.chosen.filter((member) => lines.some((line) => line.member === member));
      this.visible = lines.filter((line) => !this.hidden.has(this.key_of(line)));
      this.drawLegend(lines);
      if (this.u) this.u.destroy();
      const size = this.size();
      const { options, table, view, fill } = this.compose(size);
      this.view = view;
      this.fill = fill;
      this.name(size.width);
      this.u = new uPlot(options, table, this.canvasBox);
      this.touch(this.u);
      plots.forEach((plot) => plot.u && (plot.box.dataset.drawn = plot.visible.length));
      root.dataset.drawn = plots.filter((plot) => plot.u).length;
    }

    // What the upright axis shows; of averages, over how long.
    name(width) {
      const { chart } = this;
      const [from, to] = shownBy(this.clock);
      const windows = this.visible.filter((line) => line.dt !== undefined)
        .map((line) => line.dt * togetherIn(chart, line, from, to, width) * timeFactor);
      this.quantity = chart.unit ? `${chart.quantity}, ${chart.unit}` : chart.quantity;
      if (chart.window && windows.length) this.quantity += `, mean over ${shown(Math.max(...windows))} ${timeUnit}`;
      this.label.textContent = this.quantity;
    }

    // What the plot library is given: how to draw, and the values.
    compose(size) {
      const { chart } = this;
      // What this drawing shows. One that is replaced may be drawn once more and must not see what replaces it.
      const all = this.visible;
      const view = { visible: all, members: this.members, log: this.log, top: this.chart.top, apart: this.chart.apart, reach: this.chart.reach, clock: this.clock, drawings: [null] };
      const positive = (values) => (view.log ? values.map((v) => (v > 0 ? v : null)) : values);
      const series = [{}];
      const bands = [];
      const axis = colour("axis");
      const grid = { stroke: colour("grid"), width: 1 };
      for (const line of all) {
        const appearance = look(line, this.members, chart);
        const columns = line.style === "columns";
        const common = { scale: "y", points: { show: false }, pxAlign: 0 };
        const steps = uPlot.paths.stepped({ align: 1 });
        if (isEvent(line)) {
          series.push({ ...common, paths: () => null });
          continue;
        }
        const main = { ...common, stroke: appearance.colour, width: 1.6, dash: columns && !appearance.glyph ? [] : appearance.dash, paths: steps };
        if (columns) main.fill = faint(appearance.colour, 0.18);
        if (banded(line, this.members)) {
          const edge = { ...common, stroke: "transparent", width: 0, paths: steps };
          const first = series.length;
          series.push(edge, { ...edge }, main);
          bands.push({ series: [first + 1, first], fill: faint(appearance.colour, this.members.length > 1 ? 0.16 : 0.25) });
        } else {
          series.push(main);
        }
      }
      const { clock } = this;
      // The values for the part of the time that is shown: the shorter it is, the finer.
      const fill = (width) => {
        const [from, to] = shownBy(clock);
        const tables = [];
        view.drawings = [null];
        view.visible = all.map((whole) => averaged(whole, togetherIn(chart, whole, from, to, width), windowOf(chart, whole)));
        view.visible.forEach((line, n) => {
          const drawing = { line, appearance: look(all[n], view.members, chart) };
          if (!isEvent(line) && banded(all[n], view.members)) {
            view.drawings.push(null, null, drawing);
            tables.push([line.x, positive(line.low), positive(line.high), positive(line.y)]);
          } else {
            view.drawings.push(drawing);
            tables.push([line.x, positive(line.y)]);
          }
        });
        return tables.length ? uPlot.join(tables) : [[0, clock.end]];
      };
      const font = "12px system-ui, sans-serif";
      const options = {
        ...size,
        series,
        bands,
        legend: { show: false },
        padding: [data.marks.length ? STRIP : 10, 14, 0, 0],
        cursor: { y: false, points: { show: false }, drag: { x: true, y: false, dist: 6 } },
        scales: {
          x: { time: false, range: () => shownBy(clock) },
          y: { distr: view.log ? 3 : 1, range: () => range(view, ...shownBy(clock)) },
        },
        axes: [
          { stroke: axis, grid, ticks: grid, font, labelFont: font, label: `time, ${timeUnit}`, labelSize: 22, labelGap: 2, size: 30, values: (u, splits) => splits.map(tick) },
          { stroke: axis, grid, ticks: grid, font, scale: "y", values: (u, splits) => splits.map(tick),
            size: (u, values) => 16 + 8 * Math.max(2, ...(values || []).map((value) => (value ? value.length : 0))) },
        ],
        hooks: {
          drawAxes: [(u) => drawInstants(chart.marks, u, axis), drawEvents],
          drawSeries: [(u, n) => drawMarks(view, u, n)],
          setCursor: [(u) => { if (u.cursor.left >= 0) pointAt(u.posToVal(u.cursor.left, "x"), this); else pointAt(null, this); }],
          setSelect: [(u) => {
            const { left, width } = u.select;
            if (width > 0) setZoom(clock, u.posToVal(left, "x"), u.posToVal(left + width, "x"));
          }],
        },
      };
      // Zooming is ours, so that all charts follow.
      options.cursor.drag.setScale = false;
      options.cursor.bind = { dblclick: () => () => { reset(clock); return null; } };
      return { options, table: fill(size.width), view, fill };
    }

    drawLegend(lines) {
      this.values = [];
      this.legend.replaceChildren(...lines.map((line) => {
        const key = this.key_of(line);
        const value = element("span", { class: "at" });
        const member = this.choice.members[line.member];
        const toggle = element("button", { type: "button", "aria-pressed": !this.hidden.has(key), title: "Show or hide" },
          swatch(line, look(line, this.members, this.chart), banded(line, this.members)), element("span", { class: "name" }, `${line.name} · ${member}`), value);
        toggle.addEventListener("click", () => {
          if (!this.hidden.delete(key)) this.hidden.add(key);
          const place = [...this.legend.querySelectorAll("button")].indexOf(toggle);
          this.draw();
          this.legend.querySelectorAll("button")[place].focus();
        });
        this.values.push([line, value]);
        return element("li", {}, toggle);
      }));
      if (!lines.length) this.legend.append(element("li", { class: "note" }, "nothing recorded of what is chosen"));
    }

    // The values at an instant, beside the names.
    read(t) {
      const near = this.u ? Math.abs(this.u.posToVal(8, "x") - this.u.posToVal(0, "x")) : 0;
      const [from, to] = shownBy(this.clock);
      for (const [whole, value] of this.values) {
        let text = "";
        if (t != null) {
          const width = this.u ? this.u.width : 1;
          const line = averaged(whole, togetherIn(this.chart, whole, from, to, width), windowOf(this.chart, whole));
          let n = before(line.x, t);
          if (isEvent(line)) {
            if (n < 0 || (n + 1 < line.x.length && line.x[n + 1] - t < t - line.x[n])) n += 1;
            if (Math.abs(line.x[n] - t) > near) n = -1;
          }
          text = n < 0 ? "–" : shown(line.y[n]);
          if (n >= 0 && line.low) text += ` (${shown(line.low[n])}–${shown(line.high[n])})`;
        }
        value.textContent = text;
      }
      const events = t == null ? [] : eventsAt(t, near).map((text) => ` · ${text}`);
      this.label.textContent = this.quantity + (t == null ? "" : `, at ${shown(t)} ${timeUnit}${events.join("")}`);
    }

    // A plot that is not drawn yet asks for the zoom itself.
    get ready() {
      return this.u && this.u.status === 1;
    }

    applyZoom() {
      if (!this.ready) return;
      this.u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      const [min, max] = shownBy(this.clock);
      this.u.batch(() => {
        this.u.setData(this.fill(this.u.width), false);
        this.u.setScale("x", { min, max });
      });
      this.name(this.u.width);
    }

    resize() {
      if (!this.ready) return;
      const { width, height } = this.size();
      if (width !== this.u.width || height !== this.u.height) this.u.setSize({ width, height });
    }

    // A finger does what the mouse does: dragging sideways enlarges. Up and down still scroll the page.
    touch(u) {
      let from = null;
      const left = (event) => Math.min(Math.max(event.clientX - u.over.getBoundingClientRect().left, 0), u.over.clientWidth);
      u.over.addEventListener("pointerdown", (event) => { if (event.pointerType === "touch") from = left(event); });
      u.over.addEventListener("pointermove", (event) => {
        if (from == null || event.pointerType !== "touch") return;
        const to = left(event);
        u.setSelect({ left: Math.min(from, to), width: Math.abs(to - from), top: 0, height: u.over.clientHeight }, false);
        u.setCursor({ left: to, top: 0 });
      });
      const end = (event) => {
        if (from == null) return;
        const to = left(event);
        const [a, b] = [u.posToVal(Math.min(from, to), "x"), u.posToVal(Math.max(from, to), "x")];
        const far = event.type === "pointerup" && Math.abs(to - from) > 12;
        from = null;
        u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        if (far) setZoom(this.clock, a, b);
      };
      u.over.addEventListener("pointerup", end);
      u.over.addEventListener("pointercancel", end);
    }
  }

  // The cursor stands at the same instant in every chart that ends when this one does.
  let pointing = false;
  const pointAt = (t, source) => {
    if (pointing) return;
    pointing = true;
    for (const plot of plots) {
      if (!plot.u || plot.clock !== source.clock) continue;
      plot.read(t);
      if (plot !== source) plot.u.setCursor({ left: t == null ? -10 : plot.u.valToPos(t, "x"), top: t == null ? -10 : 0 }, false);
    }
    pointing = false;
  };

  // ---- Choosing ---------------------------------------------------------------------------------------------------

  const FEW = 8; // so many are all shown as buttons; of more, those chosen, and a list of the others
  const choose = (number, chosen) => {
    data.choices[number].chosen = chosen;
    drawChoice(number);
    plots.filter((plot) => plot.chart.choice === number).forEach((plot) => plot.draw());
  };
  const drawChoice = (number) => {
    const choice = data.choices[number];
    const box = document.querySelector(`[data-choice="${number}"]`);
    const { members, chosen, label } = choice;
    const toggle = (member) => {
      const there = chosen.includes(member);
      if (!there && chosen.length >= SLOTS) return;
      choose(number, there ? chosen.filter((other) => other !== member) : [...chosen, member].sort((a, b) => a - b));
      box.querySelector(`[data-member="${member}"], select, button`).focus();
    };
    const few = members.length <= FEW;
    const listed = few ? members.map((_, member) => member) : chosen;
    const chips = listed.map((member) => {
      const there = chosen.includes(member);
      const chip = button(`${members[member]}${there ? ", shown" : ""}`, few ? members[member] : `${members[member]} ×`, () => toggle(member));
      chip.setAttribute("aria-pressed", there);
      chip.dataset.member = member;
      chip.disabled = !there && chosen.length >= SLOTS;
      return chip;
    });
    box.replaceChildren(element("span", { class: "name" }, label), ...chips);
    if (!few) {
      const list = element("select", { "aria-label": `Add to the ${label.toLowerCase()} shown` });
      list.append(element("option", { value: "" }, chosen.length >= SLOTS ? `${SLOTS} at most` : `add one of ${members.length}…`));
      members.forEach((name, member) => {
        if (!chosen.includes(member)) list.append(element("option", { value: member }, name));
      });
      list.disabled = chosen.length >= SLOTS;
      list.addEventListener("change", () => { if (list.value !== "") toggle(Number(list.value)); });
      box.append(list);
    }
  };

  // ---- Theme and paper --------------------------------------------------------------------------------------------

  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const redraw = () => plots.forEach((plot) => plot.draw());
  const theme = button("Switch between light and dark", "", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    nameTheme();
    redraw();
  });
  theme.className = "theme";
  const nameTheme = () => { theme.textContent = isDark() ? "☀ Light" : "☾ Dark"; };
  nameTheme();
  document.querySelector("header.top").prepend(theme);
  dark.addEventListener("change", () => { nameTheme(); redraw(); });
  // Paper is light, and as wide as it is.
  addEventListener("beforeprint", () => { root.dataset.paper = ""; redraw(); });
  addEventListener("afterprint", () => { delete root.dataset.paper; redraw(); });

  // ---- Begin ------------------------------------------------------------------------------------------------------

  data.choices.forEach((_, number) => drawChoice(number));
  for (const chart of data.charts) plots.push(new Plot(chart));
  redraw();
})();
