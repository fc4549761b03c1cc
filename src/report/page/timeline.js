// The tab Timeline: lanes of threads on a canvas; what is in sight is the range that the table below is of.
'use strict';

(() => {
  const ROW = 17, NAME = 18, GAP = 8, RULER = 20, LETTER = 6.4, LEAST = 100; // pixels; nanoseconds
  const $ = id => document.getElementById(id);
  $('tab-threads').before($('tab-timeline'));
  document.querySelector('main').append($('timeline'));

  function make({ now, data: { profile, before, calls }, beforePositions, functions, table, number, time, pair, openFunction, selectFunction }) {
    const earlier = before && before.timeline ? makeLanes(before.timeline, beforePositions).map(lane => ({ ...lane, isBefore: true })) : [];
    const recorded = [profile, before].map(p => p && p.timeline).filter(Boolean), of = what => recorded.map(t => t[what]), isSampled = of('sampled').some(Boolean);
    const box = $('lanes'), inside = box.firstChild, canvas = inside.firstChild, threads = [...(profile.timeline ? makeLanes(profile.timeline) : []), ...earlier];
    const spans = makeSpans(calls, profile.runs, functions), lanes = spans ? [...threads, spans] : threads;
    const begin = Math.min(...lanes.map(lane => lane.calls[0].start)), end = Math.max(...of('end'), begin + LEAST);
    const names = functions.map(f => shortName(f.name)), isWaiting = f => (f.waiting || 0) > f.exclusive;
    const colors = functions.map(f => (f.part === 0 && isWaiting(f) ? WAITING : plainColor({ data: { frame: { name: f.name, function: f, parent: null } } }, () => false)));
    let from = begin, to = end, chosen = null, current = null, drag = null, waiting = 0, asked = 0, told = '', height = RULER;
    for (const lane of lanes) {
      lane.title = lane.name + (!lane.isSpans && (lane.isBefore ? before : now).runs.length > 1 ? ', run ' + (lane.run + 1) : '') + (lane.isBefore ? ', before' : '');
      lane.top = height;
      height += NAME + lane.rows * ROW + GAP;
    }
    inside.style.height = height + 'px';
    const clock = ns => show.duration(ns - begin);
    const nameOf = call => (call.position < 0 ? '(a method that is not in this page)' : functions[call.position].name);
    const laneOf = call => lanes.find(lane => lane.calls.includes(call));
    const x = (at, width) => (at - from) / (to - from) * width;

    // ---- Drawing ----

    function draw() {
      asked = 0;
      const width = box.clientWidth, tall = box.clientHeight, scale = devicePixelRatio || 1;
      if (width <= 0 || tall <= 0) return;
      const g = canvas.getContext('2d');
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(tall * scale);
      canvas.style.width = width + 'px';
      canvas.style.height = tall + 'px';
      g.setTransform(scale, 0, 0, scale, 0, 0);
      paint(g, width, tall);
    }

    /** Draws what is in sight, on the canvas or on a sheet (makeSheet). */
    function paint(g, width, tall) {
      const style = getComputedStyle(document.documentElement), color = name => style.getPropertyValue('--' + name).trim();
      g.fillStyle = color('soft');
      g.fillRect(0, 0, width, tall);
      g.font = '12px system-ui, sans-serif';
      g.textBaseline = 'middle';
      const marks = rulerMarks(from - begin, to - begin, width).map(at => [x(at + begin, width), show.duration(at)]);
      g.fillStyle = color('line');
      for (const [at] of marks) g.fillRect(at, 0, 1, tall);
      for (const lane of lanes) drawLane(g, lane, width, tall, color);
      g.fillStyle = color('back');
      g.fillRect(0, 0, width, RULER);
      g.fillStyle = color('dim');
      for (const [at, text] of marks) g.fillText(text, at + 3, RULER / 2);
      if (drag && drag.to !== drag.from && !drag.moves) {
        g.globalAlpha = 0.25;
        g.fillStyle = color('accent');
        g.fillRect(Math.min(drag.from, drag.to), 0, Math.abs(drag.to - drag.from), tall);
        g.globalAlpha = 1;
      }
    }

    function drawLane(g, lane, width, tall, color) {
      const top = lane.top - box.scrollTop, drawn = new Float64Array(lane.rows).fill(-1);
      if (top > tall || top + NAME + lane.rows * ROW < 0) return;
      g.fillStyle = color('text');
      g.fillText(lane.title, 4, top + NAME / 2);
      for (const call of lane.calls) {
        const y = top + NAME + call.depth * ROW, right = Math.min(x(call.end, width), width + 2);
        if (call.end < from || call.start > to || y > tall || y < RULER - ROW || (right <= drawn[call.depth] && call !== current)) continue;
        const left = Math.max(x(call.start, width), -2), wide = Math.max(right - left - (right - left > 3 ? 1 : 0), 0.8), f = functions[call.position];
        drawn[call.depth] = Math.max(left + 0.8, right);
        g.fillStyle = f ? colors[call.position] : WAITING;
        g.globalAlpha = searched.text === '' || (f && isFound(f.name)) ? 1 : 0.25;
        g.fillRect(left, y, wide, ROW - 1);
        if (f && f.collections > 0) {
          g.fillStyle = '#b3261e';
          g.fillRect(left, y + ROW - 4, wide, 3);
        }
        if (wide > 3 * LETTER) {
          const at = Math.max(left, 0) + 3, room = Math.floor((left + wide - at) / LETTER), name = f ? names[call.position] : '…';
          g.fillStyle = g.globalAlpha < 1 ? color('text') : '#16181b';
          g.globalAlpha = g.globalAlpha < 1 ? 0.5 : 1;
          if (room > 2) g.fillText(name.length > room ? name.slice(0, room - 1) + '…' : name, at, y + ROW / 2);
        }
        if (call === current || (f && f === chosen)) {
          g.strokeStyle = call === current ? color('text') : color('accent');
          g.lineWidth = 2;
          g.strokeRect(left + 1, y + 1, Math.max(wide - 2, 0.5), ROW - 3);
        }
        g.globalAlpha = 1;
      }
    }

    const redraw = () => { asked = asked || requestAnimationFrame(draw); };

    // ---- The range ----

    const columns = [
      { title: 'Function', value: row => row.name, text: row => row.name },
      ...(isSampled ? [] : pair(number, 'Calls', 'calls')), ...pair(time, 'Own', 'own', 1), { title: 'Own %', value: row => row.own, text: row => show.percent(row.own, row.whole) },
      ...pair(time, 'With callees', 'total'),
    ];
    const own = columns.findIndex(column => column.title === 'Own');
    columns[own].part = row => row.own / row.whole;
    const showRows = table($('range-table'), columns, (row, isAsked) => (isAsked ? row.f !== undefined : openFunction(row.f)), own);

    /** Shows the table of what is in sight, and keeps the range in the address, so that a link shows it again. */
    function settle() {
      waiting = 0;
      const within = isBefore => rowsWithin(threads.filter(lane => !lane.isBefore === !isBefore), from, to);
      const rows = before ? matchRows(within(false), within(true), row => row.position) : within(false), whole = rows.reduce((sum, row) => sum + row.own, 0) || 1;
      showRows(rows.map(row => Object.assign(row, { position: row.was ? row.was.position : row.position })).map(row => Object.assign(row, { f: functions[row.position], name: nameOf(row), whole })));
      const isWhole = from === begin && to === end;
      $('timeline-range').textContent = isWhole ? 'the whole run, ' + show.duration(end - begin) : clock(from) + ' to ' + clock(to) + ', ' + show.duration(to - from) + ' of ' + show.duration(end - begin);
      const range = isWhole ? '' : from + ' ' + to;
      if (range !== told) {
        told = range;
        dispatchEvent(new CustomEvent('ranged', { detail: isWhole ? null : makeRange(threads, functions, [profile.threads, before ? before.threads : []], from, to, isSampled, $('timeline-range').textContent) }));
      }
      if ($('timeline').hidden) return;
      const state = Object.assign(stateOf(location.hash), { view: 'timeline', from: isWhole ? '' : Math.round(from), to: isWhole ? '' : Math.round(to) });
      if (fragmentOf(state) !== location.hash) history.replaceState(null, '', fragmentOf(state));
    }

    function go(first, last) {
      const span = Math.min(Math.max(last - first, LEAST), end - begin);
      from = Math.min(Math.max(first, begin), end - span);
      to = from + span;
      redraw();
      clearTimeout(waiting);
      waiting = setTimeout(settle, 120);
    }
    const move = part => go(from + part * (to - from), to + part * (to - from));
    const zoom = (factor, at) => go(at - (at - from) * factor, at + (to - at) * factor);
    const middle = () => (current && current.end >= from && current.start <= to ? (Math.max(current.start, from) + Math.min(current.end, to)) / 2 : (from + to) / 2);
    const whole = () => go(begin, end);

    function restore() {
      const state = stateOf(location.hash);
      if (+state.to > +state.from) go(+state.from, +state.to);
      else if (from !== begin || to !== end) whole();
      else return;
      clearTimeout(waiting);
      settle();
    }

    // ---- Calls ----

    const describe = call => {
      if (laneOf(call).isSpans) return nameOf(call) + ': ' + show.duration(call.end - call.start) + ' from its start to its end, awaits included, at ' + clock(call.start);
      const f = functions[call.position], inner = laneOf(call).calls.reduce((sum, c) => sum + (c.parent === call ? c.end - c.start : 0), 0);
      return nameOf(call) + ': ' + show.duration(call.end - call.start) + ', own ' + show.duration(call.end - call.start - inner) + ', at ' + clock(call.start) + ', ' + laneOf(call).title +
        (f && isWaiting(f) ? '; its own code waited ' + show.duration(f.waiting) + ' in ' + times(f.calls, 'call') : '') + (f && f.collections > 0 ? '; ' + times(f.collections, 'collection') + ' in ' + times(f.calls, 'call') : '');
    };

    function tell(call) { $('timeline-details').textContent = call ? describe(call) : 'With an edge: calls of ' + chosen.name; }

    /** Makes a call the one that the keyboard acts on, and brings it into sight. */
    function mark(call) {
      const lane = laneOf(call), y = lane.top + NAME + call.depth * ROW;
      current = call;
      if (y - box.scrollTop < RULER + NAME) box.scrollTop = y - RULER - NAME;
      if (y + ROW - box.scrollTop > box.clientHeight) box.scrollTop = y + ROW - box.clientHeight;
      if (call.end < from || call.start > to) go((call.start + call.end - to + from) / 2, (call.start + call.end + to - from) / 2);
      tell(call);
      redraw();
    }

    function chooseCall(call) {
      const f = functions[call.position];
      mark(call);
      if (f === undefined) return;
      selectFunction(f);
      history.replaceState(null, '', fragmentOf(Object.assign(stateOf(location.hash), { view: 'timeline', method: f.name })));
    }

    /** The call at a place of the canvas, or one that is so short that it stands beside it. */
    function callAt(px, py) {
      const y = py + box.scrollTop, lane = lanes.find(l => y >= l.top + NAME && y < l.top + NAME + l.rows * ROW), near = 3 * (to - from) / box.clientWidth;
      if (!lane || py < RULER) return null;
      const depth = Math.floor((y - lane.top - NAME) / ROW), at = from + px / box.clientWidth * (to - from), off = c => Math.max(c.start - at, at - c.end, 0);
      return lane.calls.reduce((best, c) => (c.depth === depth && off(c) <= near && (best === null || off(c) < off(best)) ? c : best), null);
    }

    // ---- Mouse and fingers ----

    const place = event => {
      const edge = canvas.getBoundingClientRect();
      return [event.clientX - edge.left, event.clientY - edge.top];
    };
    canvas.addEventListener('pointerdown', event => {
      if (event.button !== 0) return;
      const [at] = place(event);
      drag = { from: at, to: at, first: from, last: to, moves: event.shiftKey || event.pointerType === 'touch' };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      const [at, y] = place(event);
      if (!drag) {
        if (event.movementX || event.movementY) tell(callAt(at, y) || current); // not what moved below a mouse at rest
        return;
      }
      drag.to = at;
      if (drag.moves) {
        const by = (drag.from - at) / box.clientWidth * (drag.last - drag.first);
        go(drag.first + by, drag.last + by);
      } else redraw();
    });
    canvas.addEventListener('pointerup', event => {
      if (!drag) return;
      const { from: first, to: last, moves } = drag, [, y] = place(event), at = px => from + px / box.clientWidth * (to - from), call = callAt(first, y);
      drag = null;
      if (Math.abs(last - first) < 4) {
        if (call) chooseCall(call);
      } else if (!moves) go(at(Math.min(first, last)), at(Math.max(first, last)));
      redraw();
    });
    canvas.addEventListener('pointercancel', () => { drag = null; });
    canvas.addEventListener('pointerleave', () => tell(current));
    box.addEventListener('wheel', event => {
      const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (event.ctrlKey || event.metaKey) zoom(2 ** (Math.sign(event.deltaY) * Math.min(Math.abs(event.deltaY), 100) / 150), from + place(event)[0] / box.clientWidth * (to - from));
      else if (isSideways) move((event.deltaX || event.deltaY) / box.clientWidth);
      else return;
      event.preventDefault();
    }, { passive: false });
    box.addEventListener('scroll', redraw);

    // ---- Keys and buttons ----

    box.addEventListener('keydown', event => {
      const lane = current ? laneOf(current) : lanes[0], inSight = l => l.calls.find(c => c.end >= from && c.start <= to) || l.calls[0];
      const beside = step => {
        const row = lane.calls.filter(c => c.depth === current.depth);
        return row[row.indexOf(current) + step];
      };
      const goes = {
        ArrowUp: () => current.parent, ArrowDown: () => lane.calls.find(c => c.parent === current), ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
        PageDown: () => inSight(lanes[Math.min(lanes.indexOf(lane) + 1, lanes.length - 1)]), PageUp: () => inSight(lanes[Math.max(lanes.indexOf(lane) - 1, 0)]),
      };
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.shiftKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) move(event.key === 'ArrowLeft' ? -0.25 : 0.25);
      else if (event.key in goes) mark(current === null ? inSight(lanes[0]) : goes[event.key]() || current);
      else if (event.key === 'Enter' && current) {
        chooseCall(current);
        go(current.start - (current.end - current.start) / 20, current.end + (current.end - current.start) / 20);
      } else if (event.key === '+' || event.key === '=') zoom(0.5, middle());
      else if (event.key === '-') zoom(2, middle());
      else if (event.key === 'Escape') whole();
      else return;
      event.preventDefault();
    });
    $('timeline-in').addEventListener('click', () => zoom(0.5, middle()));
    $('timeline-out').addEventListener('click', () => zoom(2, middle()));
    $('timeline-whole').addEventListener('click', whole);
    $('timeline-open').addEventListener('click', () => openFunction(chosen));
    new ResizeObserver(() => {
      redraw();
      settle();
    }).observe(box);
    $('theme').addEventListener('click', redraw);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
    addEventListener('hashchange', restore);

    const rest = of('left_out').reduce((a, b) => a + b), least = Math.max(...of('least')), overwritten = of('overwritten').reduce((a, b) => a + b);
    $('timeline-cut').textContent = (isSampled ? 'Sampled: seen at ticks of the clock, so that short calls are not here, and what looks like one call may be several; the setting timeline=1 has each call. '
      : 'Times are as recorded, with what recording took. ') +
      (rest ? show.count(rest) + ' more calls, of at most ' + show.duration(least) + ' each, are not in this page: their time is their callers’. ' : '') +
      (overwritten ? show.count(overwritten) + (isSampled ? ' earlier samples' : ' earlier calls') + ' were not kept by the program' + (isSampled ? '.' : ' (setting events).') : '');
    $('timeline-waits').hidden = !functions.some(f => f.part === 0 && isWaiting(f));
    $('timeline-collections').hidden = !functions.some(f => f.collections > 0);
    addEventListener('unranged', () => {
      whole();
      clearTimeout(waiting);
      settle();
    });
    addEventListener('searched', redraw);
    choosesRange.add('timeline');
    pictures.timeline = () => {
      const sheet = makeSheet();
      paint(sheet, box.clientWidth, box.clientHeight);
      return { inside: sheet.parts.join('\n'), width: box.clientWidth, height: box.clientHeight };
    };
    return {
      restore,
      choose: f => {
        chosen = f;
        tell(current && functions[current.position] === f ? current : null);
        redraw();
      },
    };
  }

  let made = null;
  addEventListener('chosen', ({ detail: { f, page } }) => {
    const isNew = made === null;
    made = made || make(page);
    made.choose(f);
    if (isNew) made.restore();
  });
})();
