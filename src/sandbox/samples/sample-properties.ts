import type { Queryable } from '../../platform/db/database.ts'
import { insertMissingProperties } from '../../properties/properties.store.ts'
import type { Property } from '../../properties/property.ts'
import { inventProperties, inventProperty, maxSerial } from './invent-properties.ts'
import { readSamplePlaces, type SamplePlace } from './sample-postcodes.ts'
import { type SpecialCase, specialCasePostcode, specialCases } from './special-case.ts'

/**
 * The properties that every sandbox has: fifteen at each sample postcode, all with both meters and broadband, and one
 * per special case. Always the same, including ids and meter numbers.
 * @internal Tests choose properties from it.
 */
export function generateSampleProperties(): Property[] {
  const ordinary = readSamplePlaces().flatMap((place, block) => inventProperties(place, block))
  return [...ordinary, ...generateSpecialCases()]
}

/** Generates only the special-case properties, one for each special case. */
export function generateSpecialCases(): Property[] {
  return specialCases.map(specialProperty)
}

const specialPlace: SamplePlace = {
  postcode: specialCasePostcode,
  town: 'Testbridge',
  county: '',
  country: 'England',
  distributorId: '15',
}
const scottishPlace: SamplePlace = { ...specialPlace, country: 'Scotland', distributorId: '18' }
const independentNetwork: SamplePlace = { ...specialPlace, distributorId: '26' }

const specialCaseDetails: Record<SpecialCase, { label: string; place?: SamplePlace; has?: Partial<Property> }> = {
  'no-gas': { label: 'no gas', has: { mprn: null } },
  'no-electricity': { label: 'no electricity', has: { mpan: null } },
  'no-meters': { label: 'no meters', has: { mpan: null, mprn: null } },
  'home-telecom-down': { label: 'home-telecom provider down' },
  'broadband-database-down': { label: 'broadband database down' },
  'both-down': { label: 'both down' },
  'slow-upstreams': { label: 'slow upstreams' },
  'no-broadband': { label: 'no broadband' },
  'idno-meter': { label: 'IDNO meter', place: independentNetwork },
  scotland: { label: 'Scotland', place: scottishPlace },
  'not-serviceable': { label: 'not serviceable', has: { mpan: null } },
  'prepayment-meter': { label: 'prepayment meter', has: { meter: { payment: 'prepayment', smart: true } } },
  'heat-network': { label: 'heat network', has: { meter: { heating: 'heat_network' } } },
  'two-rate-meter': { label: 'two-rate meter', has: { meter: { registers: 'two_rate' } } },
}

function specialProperty(specialCase: SpecialCase, index: number): Property {
  const { label, place = specialPlace, has } = specialCaseDetails[specialCase]
  // Assign serial numbers downwards from the highest one. The low ones stay free for more sample postcodes.
  const home = inventProperty(place, maxSerial - index, `House ${index + 1}: ${label}`)
  return { ...home, ...has, specialCase }
}

/**
 * Adds any missing sample properties. This is a single statement, so it can run at every start. Returns how many it
 * added.
 */
export function seedSamples(db: Queryable): Promise<number> {
  samples ??= generateSampleProperties()
  return insertMissingProperties(db, samples)
}

let samples: readonly Property[] | undefined
