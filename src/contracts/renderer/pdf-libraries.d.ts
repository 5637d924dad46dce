/** The part of fontkit (pdfkit's font library) that we use; the package ships no types. */
declare module 'fontkit' {
  export interface Glyph {
    readonly id: number
    readonly advanceWidth: number
    /**
     * The characters that the glyph stands for; empty for every glyph after the first of a character that is drawn with
     * several.
     */
    readonly codePoints: readonly number[]
  }

  export interface GlyphPosition {
    xAdvance: number
    yAdvance: number
    xOffset: number
    yOffset: number
  }

  export interface GlyphRun {
    glyphs: readonly Glyph[]
    positions: readonly GlyphPosition[]
    /** The sum of the positions' advances, in font units. */
    readonly advanceWidth: number
  }

  export interface Font {
    readonly postscriptName: string
    readonly unitsPerEm: number
    /** The font's cache of glyphs, by glyph number. */
    _glyphs: Record<number, Glyph>
    hasGlyphForCodePoint(codePoint: number): boolean
    /** `features` turns OpenType features on or off. */
    layout(text: string, features?: Record<string, boolean>): GlyphRun
  }

  export function create(bytes: Uint8Array): Font
}

/**
 * Features of pdfkit that its published types lack: fonts opened by fontkit, scopes of table headers, and tagged links.
 */
declare namespace PDFKit {
  interface PDFOutline {
    addItem(title: string, options: { top: number }): PDFOutline
  }
}

declare namespace PDFKit.Mixins {
  interface PDFFont {
    /** A font that fontkit has opened; its name must be unique within the document. */
    font(font: import('fontkit').Font, name: string): this
  }

  interface StructureElementOptions {
    scope?: 'Row' | 'Column'
  }

  interface PDFAnnotation {
    annotate(x: number, y: number, width: number, height: number, link: TaggedLink): this
  }

  /** pdfkit writes String objects as PDF strings and primitive strings as PDF names. */
  interface TaggedLink {
    Subtype: 'Link'
    Contents: object
    A?: PDFKitReference
    /** A named destination. */
    Dest?: string
    structParent: PDFStructureElement
  }
}
