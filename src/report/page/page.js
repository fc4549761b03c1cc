// The page's views. All its data stands in #profile; nothing is asked from elsewhere.
'use strict';

(async () => {
  const $ = id => document.getElementById(id);
  for (const kind of ['error', 'unhandledrejection']) addEventListener(kind, () => { document.documentElement.dataset.failed = 'yes'; });
  const data = await dataOf($('profile')).catch(e => {
    $('facts').textContent = e.message;
    throw e;
  });
  const now = data.profile, before = data.before;
  const { functions, beforePositions } = makeFunctions(now, before);
  const isCompared = before !== null;
  if (isCompared) document.documentElement.dataset.compared = 'yes';
  show.unit = now.unit;
  const has = what => [now, before].some(p => p && p.totals[what] > (p.totals[what] + p.totals.exclusive) / 100), hasWaits = has('waiting'), hasAwaits = has('awaiting');
  const isCounted = what => now.totals[what] !== undefined && (!isCompared || before.totals[what] !== undefined);
  const figures = FIGURES.filter(isCounted);
  const amounts = { bytes: n => show.count(n) + ' B', objects: n => show.count(n) + ' objects', collections: n => show.count(n) + ' collections', pause: show.duration };
  const facts = {
    bytes: n => show.count(n) + ' bytes allocated', objects: n => show.count(n) + ' objects allocated',
    collections: n => show.count(n) + ' garbage collections while calls ran', pause: n => show.duration(n) + ' of their pauses',
  };
  const hasLeaves = now.parts !== undefined;
  const measure = () => $('measure').value;
  // Leaves are asked for because of what they wait for. Otherwise waits are shown where they are more than work, and no
  // path that only waits would leave them little room.
  const waited = functions.reduce((sum, f) => sum + (f.idle ? 0 : (f.waiting || 0) - (f.loop || 0)), 0);
  $('waits').checked = hasLeaves ? hasWaits || hasAwaits : hasWaits && !isCompared && waited > now.totals.exclusive && waited > now.totals.waiting / 2;
  let tree = makeTree(now, before, functions, beforePositions, -1, $('waits').checked, 'exclusive');

  // ---- The view as a link --------------------------------------------------------------------------------------------

  // `pending` is the range of time that was chosen since another view was open; undefined: none was. Null is the whole run.
  let ranged = null, pending, opened = 'flame', subject = null, zoomed = null, written = location.hash, isReady = false;

  /** Puts what is seen into the fragment, from which the same page shows it again. Text that is being typed is no step of its own back. */
  function keepState(isTyped) {
    if (!isReady) return;
    const fragment = fragmentOf({
      view: opened === 'flame' ? '' : opened, method: opened === 'callers' && subject ? subject.name : '', search: $('search').value, filter: $('filter').value,
      thread: $('thread').value === '-1' ? '' : $('thread').value, by: measure() === 'exclusive' ? '' : measure(), shape: $('shape').value === 'flame' ? '' : $('shape').value,
      at: opened === 'flame' && zoomed && zoomed.parent ? tree.all.indexOf(zoomed) : '', from: ranged ? Math.round(ranged.from) : '', to: ranged ? Math.round(ranged.to) : '',
    });
    if (fragment === written || (fragment === '#' && written === '')) return;
    written = fragment;
    if (isTyped) location.replace(fragment);
    else location.hash = fragment;
  }

  function showState(state) {
    isReady = false;
    const choice = (id, value, usual) => { $(id).value = [...$(id).options].some(option => option.value === value) ? value : usual; };
    $('search').value = state.search || '';
    $('filter').value = state.filter || '';
    choice('shape', state.shape, 'flame');
    choice('measure', ranged ? 'exclusive' : state.by, 'exclusive');
    choice('thread', state.thread, '-1');
    if ($('thread').value !== '-1' || $('measure').value !== 'exclusive' || drawnFor !== '') selectThread(+$('thread').value);
    filterFunctions();
    const chosen = state.method === undefined ? undefined : functions.find(f => f.name === state.method);
    if (chosen) selectFunction(chosen);
    openTab(tabs.some(tab => tab.getAttribute('aria-controls') === state.view) ? state.view : 'flame');
    const frame = tree.all[state.at || 0];
    if (opened === 'flame' && frame && frame.parent) {
      const found = chartRoot().descendants().find(d => d.data.frame === frame);
      chart.zoomTo(found);
      mark(found);
      zoomed = frame;
    }
    isReady = true;
  }

  addEventListener('hashchange', () => {
    if (location.hash === written) return;
    written = location.hash;
    showState(stateOf(location.hash));
  });

  // ---- Tabs ----------------------------------------------------------------------------------------------------------

  const tabs = [...document.querySelectorAll('[role=tab]')].filter(tab => {
    const id = tab.getAttribute('aria-controls');
    const both = before ? [now, before] : [now];
    const isEmpty = id === 'exceptions' ? both.every(p => p.exceptions.length === 0)
                    : id === 'async'    ? both.every(p => p.async.length === 0)
                    : id === 'calls'    ? callsOf(data).length === 0
                    : id === 'tests'    ? both.every(p => p.tests === undefined)
                                        : false;
    tab.hidden = isEmpty;
    return !isEmpty;
  });

  function openTab(id) {
    for (const section of document.querySelectorAll('section')) section.hidden = section.id !== id;
    for (const tab of tabs) {
      const isOpen = tab.getAttribute('aria-controls') === id;
      tab.setAttribute('aria-selected', isOpen);
      tab.tabIndex = isOpen ? 0 : -1;
    }
    opened = id;
    takeRange();
    if (id === 'flame') drawGraph();
    if (id === 'callers') drawAround();
    for (const kind of ['svg', 'png']) $('save-' + kind).disabled = !(id in pictures);
    search();
    keepState();
  }

  tabs.forEach((tab, i) => {
    tab.addEventListener('click', () => openTab(tab.getAttribute('aria-controls')));
    tab.addEventListener('keydown', event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(i + step + tabs.length) % tabs.length];
      next.focus();
      next.click();
      event.preventDefault();
    });
  });

  $('theme').addEventListener('click', () => {
    const root = document.documentElement, dark = matchMedia('(prefers-color-scheme: dark)').matches;
    const current = root.dataset.theme || (dark ? 'dark' : 'light');
    root.dataset.theme = current === 'dark' ? 'light' : 'dark';
  });

  // ---- Tables --------------------------------------------------------------------------------------------------------

  const wall = ns => (ns / 1e9).toFixed(3) + ' s';
  const number = (title, get) => ({ title, value: get, text: row => (get(row) === null ? '' : show.count(get(row))) });
  /** A time, with a bar if it has a whole; true: that of the page. */
  const time = (title, get, of) => ({
    title, value: get, text: row => (get(row) === null ? '' : show.time(get(row))), part: of ? row => get(row) / (of === true ? whole : of) : undefined,
  });
  /** An uncertain time has `~`; where there is nothing but its high end that, with `≤`. */
  const marked = (f, which) => {
    const range = f.range[which];
    return range && f[which] < range.high / 100 ? '≤ ' + show.time(range.high) : (range ? '~' : '') + show.time(f[which]);
  };
  const rangeOf = (f, which) => (f.range[which] ? show.time(f.range[which].low) + ' to ' + show.time(f.range[which].high) : '');
  /** A function's time. */
  const bounded = (title, which) => ({
    title, value: f => f[which], text: f => (f[which] === null ? '' : marked(f, which)), part: f => f[which] / whole, hint: f => rangeOf(f, which),
  });
  const change = (title, get, was) => ({
    title, value: row => get(row) - was(row), text: row => show.change(get(row), was(row)), sign: row => get(row) - was(row),
  });

  /** A figure of rows, and where profiles are compared what it was in row.was, and how it has changed. */
  const pair = (make, title, key, whole) => {
    const get = row => row[key], was = row => (row.was ? row.was[key] : 0);
    return isCompared ? [make(title, get, whole), make('Before', was), change('Change', get, was)] : [make(title, get, whole)];
  };
  const paired = (rows, earlier, keyOf) => (isCompared ? matchRows(rows, earlier, keyOf) : rows);

  // ---- Functions, callers and callees ---------------------------------------------------------------------------------

  let whole = now.totals.exclusive;
  const functionColumns = [
    { title: 'Function', value: f => f.name, text: f => f.name },
    number('Calls', f => (f.calls === null ? null : f.calls || f.steps || 0)),
    bounded('Exclusive', 'exclusive'),
    {
      title: 'Own %', value: f => f.exclusive, text: f => (f.range.exclusive ? '~' : '') + show.percent(f.exclusive, whole),
    },
    bounded('Inclusive', 'inclusive'),
    { ...bounded('Average', 'average'), part: undefined },
    time('Min', f => f.least),
    time('Max', f => f.most),
  ];
  if (isCompared)
    functionColumns.splice(3, 5,
      time('Before', f => f.before.exclusive), change('Change', f => f.exclusive, f => f.before.exclusive),
      time('Inclusive', f => f.inclusive), time('Before', f => f.before.inclusive), change('Change', f => f.inclusive, f => f.before.inclusive),
      number('Calls before', f => f.before.calls), change('Change of calls', f => f.calls || f.steps || 0, f => f.before.calls),
      ...(hasWaits ? [time('Waiting', f => f.waiting), time('Before', f => f.before.waiting), change('Change', f => f.waiting, f => f.before.waiting)] : []));
  else if (functions.every(f => f.most === null)) functionColumns.splice(6, 2);
  const titles = { bytes: 'Bytes', objects: 'Objects', collections: 'Collections', pause: 'Pause' };
  for (const figure of figures) {
    const column = figure === 'pause' ? (title, get) => ({ title, value: get, text: row => (get(row) === null ? '' : show.duration(get(row))) }) : number;
    for (const [title, key] of [[titles[figure], figure], ['Incl. ' + titles[figure].toLowerCase(), 'all_' + figure]])
      functionColumns.push(column(title, f => f[key]), ...(isCompared ? [column('Before', f => f.before[key]), change('Change', f => f[key], f => f.before[key])] : []));
  }
  /** Own time and waiting, but not while others worked: the order of functions. */
  const waitedItself = f => (f.waiting || 0) - (f.loop || 0), taken = f => f.exclusive + waitedItself(f), wholeWaiting = functions.reduce((sum, f) => sum - (f.loop || 0), now.totals.waiting);
  if (hasWaits && !isCompared)
    functionColumns.splice(3, 1, { ...time('Waiting', waitedItself), text: f => (waitedItself(f) > 0 ? show.time(waitedItself(f)) : '') }, {
      title: 'Time %', value: taken, text: f => (f.range.exclusive ? '~' : '') + show.percent(taken(f), whole + (ranged ? 0 : wholeWaiting)),
    });

  const places = makePlaces(now.functions);
  if (places.has) {
    chooseEditor(places, () => {
      filterFunctions();
      if (subject) selectFunction(subject);
    });
    functionColumns.push({ title: 'Source', value: f => placeText(places.of(f)), text: f => placeText(places.of(f)), link: places.link, hint: places.hint });
  }
  $('editor-label').hidden = !places.has;

  const openRow = (f, isAsked) => isAsked || openFunction(functions[f.position]);
  const showFunctions = table($('function-table'), functionColumns, openRow, hasWaits && !isCompared ? 4 : 2);

  /** The functions of the run, or those that ran in the range, with their figures there. */
  const seen = () => (ranged ? ranged.functions : functions);
  const TOP_ROWS = 10, TOP_NAMES = 3;
  const gained = f => taken(f) - taken(f.before), rank = f => (isCompared ? Math.abs(gained(f)) : taken(f));
  const showTop = functions.some(f => rank(f) > 0) ? table($('top-table'), functionColumns, openRow, hasWaits || isCompared ? 4 : 2) : () => {};
  let most = '\u00a0';
  /** The functions that took most, or changed most, below the graph, and the first of them above it. */
  function fillTop() {
    const top = seen().filter(f => !f.helper && (!f.idle || ranged) && rank(f) > 0).sort((a, b) => rank(b) - rank(a)).slice(0, TOP_ROWS), first = top.slice(0, TOP_NAMES), isTimed = now.unit === 'ns' && top.length > 0;
    showTop(top);
    if (isTimed && isCompared)
      most = 'Changed most: ' + first.map(f => shortName(f.name) + ' ' + show.time(taken(f.before)) + ' → ' + show.time(taken(f)) + ' (' + show.change(taken(f), taken(f.before)) + ')').join(', ');
    else if (isTimed && whole > 0)
      most = 'Most time: ' + first.map(f => shortName(f.name) + ' ' + show.percent(taken(f), whole + (hasWaits && !ranged ? wholeWaiting : 0)) +
        (f.calls === null ? '' : ' (' + times(f.calls || f.steps || 0, 'call') + ')')).join(', ');
    else most = '\u00a0';
    $('details').textContent = most;
  }

  function filterFunctions() {
    const text = $('filter').value.toLowerCase(), isShown = f => !f.idle || text !== '' || $('waits').checked, rows = seen().filter(f => hasText(f.name, text) && (ranged || isShown(f)));
    const rest = ranged ? 0 : now.functions.left_out;
    $('matches').textContent = times(rows.length, 'function') + (rest ? '; ' + show.count(rest) + ' with less time are not in this page' : '') +
      (ranged || functions.every(isShown) ? '' : '; ' + show.count(functions.filter(f => !isShown(f)).length) + ' that only wait are shown with waits');
    showFunctions(rows);
  }
  $('filter').addEventListener('input', () => {
    filterFunctions();
    keepState(true);
  });

  const neighbourColumns = [
    { title: 'Function', value: n => n.name, text: n => n.name },
    ...pair(number, 'Calls', 'calls'), ...pair(time, 'Time', 'ns', true),
  ];
  const openNeighbour = (n, isAsked) => (isAsked ? n.function !== null : openFunction(n.function));
  const showCallers = table($('caller-table'), neighbourColumns, openNeighbour, isCompared ? 4 : 2);
  const showCallees = table($('callee-table'), neighbourColumns, openNeighbour, isCompared ? 4 : 2);

  const page = { now, data, beforePositions, functions, table, number, time, pair, marked, selectFunction, openFunction };
  function selectFunction(f) {
    const place = placeText(places.of(f)), link = places.link(f), g = ranged ? ranged.of(f) : f;
    subject = f;
    $('subject').textContent = f.name;
    $('subject-place').replaceChildren(link ? element('a', place, { href: link, rel: 'noopener', title: places.hint(f) }) : place);
    const was = (value, key, text) => (isCompared ? ' (before ' + text(g.before[key]) + ', ' + show.change(value, g.before[key]) + ')' : '');
    const told = which => marked(g, which) + ' ' + which + (g.range[which] ? ' (' + rangeOf(g, which) + ')' : '') + was(g[which], which, show.time);
    $('subject-facts').textContent = g.exclusive + g.inclusive === 0 && ranged ? 'It did not run in this range.' : [...(g.calls === null ? [] : [times(g.calls, 'call') + was(g.calls || g.steps || 0, 'calls', show.count)]), told('exclusive'), told('inclusive'),
      ...(g.by_exception && !ranged ? [show.count(g.by_exception) + ' left by an exception'] : [])].join(', ');
    const found = ranged ? ranged.neighbours(f, false) : neighbours(now.edges, functions, f.position), none = { callers: [], callees: [] };
    const earlier = !isCompared ? none : ranged ? ranged.neighbours(f, true) : neighbours(before.edges, functions, f.position, beforePositions);
    showCallers(paired(found.callers, earlier.callers, n => n.name));
    showCallees(paired(found.callees, earlier.callees, n => n.name));
    dispatchEvent(new CustomEvent('chosen', { detail: { f, page, of: g => (ranged ? ranged.of(g) : g) } }));
    if (opened === 'callers') drawAround();
  }

  function openFunction(f) {
    selectFunction(f);
    openTab('callers');
    $('tab-callers').focus();
  }

  makeSearch(functions, hasText, taken, openFunction);

  // ---- The graph -----------------------------------------------------------------------------------------------------

  const CELL = matchMedia('(pointer: coarse)').matches ? 26 : 19; // for fingers larger
  const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
  let chart = null, drawnFor = '', current = null, isMarked = false; // by the search

  const drawAround = () => {
    if (subject) drawSandwich(tree, subject, sandwich);
    dim($('callers'));
  };
  const sandwich = {
    cell: CELL, color: isCompared ? comparedColor : d => plainColor(d, isUncertain), open: openFunction,
    get isBefore() { return isCompared && ($('widths').value === 'before' || subject.inclusive === 0); },
    label: frame => (amounts[measure()] || show.time)(frame.total), calls: frame => times(frame.calls, 'call'),
    before: frame => (isCompared ? '; before ' + (amounts[measure()] || show.time)(frame.totalBefore) + ', ' + times(frame.callsBefore, 'call') + ', ' + show.change(frame.total, frame.totalBefore) : ''),
  };

  const isUncertain = frame => measure() === 'exclusive' && now.unit === 'ns' && isOpen(frame);
  const describe = d => {
    const f = d.data.frame;
    const amount = amounts[measure()] || show.time;
    const range = isUncertain(f) ? ' (' + show.time(Math.max(0, f.total - f.less)) + ' to ' + show.time(f.total + f.more) + ')' : '';
    let text = f.name + ': ' + amount(f.total) + range + ' (' + show.percent(f.total, tree.root.total) + '), own ' + amount(f.own) + ', ' + times(f.calls, 'call');
    if (isCompared) text += '; before ' + amount(f.totalBefore) + ', ' + times(f.callsBefore, 'call') + ', ' + show.change(f.total, f.totalBefore);
    return text;
  };

  const chartRoot = () => d3.select('#chart').datum();

  function drawGraph() {
    const width = $('chart').clientWidth;
    const state = [width, $('shape').value, $('thread').value, $('widths').value, $('waits').checked, measure(), ranged ? [ranged.from, ranged.to] : ''].join();
    if (width <= 0 || state === drawnFor) return;
    drawnFor = state;
    choose(null);
    d3.select('#chart').selectAll('*').remove();
    chart = flamegraph.default().width(width).cellHeight(CELL).minFrameSize(NARROWEST).selfValue(true).inverted($('shape').value === 'icicle')
      .transitionDuration(isStill ? 0 : 150).sort((a, b) => b.value - a.value)
      .setColorMapper(isCompared ? comparedColor : d => plainColor(d, isUncertain))
      .setLabelHandler(describe)
      .setDetailsHandler(text => { $('details').textContent = text || (current ? describe(current) : most); })
      .setSearchMatch((d, text) => text !== '' && hasText(d.data.frame.name, text.toLowerCase()))
      .setSearchHandler((results, sum, total) => {
        $('found').textContent = times(results.length, 'frame') + ', ' + show.percent(sum, total);
      })
      .onClick(d => {
        mark(d);
        zoomed = d.data.frame;
        keepState();
      });
    d3.select('#chart').datum(graphData(tree, $('widths').value === 'before')).call(chart);
    tellNarrow(width);
    $('chart').scrollTop = $('shape').value === 'flame' ? $('chart').scrollHeight : 0;
    search();
  }

  function tellNarrow(width) {
    const narrow = tree.all.filter(frame => frame.total * width < tree.root.total * NARROWEST).length, rest = ranged ? 0 : now.nodes.left_out;
    $('left-out').textContent = (narrow ? times(narrow, 'frame') + ' too narrow to see: zoom in, or open Functions. ' : '') +
      (rest ? show.count(rest) + ' small places of the call tree stand together as “smaller calls”.' : '');
  }

  /** What has not the text is pale, in all views; the graph also says how much has it. */
  function search() {
    const text = $('search').value, isGraph = opened === 'flame' && chart !== null;
    if (searched.text !== text.toLowerCase()) {
      searched.text = text.toLowerCase();
      dim(document);
      dispatchEvent(new CustomEvent('searched'));
    }
    $('chart').classList.toggle('searched', text !== '');
    $('found').textContent = text && !isGraph ? times(functions.filter(f => isFound(f.name)).length, 'method') : '';
    if (text && isGraph) chart.search(text);
    else if (isGraph && isMarked) chart.clear();
    if (isGraph) isMarked = text !== '';
  }

  function choose(d) {
    current = d;
    $('open-frame').disabled = d === null || d.data.frame.function === null;
    drawParts();
  }

  /** Where the time of the chosen frame went, of each call of it; of all when none is chosen. */
  function drawParts() {
    const isShown = hasLeaves && !isCompared && measure() === 'exclusive' && now.unit === 'ns';
    $('parts').hidden = !isShown;
    if (!isShown) return;
    const frame = current ? current.data.frame : tree.root, each = frame.function && frame.calls > 0 ? frame.calls : 1;
    const bar = element('div', undefined, { class: 'whole' }), list = element('ul');
    const title = frame.parent ? 'Where the time of ' + shortName(frame.name) + ' goes' : 'Where all time goes';
    for (const sum of partsOf(frame)) {
      const name = sum.part === 0 ? 'work' : sum.part < 0 ? 'other waiting' : now.parts[sum.part - 1];
      const color = sum.part < 0 ? WAITING : PART_COLORS[sum.part], piece = element('span', undefined, { title: name });
      const item = element('li'), key = element('span', undefined, { class: 'key' });
      piece.style.flex = sum.own + ' 0 0';
      for (const e of [piece, key]) e.style.setProperty('--key', color);
      bar.append(piece);
      item.append(key, '\u00a0', element('b', name), ' ' + show.time(sum.own / each) + ' (' + show.percent(sum.own, frame.total) +
        (sum.part > 0 ? ', ' + show.few(sum.calls / each) + (sum.calls === each ? ' call' : ' calls') : '') + ')');
      list.append(item);
    }
    const whole = each > 1 ? ', on average of ' + show.count(each) + ' calls' : '';
    $('parts').replaceChildren(element('p', title + ': ' + show.time(frame.total / each) + whole), bar, list);
  }

  /** Makes a frame the one that the keyboard acts on. */
  function mark(d) {
    choose(d);
    d3.select('#chart').selectAll('g.frame').classed('current', e => e === d);
    $('details').textContent = describe(d);
    const g = d3.select('#chart').selectAll('g.frame').filter(e => e === d).node();
    if (g) g.scrollIntoView({ block: 'nearest' });
  }

  function isDrawn(d) { return d.x1 - d.x0 > 0 && !d.data.hide; }

  function reset() {
    chart.resetZoom();
    mark(chartRoot());
    zoomed = null;
    keepState();
  }

  pictures.flame = () => graphPicture([$('chart')], CELL, describe);
  pictures.callers = () => graphPicture([$('caller-graph'), $('callee-graph')], CELL, d => d.data.frame.name);
  for (const kind of ['svg', 'png']) $('save-' + kind).addEventListener('click', () => savePicture(kind, pictures[opened]()));

  $('chart').addEventListener('keydown', event => {
    const at = current || chartRoot(), isFlame = $('shape').value === 'flame';
    const siblings = at.parent ? at.parent.children.filter(isDrawn) : [at], place = siblings.indexOf(at);
    const inner = at.children ? at.children.filter(isDrawn)[0] : undefined;
    const goes = {
      ArrowUp: isFlame ? inner : at.parent, ArrowDown: isFlame ? at.parent : inner, ArrowLeft: siblings[place - 1], ArrowRight: siblings[place + 1],
    };
    if (event.key in goes) mark(current === null ? at : goes[event.key] || at);
    else if (event.key === 'Enter') {
      chart.zoomTo(at);
      mark(at);
      zoomed = at.data.frame;
      keepState();
    } else if (event.key === 'Escape') reset();
    else return;
    event.preventDefault();
  });
  $('chart').addEventListener('dblclick', () => $('open-frame').click());
  $('open-frame').addEventListener('click', () => openFunction(current.data.frame.function));
  document.addEventListener('keydown', event => {
    if (event.key !== '/' || /INPUT|SELECT/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    $('search').focus();
  });

  let typing = 0;
  $('search').addEventListener('input', () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      search();
      keepState(true);
    }, 120);
  });
  for (const form of document.forms) form.addEventListener('submit', event => event.preventDefault());
  $('reset').addEventListener('click', reset);
  $('shape').addEventListener('change', () => {
    drawGraph();
    keepState();
  });
  $('widths').addEventListener('change', drawGraph);
  $('thread').addEventListener('change', () => selectThread(+$('thread').value));
  $('waits').addEventListener('change', () => selectThread(+$('thread').value));
  $('waits').addEventListener('change', filterFunctions);
  $('measure').addEventListener('change', () => selectThread(+$('thread').value));
  let resizing = 0;
  addEventListener('resize', () => {
    clearTimeout(resizing);
    resizing = setTimeout(() => {
      if (!$('flame').hidden) drawGraph();
      if (!$('callers').hidden) drawAround();
    }, 100);
  });

  // ---- Threads, exceptions, async, about ------------------------------------------------------------------------------

  const threadName = (t, runs = now.runs) => (t.count > 1 ? show.count(t.count) + ' ended threads' : t.id === 0 ? 'ended thread' : 'thread ' + t.id) +
    (t.name ? ' ' + t.name : '') + (runs.length > 1 ? ', run ' + (t.run + 1) : '');

  function selectThread(node) {
    $('thread').value = node;
    const t = threads.find(row => row.node === node && !row.isGone), isTimes = measure() === 'exclusive' || ranged;
    tree = ranged ? ranged.tree(t) : makeTree(now, before, functions, beforePositions, node, $('waits').checked && isTimes, measure(), t && t.was ? t.was.node : undefined);
    $('waits').disabled = !isTimes || ranged !== null;
    $('measure').disabled = ranged !== null;
    zoomed = null;
    drawGraph();
    if (opened === 'callers') drawAround();
    keepState();
  }

  $('thread').append(element('option', 'all threads', { value: -1 }));
  const named = p => p.threads.map(t => ({ ...t, title: threadName(t, p.runs) }));
  const threads = isCompared ? matchThreads(named(now), named(before)) : named(now);
  for (const t of threads) if (!t.isGone) $('thread').append(element('option', t.title, { value: t.node }));
  const showThreads = table($('thread-table'), [{ title: 'Thread', value: t => t.title, text: t => t.title }, ...pair(number, 'Calls', 'calls'), ...pair(time, 'Time', 'ns', true)],
    (t, isAsked) => (isAsked ? !t.isGone : (selectThread(t.node), openTab('flame'))), isCompared ? 4 : 2);
  showThreads(threads);

  // ---- The range of time that was chosen -------------------------------------------------------------------------------

  addEventListener('ranged', event => {
    pending = event.detail;
    if (!choosesRange.has(opened)) takeRange();
  });
  $('range-end').addEventListener('click', () => dispatchEvent(new CustomEvent('unranged')));

  /** Shows in all views what ran in the range, as far as its time is known. */
  function takeRange() {
    $('range').hidden = (pending === undefined ? ranged : pending) === null || choosesRange.has(opened);
    if (pending === undefined || choosesRange.has(opened)) {
      tellRange();
      return;
    }
    ranged = pending;
    pending = undefined;
    if (ranged) $('measure').value = 'exclusive';
    whole = ranged ? ranged.whole : now.totals.exclusive;
    fillTop();
    filterFunctions();
    showThreads(ranged ? ranged.threads(threads) : threads);
    selectThread(+$('thread').value);
    if (subject) selectFunction(subject);
    tellRange();
  }

  function tellRange() {
    $('range-text').textContent = !ranged ? '' : opened in unranged ? 'These are of the whole run: the profile does not say when ' + unranged[opened] + '.' :
      'Only ' + ranged.text + (opened === 'calls' ? ': calls that ran then.' : ': times with waits' + (ranged.isSampled ? ', calls are not known.' : '.'));
  }

  exceptionTree(isCompared ? matchExceptions(now.exceptions, before.exceptions) : now.exceptions, $('exception-tree'), element);

  table($('async-table'), [
    { title: 'Method', value: m => m.name, text: m => m.name },
    ...pair(number, 'Calls', 'calls'), ...pair(number, 'Completed', 'completed'), ...pair(number, 'Failed', 'failed'), ...pair(number, 'Cancelled', 'cancelled'),
    ...pair(time, 'Running', 'running_ns'), ...pair(time, 'Awaiting', 'awaiting_ns'), ...pair(time, 'Start to end', 'wall_ns'),
  ], null, isCompared ? 16 : 6)(paired(now.async, isCompared ? before.async : [], m => m.name));

  // ---- Calls with their values ---------------------------------------------------------------------------------------

  if (now.tests || (before && before.tests)) showTests(paired(now.tests || [], (before && before.tests) || [], t => t.kind + t.name), $('test-table'), table, pair, { number, time });
  showCallsWithValues(data, now.runs.length > 1, table, { element, time });

  fillAbout(data, element, wall);
  $('licences').textContent = $('licence-texts').textContent;

  // ---- The head ------------------------------------------------------------------------------------------------------

  const names = runs => [...new Set(runs.map(r => r.name))].join(', ');
  document.title = names(now.runs) + ' – profile';
  $('title').textContent = names(now.runs) + (isCompared ? ', compared with before' : '');
  $('facts').textContent = headText(data, wall, figures, facts, hasWaits);
  $('widths-label').hidden = !isCompared;
  $('average').hidden = isCompared;
  for (const e of $('legend').querySelectorAll('.kind, .compared')) e.hidden = e.className === 'compared' ? !isCompared : isCompared;
  const isRough = functions.some(f => f.range.exclusive || f.range.inclusive);
  $('rough').hidden = !isRough;
  $('rough').textContent = '~: may be off by more than 10 %' + (data.why ? ': ' + data.why : '') + '. ≤: at most this time, perhaps none. Point at a time for its range.';
  $('pale-key').hidden = isCompared || !tree.all.some(isUncertain);
  $('measure-label').hidden = figures.length === 0;
  for (const figure of FIGURES)
    if (!figures.includes(figure)) $('measure').querySelector('[value=' + figure + ']').remove();
  $('waits-label').hidden = !hasWaits && !hasAwaits;
  $('leaf-key').hidden = !hasLeaves || isCompared;
  fillTop();
  filterFunctions();
  if (functions.length > 0) selectFunction([...functions].sort((a, b) => (a.idle ? 1 : 0) - (b.idle ? 1 : 0) || taken(b) - taken(a))[0]);
  showState(stateOf(location.hash));
  document.documentElement.dataset.milliseconds = Math.round(performance.now());
  document.documentElement.dataset.ready = 'yes';
})();
