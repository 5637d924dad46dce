import { createHash } from 'node:crypto'
import { sampleAddressUid } from '../address-uid.ts'
import { mpanWithCheckDigit, mprnWithCheckDigits } from '../meter-points/meter-points.ts'
import type { Property } from '../property.ts'
import type { SamplePlace } from './sample-postcodes.ts'

/** How many homes one postcode is given: as many as a real one has on average. */
export const homesPerBlock = 15
const houses = 9

/** Stands in every invented address, so that nobody takes one for somebody's home. */
const sampleMark = 'Sandbox sample'

// biome-ignore format: a list of names reads better in rows
const streetNames = [
  'Amberwick', 'Brindlecote', 'Candlemere', 'Dapplewood', 'Everlark', 'Fennimore', 'Gossamer', 'Hazelwick',
  'Inkberry', 'Junipercote', 'Kestrelby', 'Larkmere', 'Merrowdown', 'Nettlewick', 'Otterbridge', 'Pepperfield',
  'Quillfeather', 'Rushlight', 'Silverlark', 'Thistlemere', 'Umberfield', 'Violetcote', 'Willowmark', 'Yarrowby',
]
const streetKinds = ['Road', 'Street', 'Terrace', 'Lane', 'Avenue', 'Grove', 'Close', 'Gardens']

/** Keeps the invented UPRNs of one seed apart from every other's; 0 is the homes a sandbox ships with. */
export const maxSeed = 999
/** Homes of one seed: what seven digits can count. */
export const maxSerial = 9_999_999

/**
 * Invents the homes of one postcode, nine houses and six flats of one building, each with both meters. The same place,
 * seed and block number always give the same homes; two different blocks share no addressUid and no UPRN.
 */
export function inventHomes(place: SamplePlace, seed: number, block: number): Property[] {
  const digest = hash(`street ${seed} ${block}`)
  const street = `${pick(streetNames, digest.readUInt16BE(0))} ${pick(streetKinds, digest.readUInt16BE(2))}`
  const firstNumber = 1 + (digest.readUInt16BE(4) % 60)
  return Array.from({ length: homesPerBlock }, (_, position) => {
    const flat = position - houses + 1
    const addressLine1 =
      flat > 0 ? `Flat ${flat}, ${firstNumber + 2 * houses} ${street}` : `${firstNumber + 2 * position} ${street}`
    return inventHome(place, seed, block * homesPerBlock + position, addressLine1)
  })
}

/** One home with made-up identifiers and meters. `serial` is its number among the homes of its seed. */
export function inventHome(place: SamplePlace, seed: number, serial: number, addressLine1: string): Property {
  if (!Number.isInteger(seed) || seed < 0 || seed > maxSeed || serial > maxSerial) {
    throw new RangeError(`seeds go from 0 to ${maxSeed}, serial numbers to ${maxSerial}`)
  }
  const key = `${seed}:${serial}`
  const digest = hash(`meters ${key}`)
  return {
    addressUid: sampleAddressUid(key),
    addressLine1,
    addressLine2: sampleMark,
    city: place.town,
    county: place.county,
    country: place.country,
    postcode: place.postcode,
    // No council is known to have been given numbers that begin with 99.
    uprn: `99${digits(seed, 3)}${digits(serial, 7)}`,
    mpan: mpanWithCheckDigit(`${place.distributorId}99${digits(digest.readUIntBE(0, 6), 8)}`),
    mprn: mprnWithCheckDigits(`9${digits(digest.readUIntBE(6, 6), 7)}`),
    source: 'sample',
    specialCase: null,
  }
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/** The last `length` digits of a number, zeros in front. */
function digits(number: number, length: number): string {
  return String(number % 10 ** length).padStart(length, '0')
}

function pick(choices: readonly string[], number: number): string {
  return choices[number % choices.length] ?? ''
}
