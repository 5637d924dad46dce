/** A range of code points, including both ends. */
export interface CodePointRange {
  from: number
  to: number
}

/** Parses a CSS `unicode-range` such as `U+0000-00FF,U+0131`. Throws RangeError for anything else. */
export function parseUnicodeRanges(text: string): CodePointRange[] {
  return text.split(',').map((part) => {
    const [, first, last] = /^U\+([0-9A-F]{1,6})(?:-([0-9A-F]{1,6}))?$/i.exec(part.trim()) ?? []
    if (first === undefined) throw new RangeError(`not a unicode-range: ${part}`)
    return { from: Number.parseInt(first, 16), to: Number.parseInt(last ?? first, 16) }
  })
}

export function isInRanges(codePoint: number, ranges: readonly CodePointRange[]): boolean {
  return ranges.some(({ from, to }) => codePoint >= from && codePoint <= to)
}
