/** The longest line that is kept, which is longer than any real row. This limits memory use if the file is not text. */
const maxLineLength = 65_536

interface CsvLine {
  /** The line number, starting at 1 as in an editor. */
  number: number
  /** The line without its line ending, truncated to 65,536 characters. */
  text: string
}

/**
 * Splits text that arrives in chunks of any size into lines. A line may end with LF, CR LF or CR. Drops a byte order
 * mark.
 */
class LineSplitter {
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

/**
 * A CSV record (RFC 4180, with commas and double quotes) and the line it starts on, or the reason why it cannot be
 * read. Libraries miscount lines after a CR LF within quotes, and lose the rows after a stray quotation mark. Here,
 * only the broken line is lost.
 */
export type CsvRecord = { line: number; fields: string[] } | { line: number; problem: string }

/** A field that spans more lines than this is assumed to have an unclosed quotation mark. */
const maxLinesOfRecord = 20

const strayQuote =
  'has a quotation mark inside a field. Put the whole field in quotation marks, and double each quotation mark inside it'

/**
 * Reads the records of CSV text that arrives in pieces. Skips empty lines. The first record sets the number of fields.
 */
export class CsvReader {
  readonly #lines = new LineSplitter()
  /** The lines of a record whose quoted field is still open. */
  #open: CsvLine[] = []
  #width: number | undefined
  #records: CsvRecord[] = []

  /** Returns the records that this piece completes. */
  push(piece: string): CsvRecord[] {
    for (const line of this.#lines.push(piece)) this.#push(line)
    return this.#take()
  }

  /** Returns the last records, if the text does not end with a complete one. */
  end(): CsvRecord[] {
    for (const line of this.#lines.end()) this.#push(line)
    while (this.#open.length > 0) this.#rejectFirst()
    return this.#take()
  }

  #take(): CsvRecord[] {
    const records = this.#records
    this.#records = []
    return records
  }

  #push(line: CsvLine): void {
    if (this.#open.length === 0) {
      this.#start(line)
      return
    }
    this.#open.push(line)
    if (countQuotes(line.text) % 2 === 1) this.#close()
    else if (this.#open.length === maxLinesOfRecord) this.#rejectFirst()
  }

  #start(line: CsvLine): void {
    const { number, text } = line
    if (text.trim() === '') return
    const quotes = countQuotes(text)
    if (quotes % 2 === 0) {
      this.#records.push(this.#record(number, quotes === 0 ? text.split(',') : splitQuoted(text)))
      return
    }
    // The unmatched quotation mark either starts a multi-line field or is stray. To find out, append another one: the
    // line can then be split only in the first case.
    if (splitQuoted(`${text}"`) === undefined) this.#records.push({ line: number, problem: strayQuote })
    else this.#open = [line]
  }

  #close(): void {
    const first = this.#open[0]
    const record = this.#record(first?.number ?? 0, splitQuoted(this.#open.map(({ text }) => text).join('\n')))
    if ('problem' in record) {
      this.#rejectFirst()
      return
    }
    this.#open = []
    this.#records.push(record)
  }

  /**
   * Rejects the first line of the unfinished record and reads its other lines again, each as the possible start of a
   * record.
   */
  #rejectFirst(): void {
    const [broken, ...following] = this.#open
    this.#open = []
    if (broken !== undefined)
      this.#records.push({
        line: broken.number,
        problem: 'a quotation mark is opened on this line and never closed',
      })
    for (const line of following) this.#push(line)
  }

  #record(line: number, fields: string[] | undefined): CsvRecord {
    if (fields === undefined) return { line, problem: strayQuote }
    this.#width ??= fields.length
    if (fields.length === this.#width) return { line, fields }
    const count = fields.length === 1 ? '1 field' : `${fields.length} fields`
    return { line, problem: `has ${count}, but the header has ${this.#width}` }
  }
}

function countQuotes(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count += 1
  return count
}

/** Splits a record with quotation marks into its fields; undefined if one of them is inside a field. */
function splitQuoted(text: string): string[] | undefined {
  const fields: string[] = []
  let at = 0
  while (true) {
    const field = text.startsWith('"', at) ? quotedField(text, at) : plainField(text, at)
    if (field === undefined) return undefined
    fields.push(field.value)
    if (field.end === text.length) return fields
    if (!text.startsWith(',', field.end)) return undefined
    at = field.end + 1
  }
}

interface Field {
  value: string
  /** Where the field ends in its record. */
  end: number
}

function plainField(text: string, start: number): Field | undefined {
  const comma = text.indexOf(',', start)
  const end = comma === -1 ? text.length : comma
  const value = text.slice(start, end)
  return value.includes('"') ? undefined : { value, end }
}

function quotedField(text: string, start: number): Field | undefined {
  let value = ''
  let from = start + 1
  for (let quote = text.indexOf('"', from); quote !== -1; quote = text.indexOf('"', from)) {
    if (!text.startsWith('"', quote + 1)) return { value: value + text.slice(from, quote), end: quote + 1 }
    value += text.slice(from, quote + 1)
    from = quote + 2
  }
  return undefined
}
