import type { PdfCanvas, StructureElement } from './pdf-canvas.ts'
import { page } from './pdf-style.ts'

/** A part of a piece: the text that belongs to one element of the structure tree. */
export interface Part {
  element: StructureElement
  paint(top: number): void
  /** Runs after the text has been written and marked: attaches a link to its element. */
  attach?(top: number): void
}

/** A unit that is never split across pages: a line of a paragraph, a row of a table. Heights are in points. */
export interface Piece {
  height: number
  /** The space above the piece; ignored at the top of a page. */
  before: number
  /** Keeps the next piece on the same page, unless the whole group is taller than a page. */
  keepWithNext: boolean
  /** Draws the lines and tinted areas behind the text. */
  artwork?(top: number): void
  parts: readonly Part[]
  /** What to draw again above this piece if it starts a page, such as a table's header row. */
  repeated?: { height: number; paint(top: number): void }
}

const bottom = page.height - page.bottom

/** Places pieces on pages, one after another, and writes their text into the structure tree. */
export class PdfFlow {
  readonly #canvas: PdfCanvas
  #top = page.top
  #pending: Part[] = []
  #pendingTops: number[] = []

  constructor(canvas: PdfCanvas) {
    this.#canvas = canvas
    canvas.pdf.addPage()
  }

  place(pieces: readonly Piece[]): void {
    for (const group of heldTogether(pieces)) {
      if (!this.#atPageTop() && !this.#fits(group)) this.#newPage(group[0])
      for (const piece of group) {
        // The next piece can fail to fit here only if its group is taller than a page.
        if (!this.#atPageTop() && !this.#fits([piece])) this.#newPage(piece)
        this.#put(piece)
      }
    }
    this.#flush()
  }

  #put(piece: Piece): void {
    if (!this.#atPageTop()) this.#top += piece.before
    const top = this.#top
    if (piece.artwork !== undefined) {
      this.#flush()
      this.#canvas.artifact('Layout', () => piece.artwork?.(top))
    }
    for (const part of piece.parts) {
      if (this.#pending.length > 0 && this.#pending[0]?.element !== part.element) this.#flush()
      this.#pending.push(part)
      this.#pendingTops.push(top)
    }
    this.#top += piece.height
  }

  /** Writes the pending text as a single marked-content sequence of its element. */
  #flush(): void {
    const parts = this.#pending
    const tops = this.#pendingTops
    this.#pending = []
    this.#pendingTops = []
    const top = (index: number) => tops[index] ?? page.top
    parts[0]?.element.add(() => {
      for (const [index, part] of parts.entries()) part.paint(top(index))
    })
    for (const [index, part] of parts.entries()) part.attach?.(top(index))
  }

  #newPage(first: Piece | undefined): void {
    this.#flush()
    this.#canvas.pdf.addPage()
    this.#top = page.top
    const repeated = first?.repeated
    if (repeated === undefined) return
    this.#canvas.artifact('Pagination', () => repeated.paint(this.#top))
    this.#top += repeated.height
  }

  #atPageTop(): boolean {
    return this.#top === page.top
  }

  #fits(group: readonly Piece[]): boolean {
    const height = group.reduce((sum, piece) => sum + piece.before + piece.height, 0)
    return this.#top + height <= bottom
  }
}

function heldTogether(pieces: readonly Piece[]): Piece[][] {
  const groups: Piece[][] = []
  let open = false
  for (const piece of pieces) {
    const group = groups.at(-1)
    if (open && group !== undefined) group.push(piece)
    else groups.push([piece])
    open = piece.keepWithNext
  }
  return groups
}
