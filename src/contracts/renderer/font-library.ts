import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/**
 * The npm packages with the documents' fonts, searched for glyphs in this order. The first has Latin, Greek, Cyrillic,
 * Devanagari and Vietnamese; `sc` has simplified and traditional Chinese and kana; `kr` has Hangul. To support another
 * script, install its package and add it here; its fonts need 1,000 units per em.
 */
const fontPackages: readonly string[] = [
  '@fontsource/noto-sans',
  '@fontsource/noto-sans-arabic',
  '@fontsource/noto-sans-hebrew',
  '@fontsource/noto-sans-bengali',
  '@fontsource/noto-sans-gurmukhi',
  '@fontsource/noto-sans-gujarati',
  '@fontsource/noto-sans-tamil',
  '@fontsource/noto-sans-thai',
  '@fontsource/noto-sans-sc',
  '@fontsource/noto-sans-kr',
]

/** The weights that documents use: `regular` for body text, `strong` for headings and totals. */
export const fontWeights = { regular: 400, strong: 600 } as const
export type FontWeight = keyof typeof fontWeights

/** A subset of a font: the glyphs for some of a script's code points, in both weights. */
export interface FontSubset {
  /** The first part of the file name, e.g. `noto-sans-latin-ext`. */
  name: string
  /** Whether the CSS `unicode-range` published with the subset has it. The font may still lack the glyph. */
  mayCover(codePoint: number): boolean
  /** Reads the font from disk: WOFF for the PDF, WOFF2 for the HTML. */
  file(weight: FontWeight, format: 'woff' | 'woff2'): Buffer
}

/** The installed fonts, with Latin first because most characters are Latin. */
export interface FontLibrary {
  subsets: readonly FontSubset[]
}

/** Reads the index of each font package; the font files are read when a document needs them. */
export function openFontLibrary(): FontLibrary {
  const subsets = fontPackages.flatMap(subsetsOf)
  const latin = subsets.filter(({ name }) => name.endsWith('-latin'))
  return { subsets: [...latin, ...subsets.filter((subset) => !latin.includes(subset))] }
}

function subsetsOf(packageName: string): FontSubset[] {
  const { resolve } = createRequire(import.meta.url)
  const published: unknown = JSON.parse(readFileSync(resolve(`${packageName}/unicode.json`), 'utf8'))
  if (typeof published !== 'object' || published === null) throw new Error(`${packageName}: unreadable unicode.json`)
  const family = packageName.slice(packageName.indexOf('/') + 1)
  return Object.entries(published).map(([key, unicodeRange]: [string, unknown]) => {
    if (typeof unicodeRange !== 'string') throw new Error(`${packageName}: no unicode-range for ${key}`)
    // Packages for Chinese, Japanese and Korean number their subsets: the subset "[4]" is in the file "…-4-…".
    const name = `${family}-${key.replaceAll(/[[\]]/g, '')}`
    const ranges = parseUnicodeRanges(unicodeRange)
    return {
      name,
      mayCover: (codePoint) => isInRanges(codePoint, ranges),
      file: (weight, format) =>
        readFileSync(resolve(`${packageName}/files/${name}-${fontWeights[weight]}-normal.${format}`)),
    }
  })
}

/** A range of code points, including both ends. */
interface CodePointRange {
  from: number
  to: number
}

/** Parses a CSS `unicode-range` such as `U+0000-00FF,U+0131`. Throws RangeError for anything else. */
function parseUnicodeRanges(text: string): CodePointRange[] {
  return text.split(',').map((part) => {
    const [, first, last] = /^U\+([0-9A-F]{1,6})(?:-([0-9A-F]{1,6}))?$/i.exec(part.trim()) ?? []
    if (first === undefined) throw new RangeError(`not a unicode-range: ${part}`)
    return { from: Number.parseInt(first, 16), to: Number.parseInt(last ?? first, 16) }
  })
}

function isInRanges(codePoint: number, ranges: readonly CodePointRange[]): boolean {
  return ranges.some(({ from, to }) => codePoint >= from && codePoint <= to)
}
