import { type Nation, nations } from '../property.ts'

/**
 * An electricity distribution region of Great Britain, identified by the GSP group id that industry settlement uses.
 */
export type GspGroup = '_A' | '_B' | '_C' | '_D' | '_E' | '_F' | '_G' | '_H' | '_J' | '_K' | '_L' | '_M' | '_N' | '_P'

interface DistributionRegion {
  gspGroup: GspGroup
  /** The first two digits of the region's MPANs, except on independent networks. */
  distributorId: string
  name: string
}

/** The 14 regions, in the order of their distributor ids. */
export const distributionRegions: readonly DistributionRegion[] = [
  { distributorId: '10', gspGroup: '_A', name: 'Eastern' },
  { distributorId: '11', gspGroup: '_B', name: 'East Midlands' },
  { distributorId: '12', gspGroup: '_C', name: 'London' },
  { distributorId: '13', gspGroup: '_D', name: 'Merseyside and North Wales' },
  { distributorId: '14', gspGroup: '_E', name: 'West Midlands' },
  { distributorId: '15', gspGroup: '_F', name: 'North East England' },
  { distributorId: '16', gspGroup: '_G', name: 'North West England' },
  { distributorId: '17', gspGroup: '_P', name: 'North Scotland' },
  { distributorId: '18', gspGroup: '_N', name: 'South Scotland' },
  { distributorId: '19', gspGroup: '_J', name: 'South East England' },
  { distributorId: '20', gspGroup: '_H', name: 'Southern England' },
  { distributorId: '21', gspGroup: '_K', name: 'South Wales' },
  { distributorId: '22', gspGroup: '_L', name: 'South West England' },
  { distributorId: '23', gspGroup: '_M', name: 'Yorkshire' },
]

/** Converts a stored `country` to a nation. Older rows may hold other text, which counts as England. */
export function nationOf(country: string): Nation {
  return nations.find((nation) => nation === country) ?? 'England'
}
