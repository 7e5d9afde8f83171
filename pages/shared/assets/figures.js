// Taking a figure along: on white, whatever the page looks like. Plotly makes the SVG; its heat maps become cells here, and
// PNG and PDF are made of that SVG. DARK, the ground of dark figures, and LIGHT_OF, the light colour of each dark one, come
// from pages/charts/theme.py.

const SVG = "http://www.w3.org/2000/svg";
const TYPE = "Source Sans"; // which Streamlit brings along for browsers without any of the names before it
const OVERLAP = 0.4; // pixels by which a cell lies under the next one: viewers leave hairlines between mere neighbours
const SCALE = 2; // of a PNG
const MOST_CELLS = 40000; // beyond it a heat map stays a bitmap: a viewer would take seconds over it

function inLight(colour) {
  const [, red, green, blue, alpha] = /^rgba\((\d+),(\d+),(\d+),([\d.]+)\)$/.exec(colour) ?? [];
  if (!alpha) return LIGHT_OF[colour] ?? colour;
  const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const found = LIGHT_OF[`#${[red, green, blue].map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`.toUpperCase()];
  return found ? `rgba(${parts(found).join(",")},${alpha})` : colour;
}

// A copy of a figure's data or layout with the colours of the light theme; what is not a colour stays as it is. Numbers on
// cells name the ink that reads on the light cell.
function lightCopy(value, under = "") {
  if (typeof value === "string") return /color/i.test(under) ? inLight(value) : value;
  if (Array.isArray(value)) return value.some((each) => typeof each !== "number") ? value.map((each) => lightCopy(each, under)) : value;
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  const made = Object.fromEntries(Object.entries(value).map(([name, held]) => [name, lightCopy(held, name)]));
  if (/^#[0-9A-F]{6}$/.test(made.name) && made.font) made.font.color = made.name;
  return made;
}

// Lets the figure make an SVG as its camera would, and returns it instead of saving it. What the camera takes is the
// figure's data and layout as they are at the press.
function fileOf(plot) {
  const camera = plot.querySelector('.modebar-btn[data-title^="Download plot"]');
  const usual = plot._context.toImageButtonOptions;
  const make = URL.createObjectURL;
  return new Promise((done) => {
    URL.createObjectURL = (blob) => {
      const address = make.call(URL, blob);
      URL.createObjectURL = make;
      const keep = (event) => event.target.matches?.("a[download]") && event.preventDefault();
      document.addEventListener("click", keep, { capture: true, once: true }); // the link's, which comes at once
      done(blob);
      return address;
    };
    const { data, layout } = plot;
    if (plot._fullLayout.paper_bgcolor === DARK) Object.assign(plot, { data: lightCopy(data), layout: lightCopy(layout) });
    plot._context.toImageButtonOptions = { ...usual, format: "svg", scale: 1 };
    camera?.click();
    Object.assign(plot, { data, layout });
    plot._context.toImageButtonOptions = usual;
  });
}

// The rectangles of one colour that a bitmap consists of: rows that are alike are one, and pixels that are alike in it.
function rectangles({ data, width, height }) {
  const pixels = new Uint32Array(data.buffer);
  const alike = (one, other) => {
    for (let x = 0; x < width; x += 1) if (pixels[one * width + x] !== pixels[other * width + x]) return false;
    return true;
  };
  const found = [];
  for (let top = 0, bottom; top < height; top = bottom) {
    for (bottom = top + 1; bottom < height && alike(top, bottom); bottom += 1);
    for (let left = 0, right; left < width; left = right) {
      const at = top * width + left;
      for (right = left + 1; right < width && pixels[top * width + right] === pixels[at]; right += 1);
      if (data[4 * at + 3]) found.push([left, top, right - left, bottom - top, data.slice(4 * at, 4 * at + 4)]);
    }
  }
  return found;
}

// Puts cells in the place of a bitmap: they are sharp at any size.
async function drawCells(image) {
  const picture = new Image();
  picture.src = image.getAttribute("xlink:href") ?? image.getAttribute("href");
  await picture.decode();
  const { naturalWidth: width, naturalHeight: height } = picture;
  const ground = new OffscreenCanvas(width, height).getContext("2d");
  ground.drawImage(picture, 0, 0);
  const found = rectangles(ground.getImageData(0, 0, width, height));
  if (found.length > MOST_CELLS) return;
  const [x, y, wide, high] = ["x", "y", "width", "height"].map((name) => Number(image.getAttribute(name) ?? 0));
  const cells = document.createElementNS(SVG, "g");
  cells.setAttribute("transform", `translate(${x} ${y}) scale(${wide / width} ${high / height})`);
  cells.setAttribute("shape-rendering", "crispEdges");
  const over = [(OVERLAP * width) / wide, (OVERLAP * height) / high];
  for (const [left, top, across, down, [red, green, blue, alpha]] of found) {
    const cell = document.createElementNS(SVG, "rect");
    const given = { x: left, y: top, width: across + over[0], height: down + over[1], fill: `rgb(${red},${green},${blue})` };
    if (alpha < 255) given["fill-opacity"] = (alpha / 255).toFixed(3);
    Object.entries(given).forEach(([name, value]) => cell.setAttribute(name, value));
    cells.append(cell);
  }
  image.replaceWith(cells);
}

// Writes down how wide each line of text is here. A viewer without this page's type draws another one into that width:
// names that stand side by side would else lie on each other.
function fixWidths(svg) {
  const frame = document.createElement("div");
  frame.style.cssText = "position: fixed; left: -20000px; top: 0; visibility: hidden";
  frame.append(svg);
  document.body.append(frame);
  for (const line of svg.querySelectorAll("text:not(:has(tspan.line)), tspan.line")) {
    const width = line.getComputedTextLength();
    if (!width) continue;
    line.setAttribute("textLength", width.toFixed(2));
    line.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  svg.remove();
  frame.remove();
}

async function drawnAs(plot) {
  const text = await (await fileOf(plot)).text();
  const svg = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  await Promise.all(Array.from(svg.querySelectorAll("image"), drawCells));
  fixWidths(svg);
  return svg;
}

function asText(svg) {
  return new XMLSerializer().serializeToString(svg);
}

async function asBitmap(svg) {
  const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
  const picture = new Image(width, height);
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(asText(svg))}`;
  await picture.decode();
  const ground = new OffscreenCanvas(SCALE * width, SCALE * height);
  ground.getContext("2d").drawImage(picture, 0, 0, SCALE * width, SCALE * height);
  return ground.convertToBlob({ type: "image/png" });
}

function keepFile(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

// The page's own type, for a document of its own.
function typeFaces() {
  const faces = [];
  for (const sheet of document.styleSheets) {
    const whole = (_, path) => `url("${new URL(path, sheet.href ?? document.baseURI)}")`;
    for (const rule of sheet.cssRules) {
      const ours = rule instanceof CSSFontFaceRule && rule.style.getPropertyValue("font-family").includes(TYPE);
      if (ours) faces.push(rule.cssText.replace(/url\("([^"]+)"\)/g, whole));
    }
  }
  return faces.join("\n");
}

// Prints a figure on a page of its size. Browsers name the file by the title, some by that of the whole page. (No tag is
// written in this script: what cleans pages would take it for markup, and the script away.)
function printAlone(svg, name) {
  const [width, height] = ["width", "height"].map((side) => Math.ceil(Number(svg.getAttribute(side))));
  const frame = document.createElement("iframe");
  const title = document.title;
  Object.assign(frame, { className: "rr-print", tabIndex: -1, ariaHidden: "true", width, height });
  frame.style.cssText = "position: fixed; left: -20000px; top: 0; border: 0";
  frame.srcdoc = "\u003c!DOCTYPE html>";
  frame.addEventListener("load", async () => {
    const { contentDocument: page, contentWindow: its } = frame;
    const style = page.createElement("style");
    style.textContent = `${typeFaces()}
      @page { size: ${width}px ${height}px; margin: 0 }
      html, body { margin: 0; height: ${height}px; overflow: hidden; print-color-adjust: exact } svg { display: block }`;
    page.head.append(style);
    page.body.append(page.adoptNode(svg));
    its.addEventListener("afterprint", () => {
      document.title = title;
      frame.remove();
    });
    document.title = page.title = name;
    page.body.getBoundingClientRect(); // laid out, so that its type is asked for
    await page.fonts.ready;
    its.print();
  });
  document.querySelectorAll("iframe.rr-print").forEach((old) => old.remove());
  document.body.append(frame);
}

async function saveFigure(plot, format) {
  const name = plot?._context?.toImageButtonOptions?.filename;
  if (!name) return;
  const svg = await drawnAs(plot);
  if (format === "pdf") return printAlone(svg, name);
  const blob = format === "png" ? await asBitmap(svg) : new Blob([asText(svg)], { type: "image/svg+xml" });
  keepFile(blob, `${name}.${format}`);
}
