/**
 * What is special about each of the sandbox's magic properties. The first three and the last two lie in the property's
 * own data; for the others the simulated upstreams look at the slug.
 */
export const specialCases = [
  'no-gas',
  'no-electricity',
  'no-meters',
  'home-telecom-down',
  'broadband-database-down',
  'both-down',
  'slow-upstreams',
  'no-broadband',
  'idno-meter',
  'scotland',
] as const

export type SpecialCase = (typeof specialCases)[number]

/** The postcode that holds one property for each special case; it does not exist outside a sandbox. */
export const specialCasePostcode = 'TE5 7AA'
