// Where one is, and as of when; the pages are in pages.js.

import { get, Problem } from './asking.js';
import { html } from './dom.js';
import { asking, object, objects, overview } from './pages.js';
import { patterns } from './states.js';

const STEPS = 1000;
const WAIT_MS = 60;
const LOOK_MS = 5000;

const byId = (id) => document.getElementById(id);
const main = byId('main');
const slider = byId('slider');
const epochs = byId('epoch');
const kept = {};
const elements = new Map();
let summary = null;
let waiting = 0;

const context = {
  kept,
  get summary() { return summary; },
  span: () => chosen()?.seconds ?? 0,
  room: () => main.clientWidth,
  moment() {
    if (!chosen()) return {};
    const epoch = chosen().epoch;
    return isNewest() ? { epoch } : { epoch, after: (chosen().seconds * slider.value / STEPS).toFixed(6) };
  },
  told(at) {
    byId('as-of').textContent = at ? `+${at.after.toFixed(1)} s · ${at.text}` : 'the memory is empty';
    slider.setAttribute('aria-valuetext', byId('as-of').textContent);
  },
  // An element that outlives the redrawing of its page, with what was typed into it.
  keep(name, make) {
    if (!elements.has(name)) elements.set(name, make());
    return elements.get(name);
  },
  refresh: () => { clearTimeout(waiting); waiting = setTimeout(show, WAIT_MS); },
  run,
};

function chosen() {
  return summary?.epochs.find((e) => String(e.epoch) === epochs.value);
}

function isNewest() {
  return Number(slider.value) >= STEPS;
}

async function run(work) {
  try {
    await work();
    byId('problem').hidden = true;
  } catch (error) {
    if (error.name === 'AbortError') return;
    byId('problem').textContent = error instanceof Problem ? error.message : `The page has a fault: ${error.message}`;
    byId('problem').hidden = false;
  }
}

async function show() {
  const [page, id] = location.hash.replace(/^#\/?/, '').split('/');
  for (const link of document.querySelectorAll('nav a')) {
    const isHere = link.dataset.page === (page || 'overview');
    if (isHere) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  await run(async () => {
    if (page === 'object') await object(context, main, decodeURIComponent(id || ''));
    else if (page === 'objects') await objects(context, main);
    else if (page === 'ask') await asking(context, main);
    else await overview(context, main);
    document.body.dataset.shown = `${page || 'overview'} ${slider.value}`;
  });
}

function settle() {
  byId('name').textContent = summary.name;
  document.title = `${summary.name} · st_memory`;
  const before = epochs.value;
  epochs.replaceChildren(...summary.epochs.map((e) => html('option', { value: e.epoch }, `${e.epoch}, ${e.first.replace(/^epoch \d+, /, '')}`)));
  const last = summary.epochs[summary.epochs.length - 1];
  epochs.value = summary.epochs.some((e) => String(e.epoch) === before) ? before : String(last?.epoch ?? '');
  epochs.parentElement.hidden = summary.epochs.length < 2;
  slider.disabled = !last;
}

// A node may write the file meanwhile: what is new is shown to who looks at the newest moment.
async function look() {
  if (document.hidden) return;
  await run(async () => {
    const before = JSON.stringify(summary.epochs);
    summary = await get('summary');
    if (JSON.stringify(summary.epochs) === before) return;
    settle();
    if (isNewest()) await show();
  });
}

document.body.append(patterns());
byId('time').addEventListener('submit', (event) => event.preventDefault());
slider.addEventListener('input', context.refresh);
epochs.addEventListener('change', () => { slider.value = STEPS; context.refresh(); });
byId('latest').addEventListener('click', () => { slider.value = STEPS; context.refresh(); });
addEventListener('hashchange', async () => {
  if (!location.hash.startsWith('#/')) return; // the link that skips to the page
  await show();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
addEventListener('resize', context.refresh);
await run(async () => {
  summary = await get('summary');
  settle();
  await show();
  setInterval(look, LOOK_MS);
});
