/** A member's name or an array's index as one step of a JSON Pointer (RFC 6901). */
export function escapedForPointer(name: unknown): string {
  return String(name).replaceAll('~', '~0').replaceAll('/', '~1')
}
