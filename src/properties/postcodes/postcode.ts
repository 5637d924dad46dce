import { toNormalised } from 'postcode'
import type { GspGroup } from './distribution-regions.ts'

/**
 * The six formats of BS 7666 with the letters allowed in each position. The `postcode` package checks only the
 * positions of letters and digits.
 */
const bs7666 =
  /^(?:[A-PR-UWYZ][0-9]{1,2}|[A-PR-UWYZ][A-HK-Y][0-9]{1,2}|[A-PR-UWYZ][0-9][A-HJKPSTUW]|[A-PR-UWYZ][A-HK-Y][0-9][ABEHMNPRV-Y]) [0-9][ABD-HJLNP-UW-Z]{2}$/

/** Girobank's postcode fits no format; BS 7666 lists it separately. */
const girobank = 'GIR0AA'

/** White space, every dash, and the invisible characters that text copied from a web page may contain. */
const meaningless = /[\s\p{Dash}\p{Default_Ignorable_Code_Point}]+/gu

/** Text longer than this is rejected immediately. No one types a postcode this long. */
const maxLength = 100

/**
 * Normalises a postcode to upper case with one space before the last three characters (`sw72az` → `SW7 2AZ`); null if
 * the format is not British. The result may be a postcode that does not exist or is not served.
 */
export function normalisePostcode(text: string): string | null {
  if (text.length > maxLength) return null
  const compact = text.replace(meaningless, '')
  // Check before changing case: `ſ` and `ı` would become S and I.
  if (!/^[A-Za-z0-9]{5,7}$/.test(compact)) return null
  if (compact.toUpperCase() === girobank) return 'GIR 0AA'
  const normal = toNormalised(compact)
  return normal !== null && bs7666.test(normal) ? normal : null
}

/** Whether the text is only the beginning of a postcode: its district, such as `LS2`, perhaps with the sector's digit. */
export function isDistrict(text: string): boolean {
  if (text.length > maxLength) return false
  const compact = text.replace(meaningless, '')
  return normalisePostcode(text) === null && ['9AA', 'AA'].some((rest) => normalisePostcode(compact + rest) !== null)
}

/** The area of a normalised postcode, e.g. `SW` for `SW7 2AZ`. */
export function postcodeArea(postcode: string): string {
  return /^[A-Z]+/.exec(postcode)?.[0] ?? ''
}

/**
 * Whether properties at this normalised postcode can be quoted. This is true for the postcode areas of Great Britain
 * and the sandbox's `TE`. It is false for Northern Ireland, the Crown dependencies, the armed forces, overseas
 * territories and non-geographic areas.
 */
export function isServedPostcode(postcode: string): boolean {
  return regionOfArea(postcodeArea(postcode)) !== null
}

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
