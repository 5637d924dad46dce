import { DomainError } from '../../kernel/errors.ts'
import { escapedForPointer } from '../validation.ts'

/** An object or array that the scan is inside, and where in it. */
type Level = { names: Set<string>; at: string } | { names: undefined; at: number }

const structural = /["{}[\],]/g
const colonNext = /\s*:/y

/**
 * The JSON Pointer of the first member whose name occurs twice in its object; undefined if there is none. JSON.parse
 * silently keeps the last one, but another reader of the same bytes may keep the first. The text must be valid JSON.
 */
export function repeatedMember(text: string): string | undefined {
  const levels: Level[] = []
  structural.lastIndex = 0
  for (let found = structural.exec(text); found !== null; found = structural.exec(text)) {
    const level = levels.at(-1)
    switch (found[0]) {
      case '{':
        levels.push({ names: new Set(), at: '' })
        break
      case '[':
        levels.push({ names: undefined, at: 0 })
        break
      case ',':
        if (level !== undefined && level.names === undefined) level.at += 1
        break
      case '"': {
        const end = endOfString(text, found.index)
        structural.lastIndex = end
        if (level?.names === undefined || !isName(text, end)) break
        level.at = JSON.parse(text.slice(found.index, end)) as string
        if (level.names.has(level.at)) return levels.map(({ at }) => `/${escapedForPointer(at)}`).join('')
        level.names.add(level.at)
        break
      }
      default:
        levels.pop()
    }
  }
  return undefined
}

/** For the text of a body that is valid JSON: throws `invalid_request`, naming a member that is repeated. */
export function rejectRepeatedMembers(text: string): void {
  const pointer = repeatedMember(text)
  if (pointer === undefined) return
  const detail = `The body repeats a member of an object. Send each only once: ${pointer}.`
  throw new DomainError('invalid_request', detail, {
    fields: [{ pointer, code: 'repeated', detail }],
  })
}

/** The index after the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end + 1
}

function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text[first - 1] === '\\') first -= 1
  return (at - first) % 2 === 1
}

/** Whether the string that ends here is a name: only names are followed by a colon. */
function isName(text: string, end: number): boolean {
  colonNext.lastIndex = end
  return colonNext.test(text)
}
