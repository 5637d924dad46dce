import { escapeControls } from '../kernel/plain-text.ts'

/** Our own colours, as `coloured.ts` writes them. */
const ownColours = new RegExp(`(${String.fromCharCode(27)}\\[(?:1|2|22|31|32|39)m)`)

/**
 * Makes the console print control characters of stored text as `\uXXXX`: a partner's name must not move the cursor or reorder what an
 * operator reads. In JSON this is another spelling of the same text. Only line feeds, tabs and our own colours stay.
 */
export function escapeOutput(): void {
  for (const method of ['log', 'error'] as const) {
    const print = console[method]
    console[method] = (...values: unknown[]) => print(...values.map(escaped))
  }
}

function escaped(value: unknown): unknown {
  if (typeof value !== 'string') return value
  return value
    .split(ownColours)
    .map((part) => (ownColours.test(part) ? part : escapeControls(part, '\n\t')))
    .join('')
}
