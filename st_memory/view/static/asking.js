// What the page asks the server. One request of a kind at a time: a newer one ends the older.

const running = new Map();

export class Problem extends Error {}

export async function get(kind, parameters = {}) {
  running.get(kind)?.abort();
  const ending = new AbortController();
  running.set(kind, ending);
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== '' && value !== null && value !== undefined) query.set(key, value);
  }
  let response;
  let body;
  try {
    response = await fetch(`/api/${kind}?${query}`, { signal: ending.signal });
    body = await response.json();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new Problem('the server does not answer: is st_memory view still running?');
  }
  if (!response.ok) throw new Problem(body.error || `status ${response.status}`);
  return body;
}
