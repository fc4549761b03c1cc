// What the page says of its runs.
'use strict';

/** Fills the list of runs, and what was switched off or left out in them. `element` makes one, `wall` is a time in seconds. */
function fillAbout({ profile: now, before, head, earlier }, element, wall) {
  const at = document.getElementById('runs');
  const runText = r => r.name + (r.pid ? ', process ' + r.pid : '') + (r.host ? ' on ' + r.host : '') + ', ' + wall(r.wall_ns) + ', ' +
    (r.start_ns ? new Date(r.start_ns / 1e6).toISOString().replace('T', ' ').slice(0, 19) + ' UTC, ' : '') + (r.runtime ? r.runtime + ', ' : '') + (r.clock ? 'clock ' + r.clock + ', ' : '') + 'written at ' + r.reason + ' (' + r.file + ')';
  const list = (title, runs) => {
    const ul = element('ul');
    ul.append(...runs.map(r => element('li', runText(r))));
    at.append(element('h3', title), ul);
  };
  list(before ? 'Now' : 'Runs', now.runs);
  if (before) list('Before', before.runs);
  if (now.switched) {
    const ul = element('ul'), by = s => s.off & 1 ? 'by the governor; its time is its callers’' : s.off ? 'by hand' : 'and is on again';
    ul.append(...[...now.switched].sort((a, b) => b.calls - a.calls)
      .map(s => element('li', s.name + ', ' + show.count(s.calls) + ' calls, at ' + wall(s.at_ns) + ' ' + by(s))));
    at.append(element('h3', 'Switched off while the program ran'), ul);
  }
  if (now.leftOut) {
    const ul = element('ul');
    ul.append(...now.leftOut.map(sentence => element('li', sentence)));
    at.append(element('h3', 'Left out for the price'), ul);
  }
  at.append(element('h3', earlier ? 'Conditions now' : 'Conditions'), element('pre', head.join('\n')));
  if (earlier) at.append(element('h3', 'Conditions before'), element('pre', earlier.head.join('\n')));
}

/** The line of the head: what was recorded, and in parentheses the same of the profile before. `facts` makes the words of a figure. */
function headText({ profile: now, before }, wall, figures, facts, hasWaits) {
  const counted = { ...facts, calls: n => times(n, 'call'), exclusive: n => show.time(n) + ' of work in instrumented code', waiting: n => show.time(n) + ' of waiting' };
  const words = what => counted[what](now.totals[what]) + (before ? ' (before ' + (what in facts && what !== 'pause' || what === 'calls' ? show.count : show.time)(before.totals[what]) + ')' : '');
  const longest = p => wall(Math.max(...p.runs.map(r => r.wall_ns))), threads = now.totals.threads;
  return [
    words('calls') + ' in ' + times(threads, 'thread') + (before ? ' (before ' + show.count(before.totals.threads) + ')' : ''),
    longest(now) + ' wall time' + (now.runs.length > 1 ? ' (the longest of ' + now.runs.length + ' runs)' : '') + (before ? ' (before ' + longest(before) + ')' : ''),
    ...(now.counted ? ['calls were only counted'] : now.unit === 'calls' ? ['no clock'] : [words('exclusive'), ...(hasWaits ? [words('waiting')] : [])]),
    ...figures.map(words),
  ].join(', ') +
    (now.switched ? '; ' + show.count(now.switched.length) + (now.switched.length === 1 ? ' method was' : ' methods were') + ' switched off meanwhile' : '') +
    (now.leftOut ? '; left out for the price: ' + now.leftOut[0] : '');
}
