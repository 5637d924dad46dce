import type { GspGroup } from './distribution-regions.ts'

/**
 * The distribution region of each postcode area. `all`: the whole area lies in the region. `mainly`: the area crosses a
 * boundary and most of it lies there. An MPAN's distributor takes precedence over this table. The table also lists the
 * areas we serve. Any other area is rejected: Northern Ireland (BT), the Crown dependencies (JE, GY, IM), the forces
 * (BF), Girobank (GIR), overseas (ASCN, GX …) and non-geographic areas (BX, XX, ZZ …).
 */
const areasByRegion: Record<GspGroup, { all: string; mainly: string }> = {
  _A: { all: 'AL CB CM CO EN HA IP NR RM SG SS WD', mainly: 'HP LU N PE' },
  _B: { all: 'DE LE NG NN', mainly: 'CV LN MK' },
  _C: { all: 'EC SE SW WC', mainly: 'DA E IG NW W' },
  _D: { all: 'CH LL', mainly: 'CW L WA' },
  _E: { all: 'DY TF WR WS WV', mainly: 'B GL HR ST SY' },
  _F: { all: 'DH DL HG NE SR TS', mainly: 'YO' },
  _G: { all: 'BL CA FY LA M SK WN', mainly: 'BB OL PR' },
  _H: { all: 'BH PO RG SL SN SO SP', mainly: 'DT GU OX TW UB' },
  _J: { all: 'CT ME SM TN', mainly: 'BN BR CR KT RH' },
  _K: { all: 'CF NP SA', mainly: 'LD' },
  _L: { all: 'EX PL TA TQ TR', mainly: 'BA BS' },
  _M: { all: 'HD HU HX LS WF', mainly: 'BD DN S' },
  _N: { all: 'DG EH ML TD', mainly: 'FK G KA KY' },
  _P: { all: 'AB HS IV KW PH ZE', mainly: 'DD PA' },
}

/** A fictitious area for the sandbox's special cases. The MPANs of most of them are from distributor 15. */
const sandboxArea = { area: 'TE', region: '_F' } as const

const regionByArea = new Map<string, GspGroup>([[sandboxArea.area, sandboxArea.region]])
for (const [region, { all, mainly }] of Object.entries(areasByRegion)) {
  for (const area of `${all} ${mainly}`.split(' ')) regionByArea.set(area, region as GspGroup)
}

/** The region of a postcode area such as `NR`; null if the area is not served. */
export function regionOfArea(area: string): GspGroup | null {
  return regionByArea.get(area) ?? null
}
