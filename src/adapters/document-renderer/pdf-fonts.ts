import { create, type Font } from 'fontkit'
import { withCachedLayout } from './cached-layout.ts'
import type { FontLibrary, FontSubset } from './fonts/font-library.ts'
import type { FontWeight } from './fonts/font-packages.ts'
import { woffToSfnt } from './fonts/woff-to-sfnt.ts'

/** A font file opened for typesetting, with a unique name. */
export interface PdfFace {
  name: string
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
    const codePoints = [...text].map((character) => character.codePointAt(0) ?? 0)
    for (const subset of this.#library.subsets) {
      if (!codePoints.every(subset.mayCover)) continue
      const face = this.#open(subset, weight)
      if (codePoints.every(face.hasGlyph)) return face
    }
    return null
  }

  forget(words: readonly string[]): void {
    for (const faces of Object.values(this.#opened)) for (const face of faces.values()) face.forget(words)
  }

  #open(subset: FontSubset, weight: FontWeight): PdfFace {
    const opened = this.#opened[weight]
    const face = opened.get(subset) ?? openFace(`${subset.name}-${weight}`, subset.file(weight, 'woff'))
    opened.set(subset, face)
    return face
  }
}

function openFace(name: string, woff: Buffer): PdfFace {
  const { font, forget } = withCachedLayout(create(woffToSfnt(woff)))
  const covered = new Map<number, boolean>()
  const hasGlyph = (codePoint: number) => {
    const known = covered.get(codePoint) ?? font.hasGlyphForCodePoint(codePoint)
    covered.set(codePoint, known)
    return known
  }
  return {
    name,
    font,
    hasGlyph,
    width: (text) => font.layout(text).advanceWidth,
    forget,
  }
}
