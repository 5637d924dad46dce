import { mpanWithCheckDigit, mprnWithCheckDigits } from '../../properties/meter-points/meter-points.ts'
import { houses, inventStreet, sampleMark } from './invent-properties.ts'
import { type InventedDistrict, listInventedDistricts } from './invented-districts.ts'

/** The most properties of a generated file: about as many as Britain has. */
export const mostGenerated = 30_000_000

/** The letters allowed at the end of a postcode. */
const unitLetters = 'ABDEFGHJLNPQRSTUWXYZ'

/** The properties of one postcode. */
export interface Block {
  seed: number
  /** The number of the postcode, which determines its street. */
  block: number
  /** The number of the first property. */
  serial: number
  /** How many properties the postcode has. */
  size: number
}

/**
 * The postcode of block number `block`. Successive blocks go through the districts in turn, each of which has 4,000
 * postcodes.
 */
function postcodeOfBlock(
  districts: readonly InventedDistrict[],
  block: number,
): InventedDistrict & { postcode: string } {
  const district = districts[block % districts.length]
  if (district === undefined) throw new Error('reference/postcode-areas.csv has no districts')
  const unit = Math.floor(block / districts.length)
  const letters = unitLetters.length
  const first = unitLetters.charAt(Math.floor(unit / letters) % letters)
  const sector = Math.floor(unit / letters ** 2) % 10
  return { ...district, postcode: `${district.name} ${sector}${first}${unitLetters.charAt(unit % letters)}` }
}

/** The rows of one postcode. */
export function csvOfBlock({ seed, block, serial, size }: Block, districts = listInventedDistricts()): string {
  const { street, firstNumber } = inventStreet(seed, block)
  const { town, county, country, postcode, distributorId } = postcodeOfBlock(districts, block)
  const shared = `${sampleMark},${town},${county},${country},${postcode}`
  let text = ''
  for (let position = 0; position < size; position += 1) {
    const flat = position - houses + 1
    const line =
      flat > 0 ? `"Flat ${flat}, ${firstNumber + 2 * houses} ${street}"` : `${firstNumber + 2 * position} ${street}`
    const number = serial + position
    const mprn = flat > 0 && block % 4 === 3 ? '' : mprnOf(seed, number)
    text += `${line},${shared},${uprnOf(seed, number)},${mpanOf(distributorId, seed, number)},${mprn}\r\n`
  }
  return text
}

/**
 * Twelve digits, different for each seed and number. No council is known to use UPRNs that start with 97, 98 or 99. The
 * properties of every sandbox have the UPRNs of seed 0.
 */
function uprnOf(seed: number, number: number): string {
  const perPrefix = 10_000_000
  return String((99 - Math.floor(number / perPrefix)) * 10 ** 10 + seed * perPrefix + (number % perPrefix))
}

/** An MPAN that no other property of the file has. */
function mpanOf(distributorId: string, seed: number, number: number): string {
  return mpanWithCheckDigit(`${distributorId}99${String(scatter(seed, number, 10 ** 8)).padStart(8, '0')}`)
}

/** An MPRN that no other property of the file has. */
function mprnOf(seed: number, number: number): string {
  return mprnWithCheckDigits(String(7 * 10 ** 7 + scatter(seed, number, mostGenerated)))
}

/**
 * Maps each number below `range` to a different one below `range` that looks random. `range` must have no prime factors
 * but 2, 3 and 5.
 */
function scatter(seed: number, number: number, range: number): number {
  return (number * 61_803_397 + seed * 3_141_592_651) % range
}
