// Elements from plain values. Text goes in as text: nothing that a memory holds becomes markup.

const SVG = 'http://www.w3.org/2000/svg';

function build(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

export function html(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, tag), attributes, children);
}

export function objectAddress(id) {
  return `#/object/${encodeURIComponent(id)}`;
}

export function seconds(value) {
  return value === null || value === undefined ? '–' : `${value < 0 ? '' : '+'}${value.toFixed(1)}\u00a0s`;
}

export function place(value) {
  return value ? value.map((v) => v.toFixed(2)).join('\u00a0') : '–';
}

export function table(caption, head, rows) {
  return html('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    html('table', {},
      html('caption', {}, caption),
      html('thead', {}, html('tr', {}, head.map((h) => html('th', { scope: 'col' }, h)))),
      html('tbody', {}, rows.map((row) => html('tr', {}, row.map((cell) => html('td', {}, cell)))))));
}

export function pager(page, go) {
  const last = Math.min(page.offset + page.limit, page.total);
  const text = page.total ? `${page.offset + 1} to ${last} of ${page.total}` : 'none';
  const button = (name, offset, can) =>
    html('button', { type: 'button', disabled: !can, onclick: () => go(offset) }, name);
  return html('div', { class: 'pager' },
    button('Previous', Math.max(0, page.offset - page.limit), page.offset > 0),
    html('span', {}, text),
    button('Next', page.offset + page.limit, last < page.total));
}
