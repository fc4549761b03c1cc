// What ran in a range of the timeline, in the forms that the page's other views take.
'use strict';

/**
 * The range `from` to `to` of lanes (makeLanes), those of the profile before with `isBefore`: `functions` that ran in it, `of(f)`, each with
 * its calls and times there, `rows` the threads of both profiles, `tree(thread)` as of makeTree, `neighbours(f, isBefore)`, `threads(list)` with their figures there, `whole` time.
 * Times are those of the timeline, with waits; where it is sampled calls are null.
 */
function makeRange(lanes, functions, rows, from, to, isSampled, text) {
  const figures = Object.fromEntries(FIGURES.flatMap(figure => [[figure, null], ['all_' + figure, null]]));
  const rowOf = row => ({ calls: isSampled ? null : row.calls, steps: 0, exclusive: row.own, inclusive: row.total, average: isSampled ? null : row.calls ? row.total / row.calls : 0 });
  const none = { position: -1, calls: 0, own: 0, total: 0 }, made = new Map();
  const side = isBefore => new Map(rowsWithin(lanes.filter(lane => !lane.isBefore === !isBefore), from, to).map(row => [row.position, row]));
  const now = side(false), earlier = side(true);
  const ranged = f => Object.assign(Object.create(f), figures, { waiting: null, loop: 0, least: null, most: null, range: {}, by_exception: 0 }, rowOf(now.get(f.position) || none),
    { before: Object.assign(Object.create(f.before), figures, { waiting: null }, rowOf(earlier.get(f.position) || none)) });
  for (const position of new Set([...now.keys(), ...earlier.keys()])) if (position >= 0) made.set(position, ranged(functions[position]));
  const isNamed = (lane, t) => lane.run === t.run && lane.name === 'Thread ' + t.id + (t.name ? ' ' + t.name : '');
  // Threads that have ended may be one row.
  const isOf = (lane, t) => isNamed(lane, t) || (t.id === 0 && lane.run === t.run && !rows[lane.isBefore ? 1 : 0].some(other => isNamed(lane, other)));
  const lanesOf = t => (t ? lanes.filter(lane => (lane.isBefore ? t.was && isOf(lane, t.was) : isOf(lane, t))) : lanes);

  function tree(t) {
    const root = makeFrame('all', null, null);
    for (const lane of lanesOf(t)) addLane(root, lane);
    const all = finishTree(root);
    if (isSampled) for (const frame of all) frame.calls = frame.callsBefore = null;
    return { root, all };
  }

  function addLane(root, lane) {
    const frames = new Map(), own = lane.isBefore ? 'ownBefore' : 'own', calls = lane.isBefore ? 'callsBefore' : 'calls';
    for (const call of lane.calls) {
      if (call.end < from || call.start > to) continue;
      const f = functions[call.position] || null, above = frames.get(call.parent) || root, ns = Math.max(0, Math.min(call.end, to) - Math.max(call.start, from));
      const frame = childOf(above, f ? f.position : 'other', f ? f.name : '(methods that are not in this page)', f);
      frames.set(call, frame);
      frame[own] += ns;
      frame[calls]++;
      if (above !== root) above[own] = Math.max(0, above[own] - ns);
    }
  }

  let whole = null;
  function neighbours(f, isBefore) {
    whole = whole || tree();
    const callers = new Map(), callees = new Map(), first = new Set(outermost(whole, f)), total = isBefore ? 'totalBefore' : 'total', calls = isBefore ? 'callsBefore' : 'calls';
    const add = (to, frame, other, isFirst) => {
      const name = other.parent ? other.name : '(started by a thread)', entry = to.get(name) || { name, function: other.function, calls: isSampled ? null : 0, ns: 0 };
      to.set(name, entry);
      if (!isSampled) entry.calls += frame[calls];
      if (isFirst) entry.ns += frame[total];
    };
    for (const frame of whole.all) {
      if (frame.function !== f) continue;
      add(callers, frame, frame.parent, first.has(frame));
      for (const child of frame.children || []) add(callees, child, child, first.has(frame));
    }
    return { callers: [...callers.values()], callees: [...callees.values()] };
  }

  const sumsOf = list => {
    const sum = { calls: isSampled ? null : 0, ns: 0 };
    for (const { calls } of list)
      for (const call of calls) {
        if (call.end < from || call.start > to) continue;
        if (!isSampled) sum.calls++;
        if (!call.parent) sum.ns += Math.max(0, Math.min(call.end, to) - Math.max(call.start, from));
      }
    return sum;
  };
  const threads = list => list.map(t => {
    const of = lanesOf(t), there = { ...t, ...sumsOf(of.filter(lane => !lane.isBefore)) };
    return t.was ? { ...there, was: { ...t.was, ...sumsOf(of.filter(lane => lane.isBefore)) } } : there;
  }).filter(t => t.ns > 0 || (t.was && t.was.ns > 0));

  const sum = [...now.values()].reduce((all, row) => all + row.own, 0);
  return { from, to, text, isSampled, whole: sum, functions: [...made.values()], of: f => made.get(f.position) || ranged(f), tree, neighbours, threads };
}
