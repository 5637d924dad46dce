import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { type Nation, nations } from '../../properties/property.ts'

/** The real postcode of a university, with its town and region, used to invent sample properties. */
export interface SamplePlace {
  postcode: string
  town: string
  county: string
  country: Nation
  distributorId: string
}

const file = new URL('../../../reference-data/sample-postcodes.csv', import.meta.url)

/**
 * The places in `reference-data/sample-postcodes.csv`, in file order. Add new places at the end of the file, because a
 * place's position determines its properties' ids. Throws if a row has a nation that is not served.
 */
export function readSamplePlaces(): SamplePlace[] {
  const rows = parse<Record<string, string>>(readFileSync(file, 'utf8'), { columns: true })
  return rows.map(({ postcode = '', town = '', county = '', country = '', distributor_id: distributorId = '' }) => {
    const nation = nations.find((each) => each === country)
    if (nation === undefined)
      throw new Error(`reference-data/sample-postcodes.csv: ${postcode} is in a nation that is not served`)
    return { postcode, town, county, country: nation, distributorId }
  })
}
