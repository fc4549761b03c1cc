// Calls as they ran: lanes of threads, and what ran in a range of time.
'use strict';

/**
 * The lanes of a page's timeline: {name, run, rows, calls}, without those that have no call. A call is {position, start, end,
 * depth, parent, isBelow}: `position` is its function's or -1, times are nanoseconds, `isBelow` says that its function stands
 * above it as well. `positions`: those in the page of the functions of the profile before, if it is that one's.
 */
function makeLanes(timeline, positions) {
  return timeline.lanes.filter(columns => columns.start.length > 0).map(columns => {
    const open = [], lane = { name: columns.name, run: columns.run, rows: 0, calls: [] };
    let start = 0;
    columns.start.forEach((step, i) => {
      start += step;
      const depth = columns.depth[i], at = columns.function[i], position = at < 0 || !positions ? at : positions[at];
      while (open.length > 0 && (open[open.length - 1].depth >= depth || open[open.length - 1].end < start)) open.pop();
      const call = { position, start, end: start + columns.ns[i], depth, parent: open[open.length - 1] || null, isBelow: open.some(c => c.position === position) };
      open.push(call);
      lane.calls.push(call);
      lane.rows = Math.max(lane.rows, depth + 1);
    });
    return lane;
  });
}

/**
 * A lane of the async calls that were captured, each from its start to its end, those at the same time below one another; null: there are
 * none. `calls` and `runs` as in the page's data, `functions` the page's.
 */
function makeSpans({ methods, list }, runs, functions) {
  const positions = new Map(functions.map(f => [f.name, f.position])), first = Math.min(...runs.map(r => r.start_ns)), ends = [];
  const spans = list.filter(c => c.synchronous !== undefined).map(c => {
    const start = runs[c.run].start_ns - first + c.start, position = positions.get(methods[c.method].signature);
    return { position: position === undefined ? -1 : position, start, end: start + c.ns, parent: null, isBelow: false };
  }).sort((a, b) => a.start - b.start);
  for (const span of spans) {
    span.depth = ends.findIndex(end => end <= span.start);
    if (span.depth < 0) span.depth = ends.length;
    ends[span.depth] = span.end;
  }
  return spans.length === 0 ? null : { name: 'Async calls, from start to end', run: 0, rows: ends.length, calls: spans, isSpans: true };
}

/** What ran between two times: {position, calls, own, total} of each function; own is without what it called. */
function rowsWithin(lanes, from, to) {
  const rows = new Map();
  for (const { calls } of lanes)
    for (const call of calls) {
      if (call.end < from || call.start > to) continue;
      const ns = Math.max(0, Math.min(call.end, to) - Math.max(call.start, from)), above = call.parent && rows.get(call.parent.position);
      const row = rows.get(call.position) || { position: call.position, calls: 0, own: 0, total: 0 };
      rows.set(call.position, row);
      row.calls++;
      row.own += ns;
      if (!call.isBelow) row.total += ns;
      if (above) above.own -= ns;
    }
  return [...rows.values()];
}

/** Times at which a ruler of that many pixels has its marks: round ones, of them as many as there is room for. */
function rulerMarks(from, to, width) {
  const least = (to - from) * 90 / Math.max(width, 90), power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= least), marks = [];
  for (let at = Math.ceil(from / step) * step; at <= to && marks.length < 100; at += step) marks.push(at);
  return marks;
}
