// The search of the tab with callers and callees: the methods that have a text, as buttons.
'use strict';

/** Makes it. `hasText` says whether a name has a text in lower case, `rank` which of two methods stands first, `open` shows one. */
function makeSearch(functions, hasText, rank, open) {
  const MOST = 12, input = document.getElementById('find'), list = document.getElementById('find-list'), found = document.getElementById('find-found');
  function draw() {
    const text = input.value.trim().toLowerCase(), all = text === '' ? [] : functions.filter(f => hasText(f.name, text)).sort((a, b) => rank(b) - rank(a));
    found.textContent = text === '' ? '' : times(all.length, 'method') + (all.length > MOST ? ', the first ' + MOST + ' are shown' : '');
    list.replaceChildren(...all.slice(0, MOST).map(f => {
      const item = document.createElement('li'), button = document.createElement('button');
      button.type = 'button';
      button.textContent = f.name;
      button.addEventListener('click', () => choose(f));
      item.append(button);
      return item;
    }));
    return all[0];
  }
  function choose(f) {
    input.value = '';
    draw();
    open(f);
  }
  input.addEventListener('input', draw);
  input.addEventListener('keydown', event => {
    const first = event.key === 'Enter' ? draw() : undefined;
    if (first) choose(first);
    if (event.key === 'Escape') {
      input.value = '';
      draw();
    }
  });
}
