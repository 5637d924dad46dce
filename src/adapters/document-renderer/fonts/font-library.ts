import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type FontWeight, fontPackages, fontWeights } from './font-packages.ts'
import { isInRanges, parseUnicodeRanges } from './unicode-ranges.ts'

/** A subset of a font: the glyphs for some of a script's code points, in both weights. */
export interface FontSubset {
  /** The first part of the file name, e.g. `noto-sans-latin-ext`. */
  name: string
  /** The CSS `unicode-range` published with this subset. */
  unicodeRange: string
  mayCover(codePoint: number): boolean
  /** WOFF for the PDF, WOFF2 for the HTML. Read from disk on first use. */
  file(weight: FontWeight, format: 'woff' | 'woff2'): Buffer
}

/** The installed fonts, with Latin first because most characters are Latin. */
export interface FontLibrary {
  subsets: readonly FontSubset[]
}

/** Reads the index of each font package; the font files are read when a document needs them. */
export function openFontLibrary(packages: readonly string[] = fontPackages): FontLibrary {
  const subsets = packages.flatMap(subsetsOf)
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
    const files = new Map<string, Buffer>()
    return {
      name,
      unicodeRange,
      mayCover: (codePoint) => isInRanges(codePoint, ranges),
      file: (weight, format) => {
        const fileName = `${name}-${fontWeights[weight]}-normal.${format}`
        const read = files.get(fileName) ?? readFileSync(resolve(`${packageName}/files/${fileName}`))
        files.set(fileName, read)
        return read
      },
    }
  })
}

/** The subsets that a text needs, in the library's order. Characters that no font has are ignored. */
export function subsetsFor(text: string, { subsets }: FontLibrary): FontSubset[] {
  const needed = new Set<FontSubset>()
  for (const character of new Set(text)) {
    const codePoint = character.codePointAt(0) ?? 0
    const subset = subsets.find(({ mayCover }) => mayCover(codePoint))
    if (subset !== undefined) needed.add(subset)
  }
  return subsets.filter((subset) => needed.has(subset))
}
