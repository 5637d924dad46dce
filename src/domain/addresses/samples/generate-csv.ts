import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { importColumns } from '../import/import-columns.ts'
import type { Property } from '../property.ts'
import { inventProperties, maxSeed, maxSerial, propertiesPerBlock } from './invent-properties.ts'
import { readSamplePlaces, type SamplePlace } from './sample-postcodes.ts'

export interface GenerateOptions {
  /** How many properties to generate: 1 to 10,000,000. */
  count: number
  /** The seed, 1 to 999. The same seed gives the same file, and files with different seeds have no property in common. */
  seed: number
}

/**
 * `housebill addresses generate`: writes a CSV of invented properties for `addresses import`, fifteen per invented postcode in the
 * districts of the sample places. The flats in every fourth building have no gas. Leaves `output` open, because it may be standard
 * output. Throws RangeError if an option is out of range.
 */
export async function generateCsv(output: Writable, { count, seed }: GenerateOptions): Promise<void> {
  if (!Number.isInteger(count) || count < 1 || count > maxSerial + 1) {
    throw new RangeError(`the number of properties must be 1 to ${maxSerial + 1}`)
  }
  if (!Number.isInteger(seed) || seed < 1 || seed > maxSeed) throw new RangeError(`the seed must be 1 to ${maxSeed}`)
  await pipeline(Readable.from(csvBlocks(count, seed)), output, { end: false })
}

function* csvBlocks(count: number, seed: number): Generator<string> {
  yield `${importColumns.join(',')}\r\n`
  const places = readSamplePlaces()
  for (let block = 0; block * propertiesPerBlock < count; block += 1) {
    const homes = inventProperties(placeOfBlock(places, block), seed, block)
    yield homes
      .slice(0, count - block * propertiesPerBlock)
      .map((home) => csvLine(block % 4 === 3 && home.addressLine1.startsWith('Flat') ? { ...home, mprn: null } : home))
      .join('')
  }
}

/** The letters allowed at the end of a postcode. */
const unitLetters = 'ABDEFGHJLNPQRSTUWXYZ'

/**
 * Returns the sample place for block number `block`, with the postcode for that block. Successive blocks go through the sample places
 * in turn, and the blocks at one place go through the 4,000 postcodes of its district.
 */
function placeOfBlock(places: readonly SamplePlace[], block: number): SamplePlace {
  const place = places[block % places.length]
  if (place === undefined) throw new Error('reference/sample-postcodes.csv has no postcodes')
  const unit = Math.floor(block / places.length)
  const letters = unitLetters.length
  const first = unitLetters.charAt(Math.floor(unit / letters) % letters)
  const sector = Math.floor(unit / letters ** 2) % 10
  const [district = ''] = place.postcode.split(' ')
  return { ...place, postcode: `${district} ${sector}${first}${unitLetters.charAt(unit % letters)}` }
}

function csvLine(home: Property): string {
  const fields = importColumns.map((column) => (column === 'postCode' ? home.postcode : (home[column] ?? '')))
  return `${fields.map((field) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',')}\r\n`
}
