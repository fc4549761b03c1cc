// Calls that were seen with their values: as lines, as the text report has them, and in detail. Values are text, never markup.
'use strict';

/** The calls of a page's data, of both profiles where two are compared: `isBefore` says of which. */
function callsOf(data) {
  return [...data.calls.list, ...(data.earlier ? data.earlier.calls.list : [])];
}

/** The calls of a page: {method, run, thread, start, ns, …} and `line`. An argument is {name, before, after}; absent: not told. */
function makeCalls(data) {
  return data.list.map(c => {
    const method = data.methods[c.method];
    const made = c.arguments === undefined ? undefined : c.arguments.map((value, i) => {
      const [before, after] = Array.isArray(value) ? value : [value, null];
      return { name: method.parameters[i] || '#' + (i + 1), before, after };
    });
    const call = Object.assign({}, c, { method, arguments: made });
    call.line = callLine(call);
    return call;
  });
}

const argumentText = a => (a.before === null ? '' : a.before) + (a.after === null ? '' : (a.before === null ? '' : ' ') + '⇒ ' + a.after);

/** The line in about `most` characters: the longest values are cut, each to the same length. */
function shortCallLine(c, most) {
  const values = (c.arguments || []).flatMap(a => [a.before, a.after]).concat(c.result, c.this).filter(text => text !== undefined && text !== null);
  let room = most - (c.line.length - values.reduce((sum, text) => sum + text.length, 0)), left = values.length;
  if (c.line.length <= most) return c.line;
  for (const text of values.sort((a, b) => a.length - b.length)) {
    if (text.length * left > room) break;
    room -= text.length;
    left--;
  }
  const piece = Math.max(16, Math.floor(room / Math.max(left, 1)));
  const cut = text => (typeof text === 'string' && text.length > piece ? shortened(text, piece) + (text.endsWith('}') ? ' }' : '') : text);
  const made = c.arguments && c.arguments.map(a => ({ name: a.name, before: cut(a.before), after: cut(a.after) }));
  return callLine(Object.assign({}, c, { arguments: made, result: cut(c.result), this: cut(c.this) }));
}

function callLine(c) {
  let line = c.method.name;
  if (c.arguments !== undefined)
    line += '(' + c.arguments.map(a => (a.before === null && a.after === null ? a.name : a.name + ': ' + argumentText(a))).join(', ') + ')';
  if (c.result !== undefined) line += ' → ' + c.result;
  if (c.this !== undefined) line += ' this: ' + c.this;
  if (c.exception !== undefined) line += (c.cancelled ? ' was cancelled: ' : ' threw ') + c.exception;
  if (c.unended) line += ' has not ended';
  return line;
}

function shortened(text, most) { return text.length <= most ? text : text.slice(0, most) + '…'; }

/** Nanoseconds of "500 us", "1 ms", "2 s"; without a unit milliseconds. 0: nothing is asked for. Null: it is no time. */
function parseTime(text) {
  if (text.trim() === '') return 0;
  const found = /^\s*(\d+(?:\.\d+)?)\s*(ns|us|µs|ms|s)?\s*$/.exec(text);
  return found ? +found[1] * { ns: 1, us: 1e3, 'µs': 1e3, ms: 1e6, s: 1e9 }[found[2] || 'ms'] : null;
}

/** Everything that is known of a call. `element(name, text)` makes one. */
function callDetails(c, element) {
  const list = element('dl');
  const add = (name, value) => list.append(element('dt', name), element('dd', value));
  for (const a of c.arguments || []) add(a.name, argumentText(a));
  if (c.this !== undefined) add('this', c.this);
  if (c.result !== undefined) add('returned', c.result);
  if (c.exception !== undefined) add(c.cancelled ? 'was cancelled' : 'threw', c.exception);
  for (const [type, message, stack] of c.chain || []) {
    const dd = element('dd', type + (message ? ': ' + message : ''));
    if (stack) dd.append(element('pre', stack));
    list.append(element('dt', 'from'), dd);
  }
  add('called by', c.caller || '(not known)');
  add('method', c.method.signature + ', ' + show.count(c.method.seen) + ' calls');
  const first = c.synchronous === undefined ? '' : ' (synchronous: ' + show.time(c.synchronous) + ')';
  add(c.unended ? 'so far, not ended' : 'took', show.time(c.ns) + first + ', ' + show.time(c.start) + ' after the start, thread ' + c.thread);
  return list;
}

/** Fills the tab of calls, if there are any. `isOfSeveral`: their runs are shown. */
function showCallsWithValues(data, isOfSeveral, table, { element, time }) {
  const $ = id => document.getElementById(id), earlier = data.earlier ? makeCalls(data.earlier.calls).map(c => ({ ...c, isBefore: true })) : [];
  const calls = [...makeCalls(data.calls), ...earlier], rest = data.calls.left_out + (data.earlier ? data.earlier.calls.left_out : 0);
  if (calls.length === 0) return;
  const columns = [
    { title: 'Call', value: c => c.line, text: c => shortened(shortCallLine(c, 280), 500) },
    time('Took', c => c.ns, Math.max(...calls.map(c => c.ns))), time('At', c => c.start),
    { title: 'Thread', value: c => c.thread, text: c => String(c.thread) },
  ];
  if (data.earlier) columns.push({ title: 'Profile', value: c => (c.isBefore ? 0 : 1), text: c => (c.isBefore ? 'before' : 'now') });
  if (isOfSeveral) columns.push({ title: 'Run', value: c => c.run, text: c => String(c.run + 1) });
  let range = null; // of time, which begins with the first run
  const isWithin = c => {
    const runs = (c.isBefore ? data.before : data.profile).runs, start = c.start + runs[c.run].start_ns - Math.min(...runs.map(r => r.start_ns));
    return start <= range.to && start + c.ns >= range.from;
  };
  addEventListener('ranged', event => {
    range = event.detail;
    filterCalls();
  });
  const showCalls = table($('call-table'), columns, () => true, 1, c => callDetails(c, element));
  const methods = [...new Set(calls.map(c => c.method.signature))].sort();
  $('call-method').append(element('option', 'all', { value: '' }), ...methods.map(name => element('option', shortened(name, 100), { value: name })));
  const filterCalls = () => {
    const time = parseTime($('call-time').value), text = $('call-text').value.toLowerCase(), method = $('call-method').value, thrown = $('call-thrown').checked;
    $('call-time').setAttribute('aria-invalid', time === null);
    const rows = calls.filter(c => (time === null || c.ns >= time) && (range === null || isWithin(c)) && (!thrown || c.exception !== undefined) && (method === '' || c.method.signature === method) &&
      (text === '' || c.line.toLowerCase().includes(text)));
    $('call-matches').textContent = show.count(rows.length) + ' of ' + show.count(calls.length) + ' calls' + (time === null ? '; a time is written as 500 us, 1 ms or 2 s' : '') +
      (rest ? '; ' + show.count(rest) + ' faster ones are not in this page' : '');
    showCalls(rows);
  };
  for (const id of ['call-text', 'call-time', 'call-method', 'call-thrown']) $(id).addEventListener('input', filterCalls);
  $('call-thrown').parentElement.hidden = calls.every(c => c.exception === undefined);
  filterCalls();
}
