/** The longest line that is kept, which is longer than any real row. This limits memory use if the file is not text. */
const maxLineLength = 65_536

export interface CsvLine {
  /** The line number, starting at 1 as in an editor. */
  number: number
  /** The line without its line ending, truncated to 65,536 characters. */
  text: string
}

/**
 * Splits text that arrives in chunks of any size into lines. A line may end with LF, CR LF or CR. Drops a byte order mark.
 */
export class LineSplitter {
  #number = 0
  #rest = ''
  #started = false
  #endedWithCarriageReturn = false;

  /** Returns the lines that this piece completes. */
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

  /** Yields the last line if the text does not end with a line ending. */
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
