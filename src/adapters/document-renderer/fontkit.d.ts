/** The part of fontkit (which pdfkit sets its type with) that we use; the package has no types of its own. */
declare module 'fontkit' {
  export interface GlyphPosition {
    xAdvance: number
    yAdvance: number
    xOffset: number
    yOffset: number
  }

  export interface GlyphRun {
    glyphs: readonly { id: number; advanceWidth: number; codePoints: readonly number[] }[]
    positions: readonly GlyphPosition[]
    /** The sum of the positions' advances, in font units. */
    readonly advanceWidth: number
  }

  export interface Font {
    readonly postscriptName: string
    readonly unitsPerEm: number
    hasGlyphForCodePoint(codePoint: number): boolean
    layout(text: string): GlyphRun
  }

  export function create(bytes: Uint8Array): Font
}
