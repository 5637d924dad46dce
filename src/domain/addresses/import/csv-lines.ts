/** Longer than any row: keeps the memory small when the file is not lines of text at all. */
const maxLineLength = 65_536

export interface CsvLine {
  /** Counted from 1, as an editor shows it. */
  number: number
  /** Without its line ending; cut at 65,536 characters. */
  text: string
}

/** Cuts text, handed in by pieces of any size, into lines, ended by LF, CR LF or CR. A byte order mark is dropped. */
export class LineSplitter {
  #number = 0
  #rest = ''
  #started = false
  #endedWithCarriageReturn = false;

  /** The lines that are complete now. */
  *push(piece: string): Generator<CsvLine> {
    let text = piece
    if (text === '') return
    if (!this.#started && text.startsWith('\ufeff')) text = text.slice(1)
    this.#started = true
    if (this.#endedWithCarriageReturn && text.startsWith('\n')) text = text.slice(1)
    this.#endedWithCarriageReturn = piece.endsWith('\r')
    let from = 0
    for (const { 0: ending, index } of text.matchAll(/\r\n|\n|\r/g)) {
      yield this.#line(text.slice(from, index))
      from = index + ending.length
    }
    this.#rest = (this.#rest + text.slice(from)).slice(0, maxLineLength)
  }

  /** The last line, where the text does not end with a line ending. */
  *end(): Generator<CsvLine> {
    if (this.#rest !== '') yield this.#line('')
  }

  #line(text: string): CsvLine {
    this.#number += 1
    const whole = this.#rest + text
    this.#rest = ''
    return { number: this.#number, text: whole.slice(0, maxLineLength) }
  }
}
