/**
 * The special cases of sandbox properties. The first three, the last three, `idno-meter` and `scotland` are visible
 * in the property's data, such as its meters. The others exist only as names, which the simulated upstreams and `requireRegion`
 * recognise.
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
  'not-serviceable',
  'prepayment-meter',
  'heat-network',
  'two-rate-meter',
] as const

export type SpecialCase = (typeof specialCases)[number]

/** The postcode with one property per special case. It does not exist outside a sandbox. */
export const specialCasePostcode = 'TE5 7AA'
