import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { importColumns } from '../../properties/import/import-row.ts'
import { csvOfBlock, mostGenerated } from './invent-properties.ts'
import { listInventedDistricts } from './invented-districts.ts'

export interface GenerateOptions {
  /** How many properties to generate: 1 to 30,000,000. */
  count: number
  /**
   * The seed, 1 to 999. The same seed gives the same file, and files with different seeds have no property in common.
   */
  seed: number
}

const mostSeeds = 999

/**
 * How many properties the postcodes have, in turn: 200 in 12 postcodes, which makes 1.8 million postcodes for 30
 * million properties.
 */
const sizes = [15, 8, 20, 12, 35, 4, 18, 14, 26, 10, 22, 16]

/** How many postcodes are written at a time. */
const postcodesPerPiece = 64

/**
 * `housebill addresses generate`: writes a CSV of invented properties for `addresses import`, with as many properties
 * per postcode as Britain has on average, in its postcode districts. The flats in every fourth postcode have no gas.
 * Calls `onProgress` with the number of properties generated so far. Leaves `output` open, because it may be standard
 * output. Throws RangeError if an option is out of range.
 */
export async function generateCsv(
  output: Writable,
  { count, seed }: GenerateOptions,
  onProgress: (properties: number) => void = () => undefined,
): Promise<void> {
  if (!Number.isInteger(count) || count < 1 || count > mostGenerated) {
    throw new RangeError(`the number of properties must be 1 to ${mostGenerated}`)
  }
  if (!Number.isInteger(seed) || seed < 1 || seed > mostSeeds)
    throw new RangeError(`the seed must be 1 to ${mostSeeds}`)
  await pipeline(Readable.from(csvPieces(count, seed, onProgress)), output, { end: false })
}

function* csvPieces(count: number, seed: number, onProgress: (properties: number) => void): Generator<string> {
  yield `${importColumns.join(',')}\r\n`
  const districts = listInventedDistricts()
  let text = ''
  let serial = 0
  for (let block = 0; serial < count; block += 1) {
    const size = Math.min(sizes[block % sizes.length] ?? 0, count - serial)
    text += csvOfBlock({ seed, block, serial, size }, districts)
    serial += size
    if (block % postcodesPerPiece === postcodesPerPiece - 1 || serial === count) {
      yield text
      text = ''
      onProgress(serial)
    }
  }
}
