import { createHash } from 'node:crypto'
import { sampleAddressUid } from '../../properties/address-uid.ts'
import { mpanWithCheckDigit, mprnWithCheckDigits } from '../../properties/meter-points/meter-points.ts'
import type { Property } from '../../properties/property.ts'
import { type InventedDistrict, listInventedDistricts } from './invented-districts.ts'
import type { SamplePlace } from './sample-postcodes.ts'

/** The most properties of a generated file: about as many as Britain has. */
export const mostGenerated = 30_000_000

/** The letters allowed at the end of a postcode. */
const unitLetters = 'ABDEFGHJLNPQRSTUWXYZ'

/** The properties of one postcode. */
interface Block {
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
  if (district === undefined) throw new Error('reference-data/postcode-areas.csv has no districts')
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

/** How many sample properties each postcode has. */
const propertiesPerBlock = 15
/** The number of houses at a postcode; further properties are flats in one building. */
const houses = 9

/** Every invented address contains this text, so that nobody mistakes it for a real one. */
const sampleMark = 'Sandbox sample'

// biome-ignore format: a list of names is easier to read in rows
const streetNames = [
  'Amberwick', 'Brindlecote', 'Candlemere', 'Dapplewood', 'Everlark', 'Fennimore', 'Gossamer', 'Hazelwick',
  'Inkberry', 'Junipercote', 'Kestrelby', 'Larkmere', 'Merrowdown', 'Nettlewick', 'Otterbridge', 'Pepperfield',
  'Quillfeather', 'Rushlight', 'Silverlark', 'Thistlemere', 'Umberfield', 'Violetcote', 'Willowmark', 'Yarrowby',
]
const streetKinds = ['Road', 'Street', 'Terrace', 'Lane', 'Avenue', 'Grove', 'Close', 'Gardens']

/** The seed of the properties that every sandbox has. `generateCsv` uses higher ones, which give other UPRNs. */
const shippedSeed = 0
/** The highest serial number of a sample property: seven digits. */
export const maxSerial = 9_999_999

/**
 * Invents the sample properties of one postcode: nine houses and six flats in one building, each with both meters. The
 * same place and block always give the same properties; different blocks share no addressUid and no UPRN.
 */
export function inventProperties(place: SamplePlace, block: number): Property[] {
  const { street, firstNumber } = inventStreet(shippedSeed, block)
  return Array.from({ length: propertiesPerBlock }, (_, position) => {
    const flat = position - houses + 1
    const addressLine1 =
      flat > 0 ? `Flat ${flat}, ${firstNumber + 2 * houses} ${street}` : `${firstNumber + 2 * position} ${street}`
    return inventProperty(place, block * propertiesPerBlock + position, addressLine1)
  })
}

/** Invents the street of a postcode, and its first house number. */
function inventStreet(seed: number, block: number): { street: string; firstNumber: number } {
  const digest = hash(`street ${seed} ${block}`)
  return {
    street: `${pick(streetNames, digest.readUInt16BE(0))} ${pick(streetKinds, digest.readUInt16BE(2))}`,
    firstNumber: 1 + (digest.readUInt16BE(4) % 60),
  }
}

/** Invents one sample property with its ids and meters. `serial` is its number. */
export function inventProperty(place: SamplePlace, serial: number, addressLine1: string): Property {
  const key = `${shippedSeed}:${serial}`
  const digest = hash(`meters ${key}`)
  return {
    addressUid: sampleAddressUid(key),
    addressLine1,
    addressLine2: sampleMark,
    city: place.town,
    county: place.county,
    country: place.country,
    postcode: place.postcode,
    // No council is known to use UPRNs that start with 99.
    uprn: `99${digits(shippedSeed, 3)}${digits(serial, 7)}`,
    mpan: mpanWithCheckDigit(`${place.distributorId}99${digits(digest.readUIntBE(0, 6), 8)}`),
    mprn: mprnWithCheckDigits(`9${digits(digest.readUIntBE(6, 6), 7)}`),
    meter: null,
    source: 'sample',
    specialCase: null,
  }
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** The last `length` digits of a number, padded with zeros. */
function digits(number: number, length: number): string {
  return String(number % 10 ** length).padStart(length, '0')
}

function pick(choices: readonly string[], number: number): string {
  return choices[number % choices.length] ?? ''
}
