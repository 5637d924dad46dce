import { createHash } from 'node:crypto'
import { sampleAddressUid } from '../../properties/address-uid.ts'
import { mpanWithCheckDigit, mprnWithCheckDigits } from '../../properties/meter-points/meter-points.ts'
import type { Property } from '../../properties/property.ts'
import type { SamplePlace } from './sample-postcodes.ts'

/** How many sample properties each postcode has. */
const propertiesPerBlock = 15
/** The number of houses at a postcode; further properties are flats in one building. */
export const houses = 9

/** Every invented address contains this text, so that nobody mistakes it for a real one. */
export const sampleMark = 'Sandbox sample'

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
export function inventStreet(seed: number, block: number): { street: string; firstNumber: number } {
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
