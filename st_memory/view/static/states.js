// How a state of visibility looks: a colour, and a mark and a pattern that need no colour.

import { html, svg } from './dom.js';

export const STATES = {
  VISIBLE: { words: 'visible', mark: 'disc' },
  OUT_OF_VIEW: { words: 'out of view', mark: 'ring' },
  OCCLUDED: { words: 'occluded', mark: 'half' },
  AMBIGUOUS_FIXTURE: { words: 'ambiguous fixture', mark: 'diamond' },
  UNCONFIRMED: { words: 'unconfirmed', mark: 'square' },
  IN_MOTION: { words: 'in motion', mark: 'triangle' },
  ABSENT: { words: 'absent', mark: 'cross' },
  UNKNOWN: { words: 'unknown', mark: 'dot' },
};

const PATTERNS = {
  OUT_OF_VIEW: ['M0 3.5H7'],
  OCCLUDED: ['M-1 8L8 -1'],
  AMBIGUOUS_FIXTURE: ['M-1 8L8 -1', 'M-1 -1L8 8'],
  UNCONFIRMED: ['M3.5 0V7'],
  IN_MOTION: ['M0 1.5L3.5 5.5L7 1.5'],
  ABSENT: ['M1.5 1.5L5.5 5.5', 'M5.5 1.5L1.5 5.5'],
};

export function wordsOf(state) {
  return STATES[state] ? STATES[state].words : String(state);
}

// Patterns that every drawing of the page refers to.
export function patterns() {
  const made = Object.entries(PATTERNS).map(([state, lines]) =>
    svg('pattern', { id: `p-${state}`, width: 7, height: 7, patternUnits: 'userSpaceOnUse' },
      lines.map((d) => svg('path', { d, class: 'hatch' }))));
  return svg('svg', { width: 0, height: 0, class: 'defs', 'aria-hidden': 'true' },
    svg('defs', {}, made));
}

export function strip(state, x, y, width, height) {
  const at = { x, y, width, height };
  const parts = [svg('rect', { ...at, class: `fill s-${state}` })];
  if (PATTERNS[state]) parts.push(svg('rect', { ...at, fill: `url(#p-${state})` }));
  return parts;
}

const SHAPES = {
  disc: () => [svg('circle', { r: 5, class: 'fill' })],
  ring: () => [svg('circle', { r: 4.5, class: 'line' })],
  half: () => [svg('circle', { r: 4.5, class: 'line' }), svg('path', { d: 'M0 -4.5A4.5 4.5 0 0 1 0 4.5Z', class: 'fill' })],
  diamond: () => [svg('path', { d: 'M0 -6L6 0L0 6L-6 0Z', class: 'line' })],
  square: () => [svg('rect', { x: -4, y: -4, width: 8, height: 8, class: 'line' })],
  triangle: () => [svg('path', { d: 'M0 -6L6 5L-6 5Z', class: 'fill' })],
  cross: () => [svg('path', { d: 'M-4.5 -4.5L4.5 4.5M4.5 -4.5L-4.5 4.5', class: 'line' })],
  dot: () => [svg('circle', { r: 2.5, class: 'fill' })],
};

export function mark(state) {
  const known = STATES[state] || STATES.UNKNOWN;
  return svg('g', { class: `mark s-${state}` }, SHAPES[known.mark]());
}

export function stateCell(state) {
  return html('span', { class: 'state' },
    svg('svg', { width: 16, height: 16, viewBox: '-8 -8 16 16', 'aria-hidden': 'true' }, mark(state)),
    wordsOf(state));
}

export function legend() {
  return html('ul', { class: 'legend', 'aria-label': 'States' },
    Object.keys(STATES).map((state) => html('li', {},
      svg('svg', { width: 40, height: 16, 'aria-hidden': 'true' },
        svg('g', { transform: 'translate(8 8)' }, mark(state)), strip(state, 18, 3, 22, 10)),
      wordsOf(state))));
}
