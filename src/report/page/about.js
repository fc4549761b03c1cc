// What the page says of its runs.
'use strict';

/** Fills the list of runs, and what was switched off or left out in them. `element` makes one, `wall` is a time in seconds. */
function fillAbout({ profile: now, before }, element, wall) {
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
}
