// Two profiles: what stands in the one before beside what stands in the one now.
'use strict';

/**
 * The rows of now, each with `was`, the row of `earlier` with the same key, or null; then those that are in `earlier` alone, as rows
 * whose figures are 0. Where a key stands several times, rows are matched in their order.
 */
function matchRows(rows, earlier, keyOf) {
  const waiting = new Map();
  for (const row of earlier) waiting.set(keyOf(row), [...(waiting.get(keyOf(row)) || []), row]);
  const matched = rows.map(row => Object.assign(row, { was: (waiting.get(keyOf(row)) || []).shift() || null }));
  const gone = [...waiting.values()].flat().map(was => {
    const figures = Object.entries(was).filter(([, value]) => typeof value === 'number').map(([key]) => [key, 0]);
    return { ...was, ...Object.fromEntries(figures), was, isGone: true };
  });
  return [...matched, ...gone];
}

/** The trees of exceptions of both profiles as one: each node with `was`, its {count, ns} before. */
function matchExceptions(now, before) {
  const tree = list => {
    const root = { below: [] }, open = [root];
    for (const n of list) {
      const made = { n, below: [] };
      open[n.depth].below.push(made);
      open[n.depth + 1] = made;
    }
    return root.below;
  };
  const keyOf = ({ n }) => [n.kind, n.name || '', n.outcome === undefined ? '' : n.outcome].join('\n'), rows = [];
  const walk = (nodes, earlier) => {
    const left = [...earlier];
    for (const { n, below } of nodes) {
      const at = left.findIndex(e => keyOf(e) === keyOf({ n })), found = at < 0 ? null : left.splice(at, 1)[0];
      rows.push({ ...n, was: found ? found.n : { count: 0, ns: 0 } });
      walk(below, found ? found.below : []);
    }
    for (const { n, below } of left) {
      rows.push({ ...n, count: 0, ns: 0, messages: [], was: n });
      walk([], below);
    }
  };
  walk(tree(now), tree(before));
  return rows;
}

/** The threads of both, by name, or by number where they have none. */
function matchThreads(now, before) {
  return matchRows(now, before, t => t.name || (t.count > 1 || t.id === 0 ? 'ended' : t.id));
}
