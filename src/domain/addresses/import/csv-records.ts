import { parse } from 'csv-parse/sync'
import { type CsvLine, LineSplitter } from './csv-lines.ts'

/**
 * Reads CSV (RFC 4180, comma and double quote) record by record, and knows for each the line it starts on.
 *
 * The fields of a record come from csv-parse, but where a record begins and ends is found here: csv-parse's own stream
 * loses count of lines after a CR LF within quotes, and after one stray quote it takes the rows that follow for the
 * inside of a field and drops them without a word. Here a broken record costs its own line, and reading goes on with
 * the next.
 */
export type CsvRecord = { line: number; fields: string[] } | { line: number; problem: string }

/** A field with more line breaks than this is an opening quote that nobody closed. */
const maxLinesOfRecord = 20

/** The records of a text handed in by pieces. Empty lines are no records. The first record sets the number of fields. */
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
  /** Lines of a record whose quoted field is still open. */
  #open: CsvLine[] = []
  #width: number | undefined;

  *push(line: CsvLine): Generator<CsvRecord> {
    if (this.#open.length === 0) {
      yield* this.#start(line)
      return
    }
    this.#open.push(line)
    if (countQuotes(line.text) % 2 === 1) yield* this.#close()
    else if (this.#open.length === maxLinesOfRecord) yield* this.#giveUp()
  }

  *end(): Generator<CsvRecord> {
    while (this.#open.length > 0) yield* this.#giveUp()
  }

  *#start(line: CsvLine): Generator<CsvRecord> {
    if (line.text.trim() === '') return
    const quotes = countQuotes(line.text)
    if (quotes % 2 === 1) {
      // With one more quote at its end, the beginning of a field with line breaks reads well; a stray quote does not.
      const beginning = parseFields(`${line.text}"`)
      if (typeof beginning === 'string') yield { line: line.number, problem: beginning }
      else this.#open = [line]
      return
    }
    yield this.#record(line.number, quotes === 0 ? line.text.split(',') : parseFields(line.text))
  }

  *#close(): Generator<CsvRecord> {
    const first = this.#open[0]
    const record = this.#record(first?.number ?? 0, parseFields(this.#open.map(({ text }) => text).join('\n')))
    if ('problem' in record) {
      yield* this.#giveUp()
      return
    }
    this.#open = []
    yield record
  }

  /** The first open line is broken; those after it are read again, each as the start of a record of its own. */
  *#giveUp(): Generator<CsvRecord> {
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
    return { line, problem: `has ${fields.length} fields, but the header has ${this.#width}` }
  }
}

function countQuotes(text: string): number {
  let count = 0
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count += 1
  return count
}

/** The fields of one record, or what is wrong with it. */
function parseFields(text: string): string[] | string {
  try {
    // Only LF can occur in the text: lines were cut before.
    return parse(text, { recordDelimiter: '\n', relax_column_count: true })[0] ?? ['']
  } catch {
    return 'has a quotation mark inside a field. Put the field in quotation marks and double those inside it'
  }
}
