import { createHash } from 'node:crypto'
import { sampleAddressUid } from '../address-uid.ts'
import { mpanWithCheckDigit, mprnWithCheckDigits } from '../meter-points/meter-points.ts'
import type { Property } from '../property.ts'
import type { SamplePlace } from './sample-postcodes.ts'

/** How many properties to create per postcode: about as many as an average real postcode has. */
export const propertiesPerBlock = 15
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

/** The highest seed. Different seeds produce different UPRNs. Seed 0 is for the properties that every sandbox has. */
export const maxSeed = 999
/** The highest serial number of a property within a seed: seven digits. */
export const maxSerial = 9_999_999

/**
 * Invents the properties of one postcode: nine houses and six flats in one building, each with both meters. The same place, seed
 * and block always give the same properties; different blocks share no addressUid and no UPRN.
 */
export function inventProperties(place: SamplePlace, seed: number, block: number): Property[] {
  const digest = hash(`street ${seed} ${block}`)
  const street = `${pick(streetNames, digest.readUInt16BE(0))} ${pick(streetKinds, digest.readUInt16BE(2))}`
  const firstNumber = 1 + (digest.readUInt16BE(4) % 60)
  return Array.from({ length: propertiesPerBlock }, (_, position) => {
    const flat = position - houses + 1
    const addressLine1 =
      flat > 0 ? `Flat ${flat}, ${firstNumber + 2 * houses} ${street}` : `${firstNumber + 2 * position} ${street}`
    return inventProperty(place, seed, block * propertiesPerBlock + position, addressLine1)
  })
}

/** Invents one property with its ids and meters. `serial` is its number within the seed. */
export function inventProperty(place: SamplePlace, seed: number, serial: number, addressLine1: string): Property {
  if (!Number.isInteger(seed) || seed < 0 || seed > maxSeed || serial > maxSerial) {
    throw new RangeError(`the seed must be 0 to ${maxSeed} and the serial number at most ${maxSerial}`)
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
    // No council is known to use UPRNs that start with 99.
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

/** The last `length` digits of a number, padded with zeros. */
function digits(number: number, length: number): string {
  return String(number % 10 ** length).padStart(length, '0')
}

function pick(choices: readonly string[], number: number): string {
  return choices[number % choices.length] ?? ''
}
