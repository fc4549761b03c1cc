// Where a function stands in its source, and what opens it there.
'use strict';

/** Addresses that open a line, by what opens it: {file}, the same {path} without the first separator, and {line}. */
const EDITORS = {
  'VS Code': 'vscode://file/{path}:{line}',
  Cursor: 'cursor://file/{path}:{line}',
  'a JetBrains IDE': 'http://localhost:63342/api/file/{path}:{line}',
  Rider: 'rider://open?file={file}&line={line}',
};

/** The address that a pattern makes; null for one that would run something in this page. */
function sourceAddress(pattern, path, line) {
  const part = text => encodeURIComponent(text).replace(/%3A/g, ':'), plain = path.replace(/\\/g, '/').replace(/^\//, '');
  const whole = plain.split('/').map(part).join('/'), first = /^[\\/]/.test(path) ? '/' : '';
  const address = pattern.replace(/\{path\}/g, () => whole).replace(/\{file\}/g, () => first + whole).replace(/\{line\}/g, () => String(line));
  return /^[a-z][a-z0-9+.-]*:/i.test(address) && !/^(javascript|data|vbscript|blob|about):/i.test(address) ? address : null;
}

/** Of a profile's functions: their places. `of(f)` is {path, line, page}, `page` of the repository or null; null: not known. */
function makePlaces(columns) {
  const has = columns.files !== undefined && columns.files.length > 0;
  const of = f => {
    const file = has && f !== null && f.position < columns.file.length ? columns.file[f.position] : -1;
    if (file < 0) return null;
    const line = columns.line[f.position], page = columns.links[file];
    return { path: columns.files[file], line, page: page === '' ? null : page.replace('{line}', line) };
  };
  const hint = f => (of(f) || { path: '' }).path;
  return { has, hint, link: () => null, hasPages: has && columns.links.some(link => link !== ''), isHere: has && columns.files.some(path => /^(\/(?!_\d*\/)|[A-Za-z]:)/.test(path)), of };
}

/** Fills the choice of what opens a line, which the browser keeps, and gives `places` link(f) and hint(f). `changed` is called with each choice. */
function chooseEditor(places, changed) {
  const OWN = 'an address of your own', PAGES = 'the repository', editor = document.getElementById('editor'), pattern = document.getElementById('pattern');
  const stored = (key, value) => { // a page from a file may have no storage
    try {
      if (value !== undefined) localStorage.setItem(key, value);
      return localStorage.getItem(key);
    } catch { return null; }
  };
  const known = [...(places.hasPages ? [PAGES] : []), ...Object.keys(EDITORS), OWN], wanted = stored('ilinject-editor');
  for (const name of known) editor.append(new Option(name, name));
  editor.value = known.includes(wanted) ? wanted : places.hasPages && !places.isHere ? PAGES : 'VS Code';
  pattern.value = stored('ilinject-pattern') || EDITORS['VS Code'];
  pattern.hidden = editor.value !== OWN;
  places.link = f => {
    const place = places.of(f);
    if (place === null) return null;
    return editor.value === PAGES ? place.page : sourceAddress(editor.value === OWN ? pattern.value : EDITORS[editor.value], place.path, place.line);
  };
  const choose = () => {
    pattern.hidden = editor.value !== OWN;
    stored('ilinject-editor', editor.value);
    stored('ilinject-pattern', pattern.value);
    changed();
  };
  editor.addEventListener('change', choose);
  pattern.addEventListener('input', choose);
}

/** A place as people read it: Shop.cs:12. */
function placeText(place) {
  return place === null ? '' : place.path.slice(1 + Math.max(place.path.lastIndexOf('/'), place.path.lastIndexOf('\\'))) + ':' + place.line;
}

// ---- A view as a link ----------------------------------------------------------------------------------------------

/** What a fragment says: {view, method, search, …}; all texts. */
function stateOf(fragment) {
  return Object.fromEntries(new URLSearchParams(fragment.replace(/^#/, '')));
}

/** The fragment of a state; what is empty is left out. */
function fragmentOf(state) {
  return '#' + new URLSearchParams(Object.entries(state).filter(([, value]) => value !== '' && value !== undefined && value !== null));
}

