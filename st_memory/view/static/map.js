// What lies where, from above. x to the right and y up, as in the fixed frame.

import { html, svg, objectAddress, place } from './dom.js';
import { mark, wordsOf } from './states.js';

// So many objects can be tabbed through; more are reached through the list.
const MOST_TABBED = 60;
// Of so many, names here and there say less than none: pointing at a mark tells its name.
const MOST_NAMED = 150;

export function drawMap(page, width, zoom) {
  const bounds = extent(page);
  if (!bounds) return html('p', { class: 'quiet' }, 'Nothing has a place yet.');
  const [low, high] = bounds;
  const size = [Math.max(high[0] - low[0], 0.5), Math.max(high[1] - low[1], 0.5)];
  const pad = 28;
  const scale = Math.min((width - 2 * pad) / size[0], 560 / size[1]) * zoom;
  const full = [size[0] * scale + 2 * pad, size[1] * scale + 2 * pad];
  const shift = Math.max(0, (width - full[0]) / 2);
  const at = ([x, y]) => [shift + pad + (x - low[0]) * scale, full[1] - pad - (y - low[1]) * scale];
  const frame = [0, 0, Math.max(width, full[0]), full[1]];
  // Marks first: no name may lie on one.
  const taken = [...page.objects, ...page.cameras].map(({ place: p }) => around(at(p)));
  const parts = [
    page.walls.map((points) => svg('path', { d: path(points.map(at), true), class: 'wall' })),
    page.fixtures.map((f) => svg('path', { d: path(f.outline.map(at), true), class: 'fixture' },
      svg('title', {}, `${f.id} (${f.label})`))),
    page.cameras.map((c) => drawCamera(c, at)),
    page.objects.map((o) => drawObject(o, at, { taken, frame, isNamed: page.objects.length <= MOST_NAMED }, page.objects.length <= MOST_TABBED)),
    page.fixtures.map((f) => fixtureName(f, at, taken)),
    scaleBar(scale, full[1] - 10),
  ];
  return html('div', { class: 'map scroll' },
    svg('svg', { width: Math.max(width, full[0]), height: full[1], role: 'group', 'aria-label': 'Map from above' }, parts.flat()));
}

function extent(page) {
  const points = [
    ...page.fixtures.flatMap((f) => f.outline), ...page.walls.flat(),
    ...page.objects.map((o) => o.place), ...page.cameras.map((c) => c.place),
    ...page.cameras.flatMap((c) => c.trail),
  ];
  if (!points.length) return null;
  const low = [Infinity, Infinity];
  const high = [-Infinity, -Infinity];
  for (const point of points) {
    for (const i of [0, 1]) {
      low[i] = Math.min(low[i], point[i]);
      high[i] = Math.max(high[i], point[i]);
    }
  }
  return [low, high];
}

function path(points, isClosed) {
  return points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join('') + (isClosed ? 'Z' : '');
}

function around([x, y]) {
  return [x - 6, y - 6, x + 6, y + 6];
}

function drawObject(object, at, room, isTabbed) {
  const [x, y] = at(object.place);
  const where = room.isNamed ? free(object.id.length * 7, [x, y], room) : null;
  const told = `${object.id} (${object.label}): ${wordsOf(object.state)}${object.fixture ? `, at ${object.fixture}` : ''}, at ${place(object.place)} m`;
  return svg('a', { href: objectAddress(object.id), class: 'object', 'aria-label': told, tabindex: isTabbed ? null : '-1' },
    svg('g', { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` }, svg('circle', { r: 9, class: 'hit' }), mark(object.state)),
    where ? svg('text', { x: where[0], y: where[1], class: 'name' }, object.id) : null,
    svg('title', {}, told));
}

// Where a name fits beside its mark without lying on another; null for nowhere.
function free(wide, [x, y], { taken, frame }) {
  for (const [left, base] of [[x + 9, y + 4], [x - wide / 2, y - 10], [x - wide / 2, y + 19], [x - 9 - wide, y + 4]]) {
    const box = [left, base - 10, left + wide, base + 3];
    if (left >= frame[0] && left + wide <= frame[2] && !taken.some((t) => overlaps(t, box))) {
      taken.push(box);
      return [left, base];
    }
  }
  return null;
}

function overlaps(a, b) {
  return a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
}

function fixtureName(fixture, at, taken) {
  if (!fixture.outline.length) return null;
  const points = fixture.outline.map(at);
  const xs = points.map((p) => p[0]);
  const ys = points.map((p) => p[1]);
  const wide = fixture.id.length * 6.6 + 4;
  if (wide > Math.max(...xs) - Math.min(...xs)) return null;
  const x = (Math.min(...xs) + Math.max(...xs)) / 2;
  const top = Math.min(...ys);
  for (const y of [top + 12, Math.max(...ys) - 5, (top + Math.max(...ys)) / 2 + 4]) {
    const box = [x - wide / 2, y - 9, x + wide / 2, y + 2];
    if (y < Math.max(...ys) && !taken.some((t) => overlaps(t, box))) {
      taken.push(box);
      return svg('text', { x, y, 'text-anchor': 'middle', class: 'fixture-name' }, fixture.id);
    }
  }
  return null;
}

function drawCamera(camera, at) {
  const [x, y] = at(camera.place);
  const [ahead, left] = camera.heading;
  const turn = (Math.atan2(-left, ahead) * 180) / Math.PI;
  const told = `${camera.is_base ? 'base' : `camera ${camera.id}`}, ${camera.age.toFixed(1)} s ago`;
  return svg('g', { class: camera.is_base ? 'base' : 'camera' },
    camera.trail.length > 1 ? svg('path', { d: path(camera.trail.map(at), false), class: 'trail' }) : null,
    svg('g', { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turn.toFixed(1)})` },
      camera.is_base ? svg('path', { d: 'M9 0L-6 6L-6 -6Z', class: 'body' })
        : [svg('path', { d: 'M0 0L46 -24L46 24Z', class: 'cone' }), svg('circle', { r: 5, class: 'body' })]),
    svg('title', {}, told));
}

function scaleBar(scale, y) {
  const metres = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000].find((m) => m * scale >= 50) ?? 1000;
  return svg('g', { class: 'scale' },
    svg('path', { d: `M10 ${y - 4}V${y}H${10 + metres * scale}V${y - 4}` }),
    svg('text', { x: 16 + metres * scale, y, class: 'small' }, `${metres} m`));
}
