// Looks at a page as a reader does, and says what is wrong with it: one sentence for each complaint.
// `first`: what has to stand on the first screen, as selectors; `screen`: its height; `kind`: what else differs on paper.
// Sources: WCAG 2.2, 1.4.3 (contrast of text), 1.4.11 (of graphics), 1.4.10 (reflow), 2.5.8 (size of targets).
const look = async (view, page, { first = [], screen = 900, paper = false }) => {
  const root = page.documentElement, width = view.innerWidth, said = [];
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const named = (element) => {
    const own = (e) => e.localName + (e.id ? `#${e.id}` : "") + (e.getAttribute("class") ? `.${e.getAttribute("class").split(" ").join(".")}` : "");
    const at = element.closest("[id]");
    const words = (element.getAttribute("aria-label") || element.textContent || "").replace(/\s+/g, " ").trim().slice(0, 40);
    return `${at && at !== element ? `#${at.id} ` : ""}${own(element)} "${words}"`;
  };
  const say = (what, element, more = "") => said.push(`${what}: ${named(element)} ${more}`.trim());
  const px = (number) => Math.round(number * 10) / 10;
  const box = (rect) => `[${[rect.left, rect.top, rect.right, rect.bottom].map(px).join(" ")}]`;
  const isSeen = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    const { width: w, height: h } = element.getBoundingClientRect();
    return w > 0 || h > 0;
  };
  const all = (selector, within = page) => [...within.querySelectorAll(selector)].filter(isSeen);
  const place = (element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    return { left: left + view.scrollX, right: right + view.scrollX, top: top + view.scrollY, bottom: bottom + view.scrollY };
  };
  const over = (a, b) => [Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)];

  // ---- Width ----
  if (root.scrollWidth > width) said.push(`the page is ${root.scrollWidth} pixels wide in a window of ${width}`);
  const isCut = (element) => {
    for (let at = element.parentElement; at && at !== page.body; at = at.parentElement) if (view.getComputedStyle(at).overflowX !== "visible") return true;
    return false;
  };
  for (const element of all("body *")) {
    const rect = element.getBoundingClientRect();
    if ((rect.right > width + 0.5 || rect.left < -0.5) && !isCut(element)) say("wider than the page", element, box(rect));
  }
  // On paper nothing scrolls, and on a wide screen tables that are seen at first do not either.
  for (const part of all(paper ? ".scroll, pre" : ".glance .scroll")) {
    if (part.scrollWidth > part.clientWidth + 1 && (paper || width > 1000)) say("a table is cut off", part, `${part.scrollWidth} in ${part.clientWidth}`);
  }

  // ---- First screen ----
  for (const selector of first) {
    const found = all(selector);
    if (!found.length) said.push(`nothing is there for the first screen: ${selector}`);
    for (const element of found) {
      const rect = place(element);
      if (rect.bottom > screen || rect.top < 0) { say("not on the first screen", element, `it ends at ${px(rect.bottom)} of ${screen}`); break; }
    }
  }

  // ---- Pictures that are SVG ----
  // Letters are lower than their line.
  const letters = (text) => {
    const { left, right, top, bottom } = place(text);
    const less = (bottom - top) * 0.2;
    return { left, right, top: top + less, bottom: bottom - less };
  };
  const apart = (texts, of) => texts.forEach(([a, words], n) => texts.slice(n + 1).forEach(([b, others]) => {
    const [x, y] = over(a, b);
    if (x > 1 && y > 1) say(`labels cover each other, "${words}" and "${others}"`, of, `${box(a)} ${box(b)}`);
  }));
  for (const svg of all("svg:not([aria-hidden])")) {
    const frame = place(svg), texts = all("text", svg);
    for (const text of texts) {
      const rect = letters(text);
      if (rect.left < frame.left - 0.5 || rect.right > frame.right + 0.5 || rect.top < frame.top - 0.5 || rect.bottom > frame.bottom + 0.5) {
        say("a label leaves its picture", text, `${box(rect)} in ${box(frame)}`);
      }
      if (parseFloat(view.getComputedStyle(text).fontSize) * (svg.getCTM ? svg.getScreenCTM().a : 1) < 10.9 && !paper) say("letters below 11 pixels", text);
    }
    apart(texts.map((text) => [letters(text), text.textContent]), svg);
    // Lines of the grid that run up and down show how high the plot is, those from left to right how wide.
    const plot = { ...frame };
    for (const line of all("line.grid", svg)) {
      const rect = place(line);
      const [a, b] = rect.right - rect.left > rect.bottom - rect.top ? ["left", "right"] : ["top", "bottom"];
      [plot[a], plot[b]] = [rect[a], rect[b]];
    }
    const marks = all("circle:not(.hit), polygon, polyline:not(.leader), path, .whisker, .bar, .tolerance, .cross", svg);
    for (const mark of marks) {
      const rect = place(mark);
      // The middle of a point may lie on the frame; an arrow stands beside it.
      const room = /^(circle|polygon)$/.test(mark.localName) || mark.matches(".diamond, .cross") ? 7 : mark.localName === "path" ? 8 : 2.5;
      const edges = [plot.left - rect.left, rect.right - plot.right, plot.top - rect.top, rect.bottom - plot.bottom];
      if (Math.max(...edges) > room) say("a mark leaves its plot", mark, `${box(rect)} in ${box(plot)}`);
    }
    const means = all(".mean", svg).map((mean) => { const rect = place(mean); return [(rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2]; });
    const tips = all(".leader", svg).map(place);
    for (const name of means.length ? all("text.name", svg) : []) {
      const rect = letters(name);
      if (means.some(([x, y]) => x > rect.left && x < rect.right && y > rect.top && y < rect.bottom)) say("a label covers a dot", name);
      const far = ([x, y]) => Math.hypot(Math.max(rect.left - x, x - rect.right, 0), Math.max(rect.top - y, y - rect.bottom, 0));
      const isLed = tips.some((tip) => over({ left: rect.left - 6, right: rect.right + 6, top: rect.top - 6, bottom: rect.bottom + 6 }, tip).every((part) => part >= 0));
      if (!isLed && Math.min(...means.map(far)) > 20) say("a label stands far from its dot", name);
    }
  }

  // ---- Pictures that a script draws: once more, with an ear on what is written ----
  const written = new Map();
  const { prototype } = view.CanvasRenderingContext2D;
  const [fillText, clearRect] = [prototype.fillText, prototype.clearRect];
  prototype.clearRect = function (...at) { written.set(this.canvas, []); return clearRect.apply(this, at); };
  prototype.fillText = function (words, x, y) {
    const size = this.measureText(words), matrix = this.getTransform();
    const corners = [[-size.actualBoundingBoxLeft, -size.actualBoundingBoxAscent], [size.actualBoundingBoxRight, size.actualBoundingBoxDescent]]
      .map(([dx, dy]) => matrix.transformPoint({ x: x + dx, y: y + dy }));
    const list = written.get(this.canvas) || [];
    written.set(this.canvas, list);
    list.push([{ left: Math.min(corners[0].x, corners[1].x), right: Math.max(corners[0].x, corners[1].x), top: Math.min(corners[0].y, corners[1].y), bottom: Math.max(corners[0].y, corners[1].y) }, words]);
    return fillText.call(this, words, x, y);
  };
  const theme = page.querySelector(".theme");
  if (theme) { theme.click(); await pause(300); theme.click(); await pause(300); }
  Object.assign(prototype, { fillText, clearRect });
  for (const [canvas, texts] of written) {
    if (!isSeen(canvas)) continue;
    apart(texts, canvas);
    for (const [rect, words] of texts) {
      if (rect.left < -1 || rect.top < -1 || rect.right > canvas.width + 1 || rect.bottom > canvas.height + 1) say(`the label "${words}" leaves its picture`, canvas, box(rect));
    }
  }

  // ---- Contrast ----
  const one = page.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const colour = (text) => {
    if (!known.has(text)) {
      one.clearRect(0, 0, 1, 1);
      one.fillStyle = text;
      one.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = one.getImageData(0, 0, 1, 1).data;
      known.set(text, [r, g, b, a / 255]);
    }
    return known.get(text);
  };
  const above = ([r, g, b, a], ground) => [r, g, b].map((part, n) => part * a + ground[n] * (1 - a)).concat(1);
  const ground = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const layer = colour(view.getComputedStyle(at).backgroundColor);
      layers.push(layer);
      if (layer[3] > 0.99) break;
    }
    return layers.reduceRight((below, layer) => above(layer, below), [255, 255, 255, 1]);
  };
  const luminance = (rgb) => rgb.slice(0, 3).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, n) => sum + part * [0.2126, 0.7152, 0.0722][n], 0);
  const contrast = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const opacity = (element) => { let all = 1; for (let at = element; at; at = at.parentElement) all *= Number(view.getComputedStyle(at).opacity); return all; };
  const faint = (element, value, least, what) => {
    const [r, g, b, a] = colour(value), below = ground(element);
    const ratio = contrast(above([r, g, b, a * opacity(element)], below), below);
    if (ratio < least) say(`${what} with a contrast of ${px(ratio)}, not ${least}`, element);
  };
  const contrasts = () => {
    const seen = new Set();
    for (const element of all("body *")) {
      const style = view.getComputedStyle(element), isPicture = element.namespaceURI.endsWith("svg");
      if (element.disabled || (isPicture && element.closest("[aria-hidden]"))) continue;
      const hasWords = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      const key = `${element.localName} ${element.className.baseVal ?? element.className} ${element.parentElement.className.baseVal ?? element.parentElement.className} ${style.color} ${style.fill} ${style.stroke}`;
      if (seen.has(key)) continue;
      seen.add(key);
      if (isPicture) {
        if (element.localName === "text") faint(element, style.fill, 4.5, "a label");
        if (element.matches("circle:not(.hit):not(.seed), polyline, .cross, .whisker, .bar, .tolerance, .diamond")) {
          const paint = style.fill !== "none" && element.localName !== "line" && !element.matches(".ring, .leader") ? style.fill : style.stroke;
          if (paint !== "none") faint(element, paint, 3, "a mark");
        }
      } else if (hasWords && !element.matches("title, option, script, style")) {
        const size = parseFloat(style.fontSize), isLarge = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
        faint(element, style.color, isLarge ? 3 : 4.5, "words");
      }
    }
  };
  contrasts();
  if (theme && !paper) {
    theme.click(); await pause(100);
    const before = said.length;
    contrasts();
    said.splice(before, said.length, ...said.slice(before).map((words) => `dark: ${words}`));
    theme.click(); await pause(100);
  }

  // ---- Targets ----
  // Links within sentences are exempt; so are the dots of a diagram, whose rows are reached through the title of the diagram too.
  const isInSentence = (element) => element.localName === "a" && [...element.parentElement.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  const targets = paper ? [] : all("a[href], button, select, summary, input").filter((element) => !isInSentence(element) && !element.closest("svg"));
  const middles = targets.map((element) => {
    const rect = place(element);
    return { element, rect, x: (rect.left + rect.right) / 2, y: (rect.top + rect.bottom) / 2, small: rect.right - rect.left < 24 || rect.bottom - rect.top < 24 };
  });
  for (const one of middles.filter((target) => target.small)) {
    const near = middles.find((other) => other !== one && !other.element.contains(one.element) && !one.element.contains(other.element) && (other.small
      ? Math.hypot(other.x - one.x, other.y - one.y) < 24
      : Math.hypot(Math.max(other.rect.left - one.x, one.x - other.rect.right, 0), Math.max(other.rect.top - one.y, one.y - other.rect.bottom, 0)) < 12));
    if (near) say("a target below 24 pixels has no room", one.element, `${box(one.rect)} beside ${named(near.element)}`);
  }

  // ---- Numbers ----
  // A quantity that is never below nothing has no interval that is: its ends are shown. Differences have signs.
  for (const half of page.querySelectorAll("td .half, .figures .half")) {
    const cell = half.closest("td, dd"), number = (text) => parseFloat(text.replace(/[\u202f\s]/g, "").replace("−", "-"));
    const mean = cell.firstChild && number(cell.querySelector(".value") ? cell.querySelector(".value").textContent : cell.textContent);
    const table = cell.closest("table");
    const isSigned = table && [...table.querySelectorAll("td")].some((other) => /^[✓!·\s]*[+−]/.test(other.textContent));
    if (half.textContent.trim().startsWith("±") && !isSigned && number(half.textContent.trim().slice(1)) > Math.abs(mean)) say("an interval goes below nothing", cell);
  }
  // Tables of more rows than a screen has are folded.
  for (const table of all("table")) if (table.tBodies[0].rows.length > 12 && !table.closest("details") && !paper) say(`a table of ${table.tBodies[0].rows.length} rows is not folded`, table);
  return said;
};

// Makes a page what it is on paper: rules for print hold, those for screens do not, and what is folded is open.
const toPaper = (view, page) => {
  for (const sheet of page.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof view.CSSMediaRule)) continue;
      if (rule.media.mediaText === "print") rule.media.mediaText = "all";
      else if (rule.media.mediaText.startsWith("screen")) rule.media.mediaText = "not all";
    }
  }
  view.dispatchEvent(new view.Event("beforeprint"));
};
