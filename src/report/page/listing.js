// The source around each method of a file, with the methods' figures at their first lines.
'use strict';

/**
 * The lines of a file's `parts`, [first, line, …] each, as rows: {number, text, methods} with the functions that begin
 * there, or {from, to}: lines that are not in the page.
 */
function listingRows(parts, functions, lineOf) {
  const at = new Map(), rows = [];
  let next = 1;
  for (const f of functions) at.set(lineOf(f), [...(at.get(lineOf(f)) || []), f]);
  for (const [first, ...lines] of parts) {
    if (first > next) rows.push({ from: next, to: first - 1 });
    lines.forEach((text, i) => rows.push({ number: first + i, text, methods: at.get(first + i) || [] }));
    next = first + lines.length;
  }
  return rows;
}

if (typeof document !== 'undefined') {
  const $ = id => document.getElementById(id), body = document.querySelector('#listing tbody'), box = document.querySelector('#listing .box');
  $('callee-graph').after($('listing'));

  const element = (name, text, attributes) => {
    const e = document.createElement(name);
    e.textContent = text === undefined ? '' : text;
    for (const key in attributes) e.setAttribute(key, attributes[key]);
    return e;
  };

  /** A figure of each method of a line, below one another; the first column's are buttons that put theirs into the middle. */
  function figureCell(methods, text, open) {
    const cell = element('td');
    methods.forEach((f, i) => {
      if (i > 0) cell.append(element('br'));
      const figure = element(open ? 'button' : 'span', text(f), open ? { type: 'button', title: f.name, 'aria-label': text(f) + ' calls of ' + f.name } : { title: f.name });
      if (open) figure.addEventListener('click', () => open(f));
      cell.append(figure);
    });
    return cell;
  }

  addEventListener('chosen', ({ detail: { f, page, of } }) => {
    const { now, functions, marked, openFunction } = page;
    const columns = now.functions, file = f.position < columns.name.length && columns.file ? columns.file[f.position] : -1, source = file < 0 ? null : columns.sources[file];
    $('listing').hidden = source === null;
    if (source === null) return;
    const was = (g, text) => (page.data.before ? ' ← ' + text(g.before) : '');
    const calls = g => (g.calls === null ? '' : show.count(g.calls || g.steps || 0)); // ticks say no number
    const path = columns.files[file], lineOf = g => columns.line[g.position];
    $('listing-title').textContent = 'Source: ' + path;
    $('listing-state').textContent = source.missing ? 'Not here: the file ' + source.missing + '.' :
      (source.changed ? 'This file has changed since it was compiled: lines may stand elsewhere. ' : '') + (source.cut ? 'There was no room for all of its lines. ' : '') +
      'Figures stand at the first line of each method' + (page.data.before ? ', those before follow an arrow.' : '.');
    box.hidden = source.missing !== undefined;
    if (source.missing) return;
    const here = functions.filter(g => g.position < columns.name.length && columns.file[g.position] === file);
    let current = null;
    body.replaceChildren(...listingRows(source.parts, here, lineOf).map(row => {
      if (row.from) {
        const gap = element('tr', '', { class: 'gap' });
        gap.append(element('td', row.from + (row.to > row.from ? ' to ' + row.to : ''), { colspan: 5 }));
        return gap;
      }
      const tr = element('tr', '', row.methods.length > 0 ? { class: 'method' } : {});
      tr.append(element('td', row.number), figureCell(row.methods, g => calls(of(g)) + was(of(g), calls), openFunction),
        figureCell(row.methods, g => marked(of(g), 'exclusive') + was(of(g), b => show.time(b.exclusive))),
        figureCell(row.methods, g => marked(of(g), 'inclusive') + was(of(g), b => show.time(b.inclusive))), element('td', row.text));
      if (row.methods.includes(f)) {
        tr.setAttribute('aria-current', 'true');
        current = tr;
      }
      return tr;
    }));
    const bring = () => { if (current) box.scrollTop = current.offsetTop - box.clientHeight / 3; };
    bring();
    requestAnimationFrame(bring); // the tab may not be open yet
  });
}
