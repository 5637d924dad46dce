import { escapeControls } from '../platform/kernel/plain-text.ts'
import { invocation } from './invocation.ts'

/** Our own colours, as `coloured.ts` writes them. */
const ownColours = new RegExp(`(${String.fromCharCode(27)}\\[(?:1|2|22|31|32|39)m)`)

/**
 * Prints lines to standard output. Control characters of stored text become `\uXXXX`: a partner's name must not move
 * the cursor or reorder what an operator reads. In JSON this is another spelling of the same text. Only line feeds,
 * tabs and our own colours stay.
 */
export function print(text: string): void {
  invocation().stdout.write(`${escaped(text)}\n`)
}

/** Prints lines to standard error, as `print` does. */
export function printError(text: string): void {
  invocation().stderr.write(`${escaped(text)}\n`)
}

function escaped(text: string): string {
  return text
    .split(ownColours)
    .map((part) => (ownColours.test(part) ? part : escapeControls(part, '\n\t')))
    .join('')
}
