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
  /** The business that runs its network, as it calls itself. */
  network: string
}

/** The 14 regions, in the order of their distributor ids. */
export const distributionRegions: readonly DistributionRegion[] = [
  { distributorId: '10', gspGroup: '_A', name: 'Eastern', network: 'UK Power Networks' },
  { distributorId: '11', gspGroup: '_B', name: 'East Midlands', network: 'National Grid Electricity Distribution' },
  { distributorId: '12', gspGroup: '_C', name: 'London', network: 'UK Power Networks' },
  { distributorId: '13', gspGroup: '_D', name: 'Merseyside and North Wales', network: 'SP Energy Networks' },
  { distributorId: '14', gspGroup: '_E', name: 'West Midlands', network: 'National Grid Electricity Distribution' },
  { distributorId: '15', gspGroup: '_F', name: 'North East England', network: 'Northern Powergrid' },
  { distributorId: '16', gspGroup: '_G', name: 'North West England', network: 'SP Electricity North West' },
  {
    distributorId: '17',
    gspGroup: '_P',
    name: 'North Scotland',
    network: 'Scottish and Southern Electricity Networks',
  },
  { distributorId: '18', gspGroup: '_N', name: 'South Scotland', network: 'SP Energy Networks' },
  { distributorId: '19', gspGroup: '_J', name: 'South East England', network: 'UK Power Networks' },
  {
    distributorId: '20',
    gspGroup: '_H',
    name: 'Southern England',
    network: 'Scottish and Southern Electricity Networks',
  },
  { distributorId: '21', gspGroup: '_K', name: 'South Wales', network: 'National Grid Electricity Distribution' },
  {
    distributorId: '22',
    gspGroup: '_L',
    name: 'South West England',
    network: 'National Grid Electricity Distribution',
  },
  { distributorId: '23', gspGroup: '_M', name: 'Yorkshire', network: 'Northern Powergrid' },
]

/** Who runs the network that a meter point is on; undefined on an independent one, whose MPANs do not say it. */
export function networkOfMpan(mpan: string | null): string | undefined {
  return distributionRegions.find(({ distributorId }) => mpan?.startsWith(distributorId))?.network
}

/** Converts a stored `country` to a nation. Older rows may hold other text, which counts as England. */
export function nationOf(country: string): Nation {
  return nations.find((nation) => nation === country) ?? 'England'
}
