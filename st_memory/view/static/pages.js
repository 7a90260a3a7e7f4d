// The pages: each gives its element, and fills it as of the moment above.

import { answer, askBox, json } from './ask.js';
import { get } from './asking.js';
import { html, objectAddress, pager, place, seconds, table } from './dom.js';
import { drawMap } from './map.js';
import { legend, stateCell, STATES, wordsOf } from './states.js';
import { drawTimeline } from './timeline.js';

const ROWS = 50;

export async function overview(context, main) {
  const room = context.room();
  const [floor, time] = await Promise.all([
    get('map', context.moment()),
    get('timeline', { ...context.moment(), offset: context.kept.offset || 0, limit: ROWS }),
  ]);
  context.told(floor.at);
  const zoom = context.kept.zoom || 1;
  const half = room >= 1000 ? (room - 16) * 0.62 : room;
  const again = (change) => () => { context.kept.zoom = Math.min(8, Math.max(1, zoom * change)); context.refresh(); };
  const answers = context.keep('answer', () => html('div', { 'aria-live': 'polite' }));
  const box = context.keep('ask', () => askBox(context, answers));
  const list = html('ul', { class: 'brief' }, floor.objects.slice(0, ROWS).map((o) => html('li', {},
    stateCell(o.state), html('a', { href: objectAddress(o.id) }, o.id), html('span', { class: 'quiet' }, o.fixture || o.container || '–'))));
  main.replaceChildren(
    html('div', { class: 'two' },
      html('section', { 'aria-labelledby': 'h-map' },
        html('div', { class: 'head' }, html('h2', { id: 'h-map' }, 'Map'),
          html('span', { class: 'pager' },
            html('button', { type: 'button', 'aria-label': 'Zoom out', onclick: again(1 / 1.5), disabled: zoom <= 1 }, '−'),
            html('button', { type: 'button', 'aria-label': 'Zoom in', onclick: again(1.5), disabled: zoom >= 8 }, '+'))),
        drawMap(floor, Math.floor(half) - 26, zoom), legend(),
        floor.without_place.length ? html('p', { class: 'quiet' }, `Without a place: ${floor.without_place.slice(0, 20).join(', ')}`) : null),
      html('div', { class: 'side' },
        html('section', { 'aria-labelledby': 'h-ask' }, html('h2', { id: 'h-ask' }, 'Ask'), box, answers),
        html('section', { 'aria-labelledby': 'h-list' }, html('h2', { id: 'h-list' }, 'Objects with a place'), list,
          floor.objects.length > ROWS ? html('p', {}, html('a', { href: '#/objects' }, `all ${floor.objects.length}`)) : null))),
    html('section', { 'aria-labelledby': 'h-time' },
      html('div', { class: 'head' }, html('h2', { id: 'h-time' }, 'Timelines'),
        pager(time, (offset) => { context.kept.offset = offset; context.refresh(); })),
      time.objects.length ? drawTimeline(time, context.span(), room - 26) : html('p', { class: 'quiet' }, time.sentence),
      html('p', { class: 'quiet' }, 'Above: what could be seen of it, a lane for each camera. Below: where it stayed. Triangles: events.')));
}

export async function objects(context, main) {
  const kept = context.kept;
  const page = await get('objects', { ...context.moment(), find: kept.find, visibility: kept.visibility, fixture: kept.fixture, sort: kept.sort, offset: kept.listed || 0, limit: ROWS });
  context.told(page.at);
  const set = (key) => (event) => { kept[key] = event.target.value; kept.listed = 0; context.refresh(); };
  const form = context.keep('filters', () => html('form', { class: 'ask', role: 'search', onsubmit: (event) => event.preventDefault() },
    html('label', {}, 'Name has ', html('input', { type: 'search', oninput: set('find'), maxlength: 200, autocomplete: 'off', value: kept.find || '' })),
    choice('State', set('visibility'), [['', 'any'], ...Object.keys(STATES).map((s) => [s.toLowerCase(), wordsOf(s)])]),
    choice('Fixture', set('fixture'), [['', 'any'], ...context.summary.fixtures.map((f) => [f, f])]),
    choice('Order', set('sort'), [['id', 'id'], ['label', 'label'], ['last_seen', 'last seen'], ['moves', 'moves']])));
  const results = html('section', { class: 'results' },
    html('div', { class: 'head' }, html('p', { role: 'status' }, `${page.total} object${page.total === 1 ? '' : 's'}`),
      pager(page, (offset) => { kept.listed = offset; context.refresh(); })),
    table('Objects', ['Object', 'Label', 'State', 'Fixture', 'Place x y z [m]', 'Last seen', 'Moves'],
      page.objects.map((o) => [html('a', { href: objectAddress(o.id) }, o.id), o.label, stateCell(o.state),
        o.fixture || o.container || '–', place(o.place), seconds(o.last_seen), o.moves])));
  // The field that is being typed in stays where it is.
  const old = main.querySelector('.results');
  if (old && form.isConnected) old.replaceWith(results);
  else main.replaceChildren(html('section', {}, html('h2', {}, 'Objects'), form), results);
}

function choice(name, onchange, options) {
  return html('label', {}, `${name} `, html('select', { onchange }, options.map(([value, text]) => html('option', { value }, text))));
}

export async function asking(context, main) {
  context.told((await get('objects', { ...context.moment(), limit: 1 })).at);
  const answers = context.keep('answer', () => html('div', { 'aria-live': 'polite' }));
  const box = context.keep('ask', () => askBox(context, answers));
  main.replaceChildren(html('section', {}, html('h2', {}, 'Ask'), box, answers,
    html('p', { class: 'quiet' }, 'The same questions as st_memory query and the services, as of the time above.')));
}

export async function object(context, main, id) {
  const page = await get('object', { ...context.moment(), id });
  context.told(page.at);
  if (!page.object) {
    main.replaceChildren(html('section', {}, html('h2', {}, id), html('p', { class: 'sentence' }, page.sentence)));
    return;
  }
  const { row } = page;
  const time = { at: page.at, objects: [row] };
  main.replaceChildren(
    html('section', {},
      html('h2', {}, `${row.label} `, html('span', { class: 'quiet' }, row.id)),
      html('p', { class: 'sentence' }, page.sentence),
      html('p', {}, stateCell(row.state), row.cause ? html('span', { class: 'quiet' }, ` ${row.cause}`) : null),
      row.aliases.length ? html('p', {}, `Also called ${row.aliases.join(', ')}.`) : null,
      drawTimeline(time, context.span(), context.room() - 26), legend()),
    html('div', { class: 'two' },
      html('section', {}, html('h3', {}, 'What is told'),
        html('dl', {}, page.told.flatMap((t) => [html('dt', {}, t.question, html('span', { class: 'quiet' }, ` ${t.status}`)), html('dd', {}, t.sentence)])),
        json(page.object, 'The object as JSON')),
      html('section', {}, table(`Stays (${row.stays_total})`, ['From', 'To', 'Fixture', 'Place x y z [m]', 'How known'],
        row.stays.slice().reverse().map((s) => [seconds(s.start), s.end === null ? 'still there' : seconds(s.end), s.fixture || '–', place(s.place), s.source])),
      table(`Events (${row.events_total})`, ['At', 'Event', 'What'],
        row.events.slice().reverse().map((e) => [seconds(e.start), e.type, e.detail])))),
    html('section', {}, table(`Evidence (the newest ${page.evidence_limit} at most)`, ['Seen at', 'Camera', 'As', 'Score', 'Box x y w h [px]', 'Place x y z [m]', 'Observation'],
      page.evidence.map((e) => [seconds(e.after), e.camera || '–', e.label, e.score.toFixed(2),
        e.box_px ? e.box_px.map((v) => v.toFixed(0)).join(' ') : '–', place(e.place), html('code', {}, e.id)])),
      html('p', { class: 'quiet' }, page.pictures)));
}

export { answer };
