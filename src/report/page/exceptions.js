// Exceptions as the page names them.
'use strict';

const ENDS = [
  ['caught, where was not kept', 'caught by '], ['caught in code not instrumented', 'caught in code not instrumented, below '],
  ['left all instrumented code', 'left all instrumented code from '], ['replaced in finally', 'replaced in finally of '], ['stored in a task', 'stored in the task of '],
  ['still on its way', 'still on its way in '],
  ['passed on to a task', 'passed on by await to the task of '], ['passed on by await, caught', 'passed on by await, caught by '],
  ['passed on by await, left all instrumented code', 'passed on by await, left all instrumented code from '],
  ['held by finally that awaits', 'held by a finally block that awaits, of '],
  ['ended in an unknown way', 'ended in an unknown way in '],
];

function exceptionLabel(n) {
  const times = n.least === n.most ? show.count(n.most) : show.count(n.least) + ' to ' + show.count(n.most);
  switch (n.kind) {
    case 'type': return n.name || '(type not known)';
    case 'end': return n.name ? ENDS[n.outcome][1] + n.name : ENDS[n.outcome][0];
    case 'frame': return 'through ' + n.name + (n.most > 1 ? ' × ' + times : '');
    case 'gap': return 'through ' + times + ' more frames';
    default: return 'first seen here';
  }
}

/** The tree of types, ends, frames and throwers; a node's children follow it, one level deeper. */
function exceptionTree(list, at, element) {
  const open = [at];
  list.forEach((n, i) => {
    const next = list[i + 1], label = exceptionLabel(n), figures = ' ' + times(n.count, 'time') + ', ' + show.time(n.count ? n.ns / n.count : 0) + (n.count > 1 ? ' each' : '') + (n.was ? '; before ' + times(n.was.count, 'time') + (n.was.count ? ', ' + show.time(n.was.ns / n.was.count) : '') : '');
    const isInner = next !== undefined && next.depth > n.depth, e = element(isInner ? 'details' : 'div');
    const line = isInner ? element('summary', label) : e;
    if (isInner) {
      e.append(line);
      if (n.depth === 0) e.open = true;
    } else {
      e.className = 'leaf';
      e.textContent = label;
    }
    line.append(element('span', figures, { class: 'figures' }));
    open[n.depth].append(e);
    for (const message of n.messages) (isInner ? e : open[n.depth]).append(element('div', '“' + message + '”', { class: 'message' }));
    open[n.depth + 1] = e;
  });
}
