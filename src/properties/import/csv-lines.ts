/** The longest line that is kept, which is longer than any real row. This limits memory use if the file is not text. */
const maxLineLength = 65_536

export interface CsvLine {
  /** The line number, starting at 1 as in an editor. */
  number: number
  /** The line without its line ending, truncated to 65,536 characters. */
  text: string
}

/**
 * Splits text that arrives in chunks of any size into lines. A line may end with LF, CR LF or CR. Drops a byte order
 * mark.
 */
export class LineSplitter {
  #number = 0
  #rest = ''
  #started = false
  #endedWithCarriageReturn = false

  /** Returns the lines that this piece completes. */
  push(piece: string): CsvLine[] {
    let text = piece
    if (text === '') return []
    if (!this.#started && text.startsWith('\ufeff')) text = text.slice(1)
    this.#started = true
    if (this.#endedWithCarriageReturn && text.startsWith('\n')) text = text.slice(1)
    this.#endedWithCarriageReturn = piece.endsWith('\r')
    const lines: CsvLine[] = []
    let from = 0
    // Searching for each character apart is several times as fast as a regular expression for both.
    let lineFeed = text.indexOf('\n')
    let carriageReturn = text.indexOf('\r')
    while (lineFeed !== -1 || carriageReturn !== -1) {
      const isReturn = carriageReturn !== -1 && (lineFeed === -1 || carriageReturn < lineFeed)
      const end = isReturn ? carriageReturn : lineFeed
      lines.push(this.#line(text.slice(from, end)))
      from = isReturn && lineFeed === end + 1 ? end + 2 : end + 1
      if (lineFeed !== -1 && lineFeed < from) lineFeed = text.indexOf('\n', from)
      if (carriageReturn !== -1 && carriageReturn < from) carriageReturn = text.indexOf('\r', from)
    }
    this.#rest = (this.#rest + text.slice(from)).slice(0, maxLineLength)
    return lines
  }

  /** Returns the last line if the text does not end with a line ending. */
  end(): CsvLine[] {
    return this.#rest === '' ? [] : [this.#line('')]
  }

  #line(text: string): CsvLine {
    this.#number += 1
    const whole = this.#rest === '' ? text : this.#rest + text
    this.#rest = ''
    return { number: this.#number, text: whole.length > maxLineLength ? whole.slice(0, maxLineLength) : whole }
  }
}
