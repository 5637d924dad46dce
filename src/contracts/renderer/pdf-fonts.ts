import { inflateSync } from 'node:zlib'
import { create, type Font, type Glyph, type GlyphRun } from 'fontkit'
import type { FontLibrary, FontSubset, FontWeight } from './font-library.ts'

/** A font file opened for typesetting, with a unique name. */
export interface PdfFace {
  name: string
  subset: FontSubset
  font: Font
  hasGlyph(codePoint: number): boolean
  /** The width of a text in thousandths of the type size. */
  width(text: string): number
  /** Drops the cached layouts of these words. */
  forget(words: readonly string[]): void
}

/** Opens each font of a library when a PDF first needs it. */
export class PdfFonts {
  readonly #library: FontLibrary
  readonly #opened: Record<FontWeight, Map<FontSubset, PdfFace>> = { regular: new Map(), strong: new Map() }

  constructor(library: FontLibrary) {
    this.#library = library
  }

  /** The first face with a glyph for every character of the text; null if there is none. */
  faceFor(text: string, weight: FontWeight): PdfFace | null {
    for (const subset of this.#library.subsets) {
      if (!everyCodePoint(text, subset.mayCover)) continue
      const face = this.#open(subset, weight)
      if (everyCodePoint(text, face.hasGlyph)) return face
    }
    return null
  }

  forget(words: readonly string[]): void {
    for (const faces of Object.values(this.#opened)) for (const face of faces.values()) face.forget(words)
  }

  #open(subset: FontSubset, weight: FontWeight): PdfFace {
    const opened = this.#opened[weight]
    const face = opened.get(subset) ?? openFace(subset, weight)
    opened.set(subset, face)
    return face
  }
}

function everyCodePoint(text: string, test: (codePoint: number) => boolean): boolean {
  for (const character of text) if (!test(character.codePointAt(0) ?? 0)) return false
  return true
}

function openFace(subset: FontSubset, weight: FontWeight): PdfFace {
  const { font, forget } = withCachedLayout(create(woffToSfnt(subset.file(weight, 'woff'))))
  const covered = new Map<number, boolean>()
  const hasGlyph = (codePoint: number) => {
    const known = covered.get(codePoint)
    if (known !== undefined) return known
    const found = font.hasGlyphForCodePoint(codePoint)
    covered.set(codePoint, found)
    return found
  }
  return {
    name: `${subset.name}-${weight}`,
    subset,
    font,
    hasGlyph,
    width: (text) => font.layout(text).advanceWidth,
    forget,
  }
}

/** A font that caches the layout of words. */
interface CachingFont {
  font: Font
  forget(words: readonly string[]): void
}

/**
 * pdfkit's own unit. It converts positions in place; with this unit that leaves them unchanged, so all documents can
 * share them.
 */
const unitsPerEm = 1000

/** Adds a cache of word layouts to a font. Throws if the font has other units than pdfkit. */
function withCachedLayout(font: Font): CachingFont {
  if (font.unitsPerEm !== unitsPerEm)
    throw new Error(`${font.postscriptName} has ${font.unitsPerEm} units per em, not ${unitsPerEm}`)
  const layouts = new WordLayouts()
  const layout = (text: string) => layouts.recall(text, (word) => layoutWord(font, word))
  return {
    font: Object.create(font, { layout: { value: layout } }),
    forget(words) {
      layouts.forget(words)
      font._glyphs = {}
    },
  }
}

/**
 * Lays out a word so that the same word always gives the same result and its text can be read back from the PDF.
 * fontkit remembers the first characters that a glyph stood for, even those of another document, so its glyph cache is
 * cleared. In scripts with one glyph per letter, letters are not split into base and accent, because the accent's glyph
 * would not map to any text.
 */
function layoutWord(font: Font, word: string): GlyphRun {
  font._glyphs = {}
  const { glyphs, positions } = hasShapedScript(word) ? shape(font, word) : font.layout(word, { ccmp: false })
  const advanceWidth = positions.reduce((sum, { xAdvance }) => sum + xAdvance, 0)
  return { glyphs: glyphs.map(withCodePoints), positions, advanceWidth }
}

/** OpenType features that place marks on letters. */
const markPlacing = { abvm: false, blwm: false, mark: false, mkmk: false }

/**
 * fontkit fails on letters whose mark has no anchor in the font, as in some Gurmukhi words. Contracts must still
 * render, so such a word is laid out with its marks next to their letters.
 */
function shape(font: Font, word: string): Pick<GlyphRun, 'glyphs' | 'positions'> {
  try {
    return font.layout(word)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return font.layout(word, markPlacing)
  }
}

const zeroWidthSpace = 0x20_0b

/**
 * If a character is drawn with several glyphs, maps every glyph after the first to a zero-width space, because every
 * glyph must map to text.
 */
function withCodePoints(glyph: Glyph): Glyph {
  return glyph.codePoints.length > 0 ? glyph : Object.create(glyph, { codePoints: { value: [zeroWidthSpace] } })
}

/** The maximum number of cached words: enough for the words of the fixed sentences and many names. */
const wordsKept = 5_000

/**
 * Caches the layout of each word across documents, because most words occur in every document: laying them out for each
 * takes more than twice the time of a PDF. The cache is cleared when it is full. Words that identify a person must be
 * dropped with their document.
 */
class WordLayouts {
  readonly #kept = new Map<string, GlyphRun>()

  /**
   * Returns the cached result for the word. If there is none, calls `compute`, which must always return the same result
   * for a word.
   */
  recall(word: string, compute: (word: string) => GlyphRun): GlyphRun {
    const known = this.#kept.get(word)
    if (known !== undefined) return known
    const value = compute(word)
    if (this.#kept.size >= wordsKept) this.#kept.clear()
    this.#kept.set(word, value)
    return value
  }

  /** Drops every cached word that contains one of these words or is contained in one of them. */
  forget(words: readonly string[]): void {
    for (const known of this.#kept.keys()) {
      if (words.some((word) => known.includes(word) || word.includes(known))) this.#kept.delete(known)
    }
  }
}

const oneGlyphALetter =
  '\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}'
const shaped = new RegExp(`(?![${oneGlyphALetter}])\\p{L}`, 'u')

/**
 * Whether a text has letters of a script in which glyphs do not correspond to letters one to one: Arabic letters join,
 * and Devanagari letters can also be drawn in a different order.
 */
export function hasShapedScript(text: string): boolean {
  return shaped.test(text)
}

const woffHeaderSize = 44
const woffEntrySize = 20
const sfntHeaderSize = 12
const sfntEntrySize = 16

/**
 * Unpacks a WOFF 1 file into the TrueType or OpenType font inside it. Each file is unpacked once, because fontkit would
 * decompress the WOFF tables again for every document. WOFF2 files are not an alternative, because fontkit fails to
 * subset them. Throws RangeError if the bytes are not a WOFF file.
 */
function woffToSfnt(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new RangeError('not a WOFF font')
  const count = woff.readUInt16BE(12)
  const directory = Buffer.alloc(sfntHeaderSize + sfntEntrySize * count)
  const entrySelector = Math.floor(Math.log2(count))
  const searchRange = sfntEntrySize * 2 ** entrySelector
  directory.writeUInt32BE(woff.readUInt32BE(4), 0)
  directory.writeUInt16BE(count, 4)
  directory.writeUInt16BE(searchRange, 6)
  directory.writeUInt16BE(entrySelector, 8)
  directory.writeUInt16BE(sfntEntrySize * count - searchRange, 10)

  const parts: Buffer[] = [directory]
  let offset = directory.length
  for (let index = 0; index < count; index += 1) {
    const { tag, checksum, bytes } = readTable(woff, woffHeaderSize + woffEntrySize * index)
    const entry = sfntHeaderSize + sfntEntrySize * index
    tag.copy(directory, entry)
    directory.writeUInt32BE(checksum, entry + 4)
    directory.writeUInt32BE(offset, entry + 8)
    directory.writeUInt32BE(bytes.length, entry + 12)
    const padding = Buffer.alloc(-bytes.length & 3)
    parts.push(bytes, padding)
    offset += bytes.length + padding.length
  }
  return Buffer.concat(parts)
}

function readTable(woff: Buffer, entry: number): { tag: Buffer; checksum: number; bytes: Buffer } {
  const offset = woff.readUInt32BE(entry + 4)
  const packedLength = woff.readUInt32BE(entry + 8)
  const packed = woff.subarray(offset, offset + packedLength)
  // Tables that compression would not shrink are stored uncompressed.
  const bytes = packedLength < woff.readUInt32BE(entry + 12) ? inflateSync(packed) : packed
  return { tag: woff.subarray(entry, entry + 4), checksum: woff.readUInt32BE(entry + 16), bytes }
}
