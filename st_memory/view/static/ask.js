// The search box: a question, what it is about, and the answer as a sentence and as JSON.

import { html } from './dom.js';
import { get } from './asking.js';

export function askBox(context, answerInto) {
  const { summary } = context;
  const family = html('select', { name: 'question', 'aria-label': 'Question' },
    summary.questions.map((q) => html('option', { value: q.name }, q.name)));
  const what = html('input', { name: 'what', type: 'search', list: 'names', placeholder: 'an id, a label or other words', 'aria-label': 'About what', autocomplete: 'off', maxlength: 500 });
  const extra = html('input', { name: 'extra', hidden: true, autocomplete: 'off', maxlength: 200 });
  const names = html('datalist', { id: 'names' }, [...summary.names.slice(0, 2000), ...summary.fixtures].map((n) => html('option', { value: n })));
  const settle = () => {
    const chosen = summary.questions.find((q) => q.name === family.value);
    extra.hidden = !chosen.extra;
    const words = chosen.extra === 'since' ? 'since, seconds after the first frame' : 'seen from: camera, base or an object';
    extra.placeholder = words;
    extra.setAttribute('aria-label', words);
    what.disabled = chosen.needs === '' && chosen.name !== 'events';
  };
  family.addEventListener('change', settle);
  settle();
  const form = html('form', { class: 'ask', role: 'search', onsubmit: (event) => {
    event.preventDefault();
    const chosen = summary.questions.find((q) => q.name === family.value);
    const parameters = { ...context.moment(), question: family.value };
    if (!what.disabled) parameters.what = what.value;
    if (chosen.extra) parameters[chosen.extra] = extra.value;
    context.run(async () => answerInto.replaceChildren(answer(await get('ask', parameters))));
  } }, family, what, extra, names, html('button', {}, 'Ask'));
  return form;
}

export function answer(given) {
  return html('div', { class: 'answer' },
    html('p', { class: 'sentence' }, given.sentence),
    html('p', { class: 'quiet' }, `${given.question}${given.what ? ` ${given.what}` : ''}: ${given.status}`),
    json(given.answer, 'The answer as JSON'));
}

export function json(value, title) {
  return html('details', {}, html('summary', {}, title),
    html('pre', { tabindex: '0' }, JSON.stringify(value, null, 2)));
}
