// The tab Trend: what methods took in each of several profiles, as lines and as a table.
'use strict';

/**
 * The trend of a page's data: {runs, label, figures, rows}. A run is {name, file, start_ns, runs, before, title}, `label` is the
 * name of the label that the titles are of, or null: they are times. A figure is {key, title, values(row)}, a list by run;
 * figures are per run of a merged profile.
 */
function makeTrend({ runs, name, ...columns }) {
  const valueOf = (run, label) => run.labels.filter(([key]) => key === label).map(([, value]) => value).join(', ');
  const differs = label => new Set(runs.map(run => valueOf(run, label))).size > 1;
  const labels = [...new Set(runs.flatMap(run => run.labels.map(([key]) => key)))];
  const label = ['release', ...labels.filter(key => !['release', 'version', 'commit'].includes(key)), 'version', 'commit'].find(differs) || null;
  const days = new Set(runs.map(run => clockOf(run).slice(0, 10))), times = run => (run.start_ns === 0 ? run.file : days.size > 1 ? clockOf(run).slice(5, 16) : clockOf(run).slice(11));
  const titled = runs.map(run => ({ ...run, title: (label !== null && valueOf(run, label)) || times(run) }));
  const of = (column, at) => runs.map((run, i) => columns[column][at * runs.length + i] / run.runs);
  const rows = name.map((text, at) => ({ name: text, calls: of('calls', at), exclusive: columns.exclusive && of('exclusive', at), inclusive: columns.inclusive && of('inclusive', at) }));
  const calls = { key: 'calls', title: 'calls', values: row => row.calls }, figures = columns.exclusive ? [
    { key: 'exclusive', title: 'own time', values: row => row.exclusive }, { key: 'inclusive', title: 'time with callees', values: row => row.inclusive },
    { key: 'average', title: 'time of a call', values: row => row.inclusive.map((ns, i) => (row.calls[i] > 0 ? ns / row.calls[i] : 0)) }, calls,
  ] : [calls];
  return { runs: titled, label, figures, rows };
}

const clockOf = run => new Date(run.start_ns / 1e6).toISOString().replace('T', ' ').slice(0, 19);
const sumOf = list => list.reduce((sum, value) => sum + value, 0);

/** Marks of a scale from 0 to at least `most`: few and round. */
function scaleMarks(most) {
  if (most <= 0) return [0, 1];
  const power = 10 ** Math.floor(Math.log10(most / 4)), step = [1, 2, 5, 10].map(n => n * power).find(n => n >= most / 4), marks = [0];
  while (marks[marks.length - 1] < most) marks.push(marks.length * step);
  return marks;
}

if (typeof document !== 'undefined') (() => {
  const MOST_LINES = 7, TALL = 320, EDGE = { left: 70, right: 16, top: 12, bottom: 24 }, LETTER = 7;
  const COLORS = ['#0b7bc4', '#d55e00', '#0a9068', '#c0569b', '#c98a00', '#6a5acd', '#8a6a4f', '#7f8a96'];
  const $ = id => document.getElementById(id);
  $('tab-threads').before($('tab-trend'));
  document.querySelector('main').append($('trend'));

  function make(data, { functions, table, selectFunction, openFunction }) {
    const { runs, label, figures, rows } = makeTrend(data), box = $('trend-chart'), NS = 'http://www.w3.org/2000/svg';
    const byName = new Map();
    for (const f of functions) if (!byName.has(f.name)) byName.set(f.name, f);
    for (const row of rows) row.f = byName.get(row.name);
    let figure = figures[0], chosen = null, lines = [], at = runs.length - 1, onLine = null;
    for (const { key, title } of figures) $('trend-figure').append(new Option(title, key));

    const text = value => (value === 0 ? '0' : figure.key === 'calls' ? show.few(value) : show.duration(value));
    const change = (to, from) => (from === to ? '' : ', ' + show.change(to, from) + (from > 0 && to > 0 ? ' on the one before' : ''));
    const runText = run => (run.before ? 'before, ' : '') + (label ? label + ' ' : '') + run.title + (label && run.start_ns > 0 ? ', ' + clockOf(run) : '') + ', ' + run.file;
    const part = (name, attributes, words) => {
      const e = document.createElementNS(NS, name);
      for (const key in attributes) e.setAttribute(key, attributes[key]);
      if (words !== undefined) e.textContent = words;
      return e;
    };

    function draw() {
      const width = box.clientWidth;
      if (width <= 0 || rows.length === 0) return;
      const ranked = [...rows].sort((a, b) => sumOf(figure.values(b)) - sumOf(figure.values(a))), kept = ranked.slice(0, MOST_LINES);
      lines = (chosen && !kept.includes(chosen) ? [...kept, chosen] : kept).map((row, i) => ({ row, color: COLORS[i], values: figure.values(row) }));
      const marks = scaleMarks(Math.max(...lines.flatMap(line => line.values), 0)), top = marks[marks.length - 1];
      const wide = width - EDGE.left - EDGE.right, high = TALL - EDGE.top - EDGE.bottom;
      const x = i => EDGE.left + (runs.length > 1 ? i * wide / (runs.length - 1) : wide / 2), y = value => EDGE.top + high * (1 - value / top);
      const svg = part('svg', { viewBox: `0 0 ${width} ${TALL}`, height: TALL, 'aria-hidden': 'true' });
      for (const mark of marks) svg.append(part('line', { class: 'grid', x1: EDGE.left, x2: width - EDGE.right, y1: y(mark), y2: y(mark) }), part('text', { x: EDGE.left - 6, y: y(mark) + 4, 'text-anchor': 'end' }, text(mark)));
      const longest = Math.max(...runs.map(run => run.title.length)) * LETTER + 10, every = Math.max(1, Math.ceil(longest * (runs.length - 1) / Math.max(wide, 1)));
      const fits = Math.max(4, Math.floor(wide / LETTER));
      runs.forEach((run, i) => {
        const last = runs.length - 1, anchor = i === last && last > 0 ? 'end' : i === 0 ? 'start' : 'middle';
        if ((last - i) % every === 0) svg.append(part('text', { x: x(i), y: TALL - 7, 'text-anchor': anchor }, run.title.length > fits ? run.title.slice(0, fits - 1) + '…' : run.title));
      });
      for (const line of [...lines].sort((a, b) => (a.row === chosen) - (b.row === chosen))) {
        const places = line.values.map((value, i) => [x(i).toFixed(1), y(value).toFixed(1)]);
        svg.append(part('polyline', { points: places.map(p => p.join()).join(' '), stroke: line.color, opacity: isFound(line.row.name) ? 1 : 0.2, ...(line.row === chosen ? { class: 'chosen' } : {}) }));
        if (runs.length <= 60) for (const [cx, cy] of places) svg.append(part('circle', { cx, cy, r: line.row === chosen ? 4 : 3, fill: line.color, opacity: isFound(line.row.name) ? 1 : 0.2 }));
      }
      const current = lines.find(line => line.row === onLine);
      if (current) svg.append(part('circle', { class: 'at', cx: x(at), cy: y(current.values[at]), r: 7 }));
      box.replaceChildren(svg);
      $('trend-keys').replaceChildren(...lines.map(line => {
        const item = document.createElement('li'), button = document.createElement('button'), key = document.createElement('span');
        key.className = 'key';
        key.style.setProperty('--key', line.color);
        button.type = 'button';
        button.title = line.row.name;
        item.classList.toggle('dim', !isFound(line.row.name));
        button.setAttribute('aria-pressed', line.row === chosen);
        button.append(key, '\u00a0' + shortName(line.row.name));
        button.addEventListener('click', () => choose(line.row));
        item.append(button);
        return item;
      }));
      box.nearest = (px, py) => {
        const i = Math.max(0, Math.min(runs.length - 1, Math.round((px - EDGE.left) / Math.max(wide, 1) * (runs.length - 1))));
        return { i, line: lines.reduce((best, line) => (Math.abs(y(line.values[i]) - py) < Math.abs(y(best.values[i]) - py) ? line : best)) };
      };
    }

    /** What a point says: the method, its figure in that profile, and how it differs from that in the one before. */
    function tell() {
      const line = lines.find(l => l.row === onLine);
      $('trend-details').textContent = line ? line.row.name + ': ' + text(line.values[at]) + (at > 0 ? change(line.values[at], line.values[at - 1]) : '') + ' (' + runText(runs[at]) + ')' : '\u00a0';
    }

    function go(row, i) {
      onLine = row;
      at = Math.max(0, Math.min(runs.length - 1, i));
      draw();
      tell();
    }

    function choose(row, isQuiet) {
      chosen = row;
      $('trend-open').disabled = !row || !row.f;
      if (row) go(row, at);
      if (row && row.f && !isQuiet) selectFunction(row.f);
      if (!isQuiet) keep();
    }

    let showRows = null;
    const rowsOf = () => rows.map(row => {
      const values = figure.values(row);
      return { row, name: row.name, values, mean: sumOf(values) / runs.length };
    });
    function fill() {
      const first = runs.length - 1, columns = [
        { title: 'Function', value: r => r.name, text: r => r.name }, { title: 'Mean', value: r => r.mean, text: r => text(r.mean) },
        { title: 'First to last', value: r => r.values[first] - r.values[0], text: r => show.change(r.values[first], r.values[0]), sign: r => r.values[first] - r.values[0] },
        ...runs.map((run, i) => ({ title: (run.before ? 'before: ' : '') + run.title, value: r => r.values[i], text: r => text(r.values[i]), hint: () => runText(run) })),
      ];
      showRows = table($('trend-table'), columns, (r, isAsked) => isAsked || choose(r.row), 1);
      showRows(rowsOf());
    }

    function keep() {
      if ($('trend').hidden) return;
      const state = { ...stateOf(location.hash), view: 'trend', figure: figure === figures[0] ? '' : figure.key, method: chosen ? chosen.name : '' };
      if (fragmentOf(state) !== location.hash) history.replaceState(null, '', fragmentOf(state));
    }
    function restore() {
      const state = stateOf(location.hash);
      if (state.view === 'trend') setFigure(state.figure || figures[0].key);
    }
    function setFigure(key) {
      const found = figures.find(f => f.key === key) || figures[0];
      if (found === figure && showRows) return;
      figure = found;
      $('trend-figure').value = figure.key;
      draw();
      fill();
      tell();
    }

    const place = event => {
      const edge = box.getBoundingClientRect();
      return box.nearest(event.clientX - edge.left - box.clientLeft, event.clientY - edge.top - box.clientTop);
    };
    box.addEventListener('pointermove', event => {
      if (!event.movementX && !event.movementY) return; // not what moved below a mouse at rest
      const { i, line } = place(event);
      if (onLine !== line.row || at !== i) go(line.row, i);
    });
    box.addEventListener('click', event => {
      const { i, line } = place(event);
      at = i;
      choose(line.row);
    });
    box.addEventListener('keydown', event => {
      const order = [...lines].sort((a, b) => b.values[at] - a.values[at]), here = Math.max(0, order.findIndex(line => line.row === onLine));
      const beside = step => order[Math.max(0, Math.min(order.length - 1, here + step))].row;
      if (event.ctrlKey || event.metaKey || event.altKey || lines.length === 0) return;
      const row = onLine || beside(0);
      if (event.key === 'ArrowLeft') go(row, at - (onLine ? 1 : 0));
      else if (event.key === 'ArrowRight') go(row, at + (onLine ? 1 : 0));
      else if (event.key === 'ArrowUp') go(beside(onLine ? -1 : 0), at);
      else if (event.key === 'ArrowDown') go(beside(onLine ? 1 : 0), at);
      else if (event.key === 'Home' || event.key === 'End') go(row, event.key === 'Home' ? 0 : runs.length - 1);
      else if (event.key === 'Enter' && onLine) choose(onLine);
      else return;
      event.preventDefault();
    });
    $('trend-figure').addEventListener('change', () => {
      setFigure($('trend-figure').value);
      keep();
    });
    $('trend-open').addEventListener('click', () => openFunction(chosen.f));
    new ResizeObserver(() => requestAnimationFrame(() => { // not while the page is measured
      draw();
      tell();
      keep();
    })).observe(box);
    addEventListener('hashchange', restore);
    addEventListener('searched', draw);
    unranged.trend = 'each of the calls was';
    pictures.trend = () => ({ inside: styledCopy(box.querySelector('svg'), getComputedStyle(box).backgroundColor), width: box.clientWidth, height: TALL });
    $('trend-runs').textContent = times(runs.length, 'profile') + (data.left_out ? '; ' + show.count(data.left_out) + ' earlier ones are not in this page' : '') + (label ? ', by ' + label : '');
    $('trend-note').textContent = 'Methods of this page with the most time or calls are here: ' + show.count(rows.length) + '.' + (runs.some(run => run.runs > 1) ? ' Figures of a merged profile are per run.' : '');
    fill();
    choose(null, true);
    restore();
    return f => {
      const row = rows.find(r => r.f === f);
      if (row && row !== chosen) choose(row, true);
    };
  }

  let choose = null;
  addEventListener('chosen', ({ detail: { f, page } }) => {
    choose = choose || make(page.data.trend, page);
    choose(f);
  });
})();
