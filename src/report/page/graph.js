// Graphs: their colours, what the library draws, the graphs around one method, and pictures of what is seen.
'use strict';

// Of what leaves are about, by number: stronger than those of methods. The first is of methods' own work.
const PART_COLORS = ['#f3dcd2', '#8d99a8', '#e5484d', '#f0a020', '#b08d57', '#2f9e7d', '#4a86e8', '#7a9e2f'], WAITING = '#c9ced6';
const NARROWEST = 0.6; // of the frames that are drawn, in pixels

/** Red: slower than before, blue: faster, as far from grey as the difference is large beside the larger of the two. */
function comparedColor(d) {
  if (d.highlight) return '#e8a1f0';
  const { total, totalBefore } = d.data.frame, most = Math.max(total, totalBefore);
  const part = most > 0 ? Math.abs(total - totalBefore) / most : 0, pale = Math.round(232 - 130 * part);
  if (part < 0.02) return 'rgb(222,222,222)';
  return total > totalBefore ? `rgb(246,${pale},${pale})` : `rgb(${pale},${pale},250)`;
}

const isOfLeaf = frame => frame.parent !== null && frame.parent.function !== null && frame.parent.function.part > 0;
const paler = color => '#' + [1, 3, 5].map(at => ((parseInt(color.slice(at, at + 2), 16) + 255) >> 1).toString(16)).join('');

/** One hue a class, so that what belongs together looks alike; none near the pink of what is found. */
function plainColor(d, isUncertain) {
  if (d.highlight) return '#e8a1f0';
  const f = d.data.frame;
  if (f.function === null) return isOfLeaf(f) ? paler(PART_COLORS[f.parent.function.part]) : WAITING;
  if (f.function.part > 0) return PART_COLORS[f.function.part];
  const name = f.name.split('(')[0], type = name.slice(0, Math.max(name.lastIndexOf('.'), 0));
  let hash = 7;
  for (let i = 0; i < type.length; i++) hash = (hash * 31 + type.charCodeAt(i)) % 9973;
  return isUncertain(f) ? `hsl(${hash % 255}, 30%, ${87 + (name.length * 7) % 6}%)` : `hsl(${hash % 255}, 62%, ${72 + (name.length * 7) % 10}%)`;
}

/** What the library draws. It walks trees by recursion and keeps its marks in them, so each drawing gets a new one. */
function graphData(of, isBefore) {
  const made = new Map();
  for (const frame of of.all) {
    const node = { name: frame.function ? shortName(frame.name) : frame.name, value: isBefore ? frame.ownBefore : frame.own, frame, children: undefined };
    made.set(frame, node);
    if (!frame.parent) continue;
    const parent = made.get(frame.parent);
    (parent.children = parent.children || []).push(node);
  }
  return made.get(of.root);
}

/** A method in the middle: all that calls it above, all that it calls below; a click on another one goes to `open`. */
function drawSandwich(tree, subject, { cell, color, open, isBefore, label, calls, before }) {
  for (const [id, of, inverted] of [['caller-graph', callerTree(tree, subject), false], ['callee-graph', calleeTree(tree, subject), true]]) {
    const box = document.getElementById(id), at = d3.select(box), width = box.parentElement.clientWidth - 34;
    const part = frame => show.percent(frame.total, of.root.total) + (inverted ? ' of it' : ' of its time');
    at.selectAll('*').remove();
    box.hidden = of.root.children === undefined || width <= 0;
    if (box.hidden) continue;
    const graph = flamegraph.default().width(width).cellHeight(cell).minFrameSize(NARROWEST).selfValue(true).inverted(inverted)
      .transitionDuration(0).sort((a, b) => b.value - a.value).setColorMapper(color)
      .setLabelHandler(d => d.data.frame.name + ': ' + label(d.data.frame) + ', ' + part(d.data.frame) + ', ' + calls(d.data.frame) + before(d.data.frame))
      .setDetailsHandler(text => { document.getElementById('neighbour').textContent = text || '\u00a0'; })
      .onClick(d => d.data.frame.function && d.data.frame.function !== subject && open(d.data.frame.function));
    at.datum(graphData(of, isBefore)).call(graph);
    box.scrollTop = inverted ? 0 : box.scrollHeight;
  }
}

/** Views that choose a range of time, and those that it leaves as they are, by what the profile has no times of. */
const choosesRange = new Set();
const unranged = { exceptions: 'exceptions were thrown', async: 'async methods ran', tests: 'tests ran' };

/** By view: what makes the picture of what it shows: {inside, width, height}, `inside` is SVG. */
const pictures = {};

/** The frames of graphs, one below the other. */
function graphPicture(charts, cell, describe) {
  const frames = [];
  let width = 0, height = 0;
  for (const chart of charts) {
    const box = chart.querySelector('svg');
    if (chart.hidden || !box) continue;
    d3.select(chart).selectAll('g.frame').each(function (d) {
      const rect = this.querySelector('rect'), move = /translate\(([-\d.]+)[ ,]+([-\d.]+)/.exec(this.getAttribute('transform'));
      frames.push({ x: +move[1], y: height + +move[2], width: +rect.getAttribute('width'), height: cell, color: rect.getAttribute('fill'), name: d.data.name, title: describe(d), isPale: getComputedStyle(rect).fillOpacity < 0.5 });
    });
    width = Math.max(width, box.clientWidth);
    height += box.clientHeight;
  }
  return { inside: framesSvg(frames), width, height };
}

/** As much of a canvas's context as a view draws with; `parts` are the SVG elements that come of it. */
function makeSheet() {
  const at = (x, y, width, height) => `x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(width, 0).toFixed(1)}" height="${Math.max(height, 0).toFixed(1)}"`;
  return {
    parts: [], globalAlpha: 1,
    fillRect(...box) { this.parts.push(`<rect ${at(...box)} fill="${escaped(this.fillStyle)}" fill-opacity="${this.globalAlpha}"/>`); },
    strokeRect(...box) { this.parts.push(`<rect ${at(...box)} fill="none" stroke="${escaped(this.strokeStyle)}" stroke-width="${this.lineWidth}"/>`); },
    fillText(text, x, y) { this.parts.push(`<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" dy="4" fill="${escaped(this.fillStyle)}" fill-opacity="${this.globalAlpha}">${escaped(text)}</text>`); },
  };
}

/** What is in an SVG element of the page, as text that needs no style of it. */
function styledCopy(svg, background) {
  const copy = svg.cloneNode(true), from = [...svg.querySelectorAll('*')];
  copy.querySelectorAll('*').forEach((e, i) => {
    const style = getComputedStyle(from[i]);
    for (const name of ['fill', 'stroke', 'stroke-width', 'opacity', 'font-size']) e.setAttribute(name, style.getPropertyValue(name));
    e.removeAttribute('class');
  });
  return `<rect width="100%" height="100%" fill="${background}"/>` + copy.innerHTML;
}

/** Gives a picture as a file: svg or png. */
function savePicture(kind, { inside, width, height }) {
  const text = svgOf(inside, width, height, document.title);
  const give = address => {
    const link = document.createElement('a');
    link.href = address;
    link.download = document.title.replace(/[^\w.-]+/g, '-') + '.' + kind;
    link.click();
  };
  const address = 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(text);
  if (kind === 'svg') {
    give(address);
    return;
  }
  const image = new Image();
  image.onload = () => {
    const canvas = document.createElement('canvas');
    canvas.width = 2 * width;
    canvas.height = 2 * (height + 20);
    canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
    give(canvas.toDataURL('image/png'));
  };
  image.src = address;
}

const escaped = text => text.replace(/[&<>"]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** Frames, {x, y, width, height, color, name, title, isPale} each, as SVG. */
function framesSvg(frames) {
  const LETTER = 6.6; // of 12 pixels' type, on average, and a little more
  return frames.map(f => {
    const room = Math.floor((f.width - 6) / LETTER), name = room < 3 ? '' : f.name.length > room ? f.name.slice(0, room - 1) + '…' : f.name;
    return `<g><title>${escaped(f.title)}</title><rect x="${f.x.toFixed(1)}" y="${f.y}" width="${Math.max(f.width - 0.5, 0.1).toFixed(1)}" height="${f.height - 1}" fill="${escaped(f.color)}"${f.isPale ? ' fill-opacity="0.25"' : ''}/>` +
      (name === '' ? '' : `<text x="${(f.x + 3).toFixed(1)}" y="${f.y + f.height - 6}">${escaped(name)}</text>`) + '</g>';
  }).join('\n');
}

/** An SVG of that size, below its title, which needs nothing else to be seen. */
function svgOf(inside, width, height, title) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + 20}" viewBox="0 0 ${width} ${height + 20}" font-family="system-ui, sans-serif" font-size="12">` +
    `<rect width="100%" height="100%" fill="#ffffff"/><text x="3" y="14">${escaped(title)}</text><g transform="translate(0,20)">${inside}</g></svg>\n`;
}
