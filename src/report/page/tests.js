// The tests, and what else a framework calls: a row each.
'use strict';

/** Shows them by `table`, whose columns `pair` makes of figures. */
function showTests(tests, at, table, pair, { number, time }) {
  const longest = Math.max(...tests.map(t => t.duration)), has = what => tests.some(t => t[what] > 0 || (t.was && t.was[what] > 0));
  const requests = tests.every(t => t.kind === 'request' || t.kind === 'other');
  if (requests) document.getElementById('tab-tests').textContent = 'Requests';
  const columns = [
    { title: requests ? 'Request' : 'Test', value: t => t.name, text: t => t.name },
    { title: 'Kind', value: t => t.kind, text: t => t.kind },
    ...pair(number, 'Calls', 'calls'), ...pair(time, 'Duration', 'duration', longest || 1), ...pair(time, 'Inclusive', 'inclusive'),
    ...pair(time, 'Own', 'exclusive'),
  ];
  if (has('waiting')) columns.push(...pair(time, 'Waiting', 'waiting'));
  if (has('exceptions')) columns.push(...pair(number, 'Exceptions', 'exceptions'));
  if (has('bytes')) columns.push(...pair(number, 'Bytes', 'bytes'));
  table(at, columns, undefined, columns.findIndex(column => column.title === 'Duration'))(tests);
}
