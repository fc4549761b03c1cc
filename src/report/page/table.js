// Tables that their headers sort, and the search that dims what has not its text, in every view.
'use strict';

const MOST_ROWS = 500; // of a table at first, and more with each "more"

function element(name, text, attributes) {
  const e = document.createElement(name);
  if (text !== undefined) e.textContent = text;
  for (const key in attributes) e.setAttribute(key, attributes[key]);
  return e;
}

/** Whether a name has a text, in lower case: in its parameter types only if the text has a parenthesis. */
const hasText = (name, text) => (text.includes('(') ? name : name.slice(0, name.indexOf('(', 1) >>> 0)).toLowerCase().includes(text);

/** The text that is searched, in lower case; empty: none. Views that are drawn listen to the event `searched`. */
const searched = { text: '' };
const isFound = name => searched.text === '' || hasText(name, searched.text);

/** Makes rows, frames and lines of an element pale whose names the search has not found. */
function dim(at) {
  const mark = (e, name) => e.classList.toggle('dim', !isFound(name));
  for (const tr of at.querySelectorAll('tr[data-name]')) mark(tr, tr.dataset.name);
  for (const e of at.querySelectorAll('#exception-tree summary, #exception-tree .leaf')) mark(e, e.firstChild.textContent);
  for (const g of at.querySelectorAll('.half g.frame')) mark(g, g.__data__.data.frame.name);
}

/**
 * A table that its headers sort. A column is {title, value(row), text(row), part(row), hint(row)}: part, from 0 to 1,
 * draws a bar; the hint is shown where a mouse points.
 * The first column is the row's name, a button when `open` is given. With `details(row)`, an element, the button shows that
 * below the row instead. Returns a function that shows other rows.
 */
function table(at, columns, open, sortedBy, details) {
  let rows = [], key = sortedBy, isDescending = true, shown = MOST_ROWS;
  const head = element('tr'), body = element('tbody'), t = element('table'), thead = element('thead');
  columns.forEach((column, i) => {
    const th = element('th', undefined, { scope: 'col' }), button = element('button', column.title, { type: 'button' });
    button.addEventListener('click', () => {
      isDescending = key === i ? !isDescending : i !== 0;
      key = i;
      draw();
    });
    th.append(button);
    head.append(th);
  });
  thead.append(head);
  t.append(thead, body);
  const more = element('button', 'more', { type: 'button' });
  more.addEventListener('click', () => {
    shown += MOST_ROWS;
    draw();
  });
  const box = element('div', undefined, { class: 'box' });
  box.append(t);
  at.replaceChildren(box, more);

  function draw() {
    [...head.children].forEach((th, i) => th.setAttribute('aria-sort', i !== key ? 'none' : isDescending ? 'descending' : 'ascending'));
    const value = columns[key].value, sign = isDescending ? -1 : 1;
    const sorted = [...rows].sort((a, b) => {
      const x = value(a), y = value(b);
      return x < y ? -sign : x > y ? sign : 0;
    });
    body.replaceChildren(...sorted.slice(0, shown).map(row => {
      const tr = element('tr', undefined, { 'data-name': columns[0].text(row) });
      columns.forEach((column, i) => {
        const td = element('td');
        if (i === 0 && open && open(row, true)) {
          const button = element('button', column.text(row), { type: 'button' });
          if (details) unfold(tr, button, row);
          else button.addEventListener('click', () => open(row, false));
          td.append(button);
        } else if (column.link && column.link(row)) td.append(element('a', column.text(row), { href: column.link(row), rel: 'noopener' }));
        else td.textContent = column.text(row);
        if (column.part) {
          td.className = 'bar';
          td.style.setProperty('--part', Math.max(0, Math.min(100, 100 * column.part(row))).toFixed(1) + '%');
        }
        if (column.hint && column.hint(row)) td.title = column.hint(row);
        if (column.sign) td.classList.add(...[[], ['slower'], ['faster']].at(Math.sign(column.sign(row))));
        tr.append(td);
      });
      return tr;
    }));
    more.hidden = sorted.length <= shown;
    more.textContent = 'more of ' + show.count(sorted.length);
    dim(body);
  }

  function unfold(tr, button, row) {
    let below = null;
    button.setAttribute('aria-expanded', false);
    button.addEventListener('click', () => {
      if (below) {
        below.remove();
        below = null;
      } else {
        const cell = element('td', undefined, { colspan: columns.length, class: 'below' });
        below = element('tr');
        cell.append(details(row));
        below.append(cell);
        tr.after(below);
      }
      button.setAttribute('aria-expanded', below !== null);
    });
  }

  return newRows => {
    rows = newRows;
    shown = MOST_ROWS;
    draw();
  };
}
