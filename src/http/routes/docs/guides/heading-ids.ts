/**
 * Gives headings their ids as GitHub does, so that a link to a heading works there and here: lower case, hyphens for spaces, without
 * punctuation, numbered from the second of the same name on. One for each document.
 */
export function headingIds(): (heading: string) => string {
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
