/**
 * Returns a function that creates heading ids as GitHub does, so that links to headings work both on GitHub and here:
 * lower case, hyphens for spaces, no punctuation, and a number at the end if the heading is repeated. Each document
 * needs a new function.
 */
export function createHeadingIdGenerator(): (heading: string) => string {
  const taken = new Map<string, number>()
  return (heading) => {
    const plain = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    const times = taken.get(plain) ?? 0
    taken.set(plain, times + 1)
    return times === 0 ? plain : `${plain}-${times}`
  }
}
