// The tests, and what else a framework calls: a row each.
'use strict';

/** Shows them by `table`, whose columns `number` and `time` make; the tab is hidden where there are none. */
function showTests(tests, at, table, { number, time }) {
  const longest = Math.max(...tests.map(t => t.duration)), has = what => tests.some(t => t[what] > 0);
  const columns = [
    { title: 'Test', value: t => t.name, text: t => t.name },
    { title: 'Kind', value: t => t.kind, text: t => t.kind },
    number('Calls', t => t.calls), time('Duration', t => t.duration, longest || 1), time('Inclusive', t => t.inclusive),
    time('Own', t => t.exclusive),
  ];
  if (has('waiting')) columns.push(time('Waiting', t => t.waiting));
  if (has('exceptions')) columns.push(number('Exceptions', t => t.exceptions));
  if (has('bytes')) columns.push(number('Bytes', t => t.bytes));
  table(at, columns, undefined, 3)(tests);
}
