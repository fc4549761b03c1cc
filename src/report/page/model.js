// The profile as the page holds it: functions, and call trees made of the nodes of the threads that are asked for.
'use strict';

/** The data of the element #profile: JSON, or base64 of its deflated bytes (page/pack.h). Nothing is fetched. */
async function dataOf(element) {
  if (element.type === 'application/json') return JSON.parse(element.textContent);
  if (typeof DecompressionStream === 'undefined') throw new Error('This page needs Chrome 80, Firefox 113, Safari 16.4, or a later one.');
  const text = atob(element.textContent), packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'))).json();
}

/** Figures for people. Where no time was measured, `show.time` is given calls. */
const show = {
  unit: 'ns',
  count(n) { return Math.round(n).toLocaleString('en-US'); },
  few(n) { return n < 10 && n % 1 !== 0 ? n.toFixed(1) : show.count(n); },
  time(ns) { return show.unit === 'calls' ? show.count(ns) : show.duration(ns); },
  duration(ns) {
    const units = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']];
    for (const [size, name] of units)
      if (Math.abs(ns) >= size * 0.9995) {
        const value = ns / size, digits = Math.abs(value) < 9.995 ? 2 : Math.abs(value) < 99.95 ? 1 : 0;
        return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits }) + ' ' + name;
      }
    return show.count(ns) + ' ns';
  },
  percent(part, whole) { return whole > 0 ? (100 * part / whole).toFixed(1) + ' %' : ''; },
  change(now, before) {
    if (before === now) return '0 %';
    if (before === 0) return 'new';
    if (now === 0) return 'gone';
    const change = 100 * (now - before) / before;
    return (change > 0 ? '+' : '') + change.toFixed(Math.abs(change) < 10 ? 1 : 0) + ' %';
  },
};

/** A count of things; null: they were not counted. */
const times = (n, one) => (n === null ? one + 's not counted' : show.count(n) + ' ' + one + (n === 1 ? '' : 's'));

/** A name without its namespace and parameters, for where there is little room: Type.Method. */
function shortName(name) {
  const end = name.indexOf('('), head = end > 0 ? name.slice(0, end) : name;
  let depth = 0, dots = 0;
  for (let i = head.length - 1; i > 0; i--) {
    if (head[i] === '>') depth++;
    if (head[i] === '<') depth--;
    if (head[i] === '.' && depth === 0 && ++dots === 2) return head.slice(i + 1);
  }
  return head;
}

// These may be counted beside calls and times; a pause is nanoseconds.
const FIGURES = ['bytes', 'objects', 'collections', 'pause'];

/**
 * All functions: those of the profile at their positions, then those that only the profile before has. A function is
 * {name, calls, exclusive, inclusive, part, …}: `part` is 0 for a method, of a leaf 1 + the place of what it is about in the profile's parts;
 * `before`, its calls and times in the profile before, and `range`: of an
 * uncertain time, exclusive, inclusive or average, its {low, high} ends.
 */
function makeFunctions(profile, before) {
  /** What it waited while others worked is no part of its times; it has called what did once on each thread. */
  const leaveOutLoop = (f, waited) => {
    const less = (of, key, by) => { if (of && of[key] !== null) of[key] = Math.max(0, of[key] - by); };
    f.loop = waited;
    less(f, 'inclusive', waited);
    less(f, 'average', waited / f.calls);
    for (const end of ['low', 'high']) less(f.range.inclusive, end, waited), less(f.range.average, end, waited / f.calls);
    for (const key of f.calls === 1 ? ['least', 'most'] : []) less(f, key, waited);
  };
  const functions = [], byName = new Map();
  const nothing = () => ({ calls: 0, exclusive: 0, inclusive: 0, waiting: 0, ...Object.fromEntries(FIGURES.flatMap(figure => [[figure, 0], ['all_' + figure, 0]])) });
  const at = (columns, i) => {
    const f = { name: columns.name[i], range: {}, part: columns.part ? columns.part[i] : 0 };
    for (const figure of FIGURES) if (columns[figure]) f[figure] = columns[figure][i], f['all_' + figure] = columns['all_' + figure][i];
    for (const column of ['calls', 'steps', 'exclusive', 'inclusive', 'average', 'waiting', 'least', 'most', 'by_exception'])
      f[column] = columns[column][i];
    return f;
  };
  profile.functions.name.forEach((name, i) => {
    const f = at(profile.functions, i);
    f.before = nothing();
    f.position = i;
    functions.push(f);
    if (!byName.has(name)) byName.set(name, f);
  });
  for (const i of profile.functions.idle) functions[i].idle = true;
  for (const i of profile.functions.helpers) functions[i].helper = true;
  for (const [time, list] of Object.entries(profile.functions.ranges))
    for (let i = 0; i < list.length; i += 3) functions[list[i]].range[time] = { low: list[i + 1], high: list[i + 2] };
  for (let i = 0, list = profile.functions.loops; i < list.length; i += 2) leaveOutLoop(functions[list[i]], list[i + 1]);
  const positions = [];
  if (before)
    before.functions.name.forEach((name, i) => {
      const was = at(before.functions, i);
      let f = byName.get(name);
      if (!f) {
        f = Object.assign(nothing(), { name, steps: 0, range: {}, part: was.part, least: null, most: null, by_exception: 0, before: nothing(), position: functions.length });
        functions.push(f);
        byName.set(name, f);
      }
      positions[i] = f.position;
      for (const column in was) if (typeof was[column] === 'number' && column !== 'part') f.before[column] = (f.before[column] || 0) + (column === 'calls' ? was.calls || was.steps || 0 : was[column]);
    });
  return { functions, beforePositions: positions };
}

// The kinds of a profile's nodes.
const KIND_RESUMED = 1, KIND_THREAD = 2, KIND_FOLDED = 3, KIND_DEEP = 4, KIND_ROOT = 5, KIND_WAITING = 6;

function makeFrame(name, f, parent) {
  return { name, function: f, parent, own: 0, ownBefore: 0, calls: 0, callsBefore: 0, total: 0, totalBefore: 0, less: 0, more: 0, depth: parent ? parent.depth + 1 : 0, byKey: new Map(), children: undefined };
}

function childOf(frame, key, name, f) {
  let child = frame.byKey.get(key);
  if (!child) {
    child = makeFrame(name, f, frame);
    frame.byKey.set(key, child);
  }
  return child;
}

/**
 * Adds the nodes of one profile to a tree; those of one thread alone if `thread` is the node of one; waits if they are asked for. A path that only
 * waits is one of these. A frame's own is what `nodes` has under the name `measure`: exclusive, or one of FIGURES.
 */
function addNodes(root, nodes, functions, positions, thread, hasWaits, measure, isBefore) {
  const weights = nodes[measure], rests = measure === 'exclusive' ? nodes.left_out_weight : nodes['left_out_' + measure], count = nodes.kind.length, frames = new Array(count), own = isBefore ? 'ownBefore' : 'own', calls = isBefore ? 'callsBefore' : 'calls', idle = new Set(hasWaits ? nodes.idle : []), folds = new Set();
  for (let i = 0; i < count; i++) {
    const kind = nodes.kind[i], parent = kind === KIND_ROOT ? null : frames[i - nodes.up[i]];
    let frame;
    if (kind === KIND_ROOT) frame = root;
    else if (parent === undefined) continue;
    else if (kind === KIND_THREAD) {
      if (thread >= 0 && i !== thread) continue;
      frame = root;
    } else if (idle.has(i) || folds.has(parent)) {
      frame = folds.has(parent) ? parent : childOf(parent, 'idle', '(waiting)', null);
      folds.add(frame);
    } else if (kind === KIND_WAITING) {
      if (!hasWaits) continue;
      frame = childOf(parent, 'waiting', '(waiting)', null);
    } else if (kind === KIND_FOLDED) frame = childOf(parent, 'folded', '(folded calls)', null);
    else if (kind === KIND_DEEP) frame = childOf(parent, 'deep', '(deeper calls)', null);
    else {
      const position = positions ? positions[nodes.function[i]] : nodes.function[i], f = functions[position];
      frame = kind === KIND_RESUMED ? childOf(parent, 'resumed' + position, f.name + ' (resumed)', f) : childOf(parent, position, f.name, f);
    }
    frames[i] = frame;
    frame[own] += weights[i];
    if (frame !== root && !folds.has(frame)) frame[calls] += nodes.calls[i];
  }
  if (!isBefore)
    for (let i = 0; i < nodes.ranges.length; i += 3) {
      const frame = frames[nodes.ranges[i]];
      if (frame === undefined) continue;
      frame.less += nodes.ranges[i + 1];
      frame.more += nodes.ranges[i + 2];
    }
  if (hasWaits)
    nodes.awaiting_at.forEach((at, i) => {
      if (frames[at] !== undefined) childOf(frames[at], 'awaiting', '(awaiting)', null)[own] += nodes.awaiting_ns[i];
    });
  let leftOut = 0;
  nodes.left_out_at.forEach((step, i) => {
    const frame = frames[leftOut += step];
    if (frame === undefined) return;
    const rest = childOf(frame, 'rest', '(smaller calls)', null);
    rest[own] += rests[i];
    rest[calls] += nodes.left_out_calls[i];
  });
}

/** Whether the time of a frame may be less than half of what it may be at most. */
function isOpen(frame) {
  return frame.less + frame.more > 0 && 2 * (frame.total - frame.less) < frame.total + frame.more;
}

/** Ends a tree: children as lists, largest first, and totals. Frames come after their parents in the list it returns. */
function finishTree(root) {
  const all = [root];
  for (let i = 0; i < all.length; i++) for (const child of all[i].byKey.values()) all.push(child);
  for (let i = all.length - 1; i >= 0; i--) {
    const frame = all[i];
    frame.total += frame.own;
    frame.totalBefore += frame.ownBefore;
    if (frame.byKey.size > 0) {
      frame.children = [...frame.byKey.values()].sort((a, b) => b.total - a.total || b.totalBefore - a.totalBefore);
    }
    frame.byKey = null;
    if (frame.parent) {
      frame.parent.total += frame.total;
      frame.parent.totalBefore += frame.totalBefore;
    }
  }
  return all;
}

/**
 * Where the time of a frame and all below it went: {part, own, calls} for each part that has any. Part 0 is work of the
 * methods, -1 is waiting and awaiting of theirs; those of a leaf are of its part. Calls are those of leaves alone.
 */
function partsOf(frame) {
  const sums = new Map(), open = [[frame, frame.parent && frame.parent.function ? frame.parent.function.part : 0]];
  while (open.length > 0) {
    const [at, above] = open.pop(), isWait = at.function === null && /^\(a?waiting\)$/.test(at.name);
    const part = at.function ? at.function.part : isWait && above === 0 ? -1 : above;
    const sum = sums.get(part) || { part, own: 0, calls: 0 };
    sum.own += at.own;
    if (part > 0 && at.function) sum.calls += at.calls;
    sums.set(part, sum);
    for (const child of at.children || []) open.push([child, part]);
  }
  return [...sums.values()].filter(sum => sum.own > 0 || sum.calls > 0).sort((a, b) => b.own - a.own);
}

/** The call tree of all threads, or of one (of the profile before that one is `threadBefore`), with their waits if `hasWaits`, by time or by a figure (`measure`). `now` and `before` as in the page's data; before may be absent. */
function makeTree(now, before, functions, beforePositions, thread, hasWaits, measure, threadBefore) {
  const root = makeFrame('all', null, null);
  addNodes(root, now.nodes, functions, null, thread, hasWaits, measure, false);
  if (before && (thread < 0 || threadBefore !== undefined)) addNodes(root, before.nodes, functions, beforePositions, thread < 0 ? -1 : threadBefore, hasWaits, measure, true);
  return { root, all: finishTree(root) };
}

/**
 * Who calls the function at this position and whom it calls (edges.h): {name, function, calls, ns} each; function null: a thread.
 * `positions`: those in the page of the functions of the edges' profile, if it is the one before.
 */
function neighbours(edges, functions, position, positions) {
  const callers = new Map(), callees = new Map(), placed = at => (at < 0 || !positions ? at : positions[at]);
  const add = (to, at, i, ns) => {
    const entry = to.get(at) || { name: at < 0 ? '(started by a thread)' : functions[at].name, function: at < 0 ? null : functions[at], calls: 0, ns: 0 };
    to.set(at, entry);
    entry.calls += edges.calls[i];
    entry.ns += ns;
  };
  for (let i = 0, caller = -1; i < edges.caller.length; i++) {
    caller += edges.caller[i];
    if (placed(edges.callee[i]) === position) add(callers, placed(caller), i, edges.called[i]);
    if (placed(caller) === position) add(callees, placed(edges.callee[i]), i, edges.called[i] + edges.calling[i]);
  }
  return { callers: [...callers.values()], callees: [...callees.values()] };
}

/** The frames of a function that stand below no other one of it: their times add up to its inclusive one. */
function outermost(tree, f) {
  const isBelow = frame => {
    for (let at = frame.parent; at; at = at.parent) if (at.function === f) return true;
    return false;
  };
  return tree.all.filter(frame => frame.function === f && !isBelow(frame));
}

/** All that calls a function, as a tree whose root it is: a caller's width is the function's time below it. */
function callerTree(tree, f) {
  const root = makeFrame(f.name, f, null);
  for (const frame of outermost(tree, f)) {
    let at = root;
    at.calls += frame.calls;
    for (let above = frame.parent; above && above.parent; above = above.parent) {
      at = childOf(at, above.function ? above.function.position : above.name, above.name, above.function);
      at.calls += frame.calls;
    }
    at.own += frame.total;
    at.ownBefore += frame.totalBefore;
  }
  return { root, all: finishTree(root) };
}

/** All that a function calls, of all places where it stands, as a tree whose root it is. */
function calleeTree(tree, f) {
  const root = makeFrame(f.name, f, null), open = outermost(tree, f).map(frame => [frame, root]);
  while (open.length > 0) {
    const [from, to] = open.pop();
    for (const what of ['own', 'ownBefore', 'calls', 'callsBefore', 'less', 'more']) to[what] += from[what];
    for (const child of from.children || []) open.push([child, childOf(to, child.function ? child.function.position : child.name, child.name, child.function)]);
  }
  return { root, all: finishTree(root) };
}
