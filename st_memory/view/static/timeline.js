// What happened to objects over time, a row each: verdicts, stays, events.

import { html, svg, objectAddress, seconds } from './dom.js';
import { strip, stateCell, wordsOf } from './states.js';

const LANE = 12;
const STAY = 14;
const MIN_WIDTH = 1;

export function drawTimeline(page, span, width) {
  const names = width < 520 ? 104 : 176;
  const inner = Math.max(120, width - names - 8);
  const now = page.at ? page.at.after : 0;
  const x = (t) => (span > 0 ? (Math.max(0, Math.min(t, span)) / span) * (inner - 2) + 1 : 1);
  const rows = page.objects.map((object) => drawRow(object, x, now, inner));
  return html('div', { class: 'timeline' },
    html('div', { class: 'row axis' }, html('span'), axis(x, span, now, inner)), rows);
}

function drawRow(object, x, now, width) {
  const cameras = [...new Set(object.intervals.map((i) => i.camera))].sort();
  const lanes = Math.max(1, cameras.length);
  const height = lanes * (LANE + 1) + STAY + 4;
  const parts = [svg('rect', { x: x(now), y: 0, width: Math.max(0, width - x(now)), height, class: 'later' })];
  for (const i of object.intervals) {
    const left = x(i.start);
    const wide = Math.max(MIN_WIDTH, x(i.end ?? now) - left);
    const top = 1 + cameras.indexOf(i.camera) * (LANE + 1);
    parts.push(svg('g', {}, strip(i.state, left, top, wide, LANE),
      svg('title', {}, `${wordsOf(i.state)}${i.cause ? ` (${i.cause})` : ''}, ${seconds(i.start)} to ${
        i.end === null ? 'now' : seconds(i.end)}, camera ${i.camera}, confirmed in ${i.confirmed} of ${i.frames} frames`)));
  }
  const top = lanes * (LANE + 1) + 2;
  for (const stay of object.stays) {
    const left = x(stay.start);
    const wide = Math.max(3, x(stay.end ?? now) - left - 1);
    const name = stay.fixture || 'no fixture';
    parts.push(svg('g', {},
      svg('rect', { x: left, y: top, width: wide, height: STAY - 2, rx: 3, class: 'stay' }),
      name.length * 6.2 + 8 < wide ? svg('text', { x: left + 4, y: top + 9.5, class: 'stay-name' }, name) : null,
      svg('title', {}, `at ${name}, ${seconds(stay.start)} to ${stay.end === null ? 'now' : seconds(stay.end)} (${stay.source})`)));
  }
  for (const event of object.events) {
    if (event.type === 'appeared') continue;
    parts.push(svg('path', { d: `M${x(event.start)} ${top - 4}l4 6h-8z`, class: 'event' },
      svg('title', {}, `${event.type} at ${seconds(event.start)}${event.detail ? `: ${event.detail}` : ''}`)));
  }
  parts.push(svg('path', { d: `M${x(now)} 0V${height}`, class: 'now' }));
  const told = summary(object);
  return html('div', { class: 'row' },
    html('a', { href: objectAddress(object.id), title: `${object.id} (${object.label})` }, object.id),
    svg('svg', { width, height, role: 'img', 'aria-label': told }, parts));
}

// The drawing in words, for those who do not see it.
function summary(object) {
  const stays = object.stays.map((s) => s.fixture || 'no fixture');
  return `${object.id}: ${object.intervals_total} intervals, now ${wordsOf(object.state)}; stays: ${
    stays.slice(-5).join(', ') || 'none'}; ${object.moves} moves`;
}

function axis(x, span, now, width) {
  const step = niceStep(span / Math.max(1, Math.floor(width / 90)));
  const parts = [];
  for (let t = 0; span > 0 && t <= span; t += step) {
    parts.push(svg('path', { d: `M${x(t)} 14V20`, class: 'tick' }),
      svg('text', { x: Math.min(x(t), width - 2), y: 11, 'text-anchor': anchor(x(t), width), class: 'small' }, label(t, step)));
  }
  parts.push(svg('path', { d: `M${x(now)} 20l4 -6h-8z`, class: 'now-mark' }));
  return svg('svg', { width, height: 20, 'aria-hidden': 'true' }, parts);
}

function anchor(at, width) {
  if (at < 20) return 'start';
  return at > width - 30 ? 'end' : 'middle';
}

function niceStep(rough) {
  const units = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 43200, 86400];
  return units.find((u) => u >= rough) ?? Math.ceil(rough / 86400) * 86400;
}

function label(t, step) {
  if (step >= 3600) return `${Math.round(t / 3600)} h`;
  if (step >= 60) return `${Math.round(t / 60)} min`;
  return `${Number(t.toFixed(1))} s`;
}

export { stateCell };
