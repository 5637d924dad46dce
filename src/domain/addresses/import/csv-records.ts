import { parse } from 'csv-parse/sync'
import { type CsvLine, LineSplitter } from './csv-lines.ts'

/**
 * A CSV record (RFC 4180, with commas and double quotes) and the line it starts on, or the reason why it cannot be read. csv-parse
 * splits each record into fields, but this module finds where records start and end. The streaming parser of csv-parse miscounts
 * lines after a CR LF within quotes, and silently drops the rows after a stray quote. With this module, only the broken line is
 * lost.
 */
export type CsvRecord = { line: number; fields: string[] } | { line: number; problem: string }

/** A field that spans more lines than this is assumed to have an unclosed quotation mark. */
const maxLinesOfRecord = 20

/** Reads the records of CSV text that arrives in pieces. Skips empty lines. The first record sets the number of fields. */
export async function* readCsvRecords(pieces: AsyncIterable<string> | Iterable<string>): AsyncGenerator<CsvRecord> {
  const lines = new LineSplitter()
  const records = new RecordReader()
  for await (const piece of pieces) {
    for (const line of lines.push(piece)) yield* records.push(line)
  }
  for (const line of lines.end()) yield* records.push(line)
  yield* records.end()
}

class RecordReader {
  /** The lines of a record whose quoted field is still open. */
  #open: CsvLine[] = []
  #width: number | undefined;

  *push(line: CsvLine): Generator<CsvRecord> {
    if (this.#open.length === 0) {
      yield* this.#start(line)
      return
    }
    this.#open.push(line)
    if (countQuotes(line.text) % 2 === 1) yield* this.#close()
    else if (this.#open.length === maxLinesOfRecord) yield* this.#rejectFirst()
  }

  *end(): Generator<CsvRecord> {
    while (this.#open.length > 0) yield* this.#rejectFirst()
  }

  *#start(line: CsvLine): Generator<CsvRecord> {
    if (line.text.trim() === '') return
    const quotes = countQuotes(line.text)
    if (quotes % 2 === 1) {
      // The unmatched quotation mark either starts a multi-line field or is stray. To find out, append another one: the line then parses
      // only in the first case.
      const start = parseFields(`${line.text}"`)
      if (typeof start === 'string') yield { line: line.number, problem: start }
      else this.#open = [line]
      return
    }
    yield this.#record(line.number, quotes === 0 ? line.text.split(',') : parseFields(line.text))
  }

  *#close(): Generator<CsvRecord> {
    const first = this.#open[0]
    const record = this.#record(first?.number ?? 0, parseFields(this.#open.map(({ text }) => text).join('\n')))
    if ('problem' in record) {
      yield* this.#rejectFirst()
      return
    }
    this.#open = []
    yield record
  }

  /** Rejects the first line of the unfinished record and reads its other lines again, each as the possible start of a record. */
  *#rejectFirst(): Generator<CsvRecord> {
    const [broken, ...following] = this.#open
    this.#open = []
    if (broken !== undefined)
      yield { line: broken.number, problem: 'a quotation mark is opened on this line and never closed' }
    for (const line of following) yield* this.push(line)
  }

  #record(line: number, fields: string[] | string): CsvRecord {
    if (typeof fields === 'string') return { line, problem: fields }
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

/** Parses one record. Returns its fields, or a description of what is wrong with it. */
function parseFields(text: string): string[] | string {
  try {
    // The only line ending in the text is LF, because the lines were already split.
    return parse(text, { recordDelimiter: '\n', relax_column_count: true })[0] ?? ['']
  } catch {
    return 'has a quotation mark inside a field. Put the whole field in quotation marks, and double each quotation mark inside it'
  }
}
