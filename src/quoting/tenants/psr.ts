import { type IsoDate, isIsoDate } from '../../platform/kernel/dates.ts'
import type { FieldError } from '../../platform/kernel/errors.ts'

/** A need recorded in the Priority Services Register, identified by its industry code. */
export interface PsrCategory {
  code: string
  expiryDate?: string
  youngestChildDateOfBirth?: string
}

interface PsrAuthorisedContact {
  firstName: string
  lastName: string
  relationship: string
  phone: string
  email?: string
  consentGiven: true
}

/** A customer's details for the Priority Services Register: health data, encrypted at rest. */
export interface PsrDetails {
  hasPsr: boolean
  categories?: PsrCategory[]
  authorisedContact?: PsrAuthorisedContact
  password?: string
  communicationFormat?: string
  consentToShare?: boolean
  notes?: string
}

/** What a category requires in addition to its code. */
export type PsrExtra = 'none' | 'expiry-date' | 'expiry-date-or-youngest-child'

export interface PsrCategoryDefinition {
  code: string
  name: string
  grouping: string
  extra: PsrExtra
}

const extraDetails: Record<Exclude<PsrExtra, 'none'>, string> = {
  'expiry-date': 'This category is temporary, so expiryDate is required.',
  'expiry-date-or-youngest-child':
    'Send expiryDate or youngestChildDateOfBirth, so that the entry ends when it no longer applies.',
}

/**
 * Checks the rules for psrDetails that the schema cannot express. If hasPsr is true, requires a category, consent to
 * share and an authorised contact. Some categories also require a date: either an expiry date in the future or a date
 * of birth in the past.
 */
export function psrRuleErrors(
  psrDetails: unknown,
  definitions: readonly PsrCategoryDefinition[],
  today: IsoDate,
): FieldError[] {
  if (!isRecord(psrDetails) || psrDetails.hasPsr !== true) return []
  const breaches: FieldError[] = []
  if (psrDetails.authorisedContact === undefined) {
    breaches.push({
      pointer: '/psrDetails/authorisedContact',
      code: 'psr_contact_required',
      detail:
        'With hasPsr true, give authorisedContact: firstName, lastName, relationship, phone and consentGiven: true.',
    })
  }
  if (psrDetails.consentToShare !== true) {
    breaches.push({
      pointer: '/psrDetails/consentToShare',
      code: 'required',
      detail: 'With hasPsr true, consentToShare must be true: the suppliers and networks must be told.',
    })
  }
  const { categories } = psrDetails
  if (categories === undefined || (Array.isArray(categories) && categories.length === 0)) {
    breaches.push({
      pointer: '/psrDetails/categories',
      code: 'required',
      detail: 'With hasPsr true, give at least one category.',
    })
  }
  if (Array.isArray(categories)) breaches.push(...categoryBreaches(categories, definitions, today))
  return breaches
}

function categoryBreaches(
  categories: readonly unknown[],
  definitions: readonly PsrCategoryDefinition[],
  today: IsoDate,
): FieldError[] {
  return categories.flatMap((category, index): FieldError[] => {
    if (!isRecord(category) || typeof category.code !== 'string') return []
    const pointer = `/psrDetails/categories/${index}`
    const definition = definitions.find((known) => known.code === category.code)
    if (definition === undefined) {
      return [
        {
          pointer: `${pointer}/code`,
          code: 'not_allowed',
          detail: 'No category has this code. GET /Customers/psr-categories lists the categories.',
        },
      ]
    }
    const hasExpiry = category.expiryDate !== undefined
    const isSatisfied =
      definition.extra === 'none' ||
      hasExpiry ||
      (definition.extra === 'expiry-date-or-youngest-child' && category.youngestChildDateOfBirth !== undefined)
    if (isSatisfied || definition.extra === 'none') return dateBreaches(category, pointer, today)
    return [{ pointer: `${pointer}/expiryDate`, code: 'required', detail: extraDetails[definition.extra] }]
  })
}

/**
 * Rejects an expiry date in the past and a date of birth in the future. Today's date is that of the partner's clock.
 */
function dateBreaches(category: Record<string, unknown>, pointer: string, today: IsoDate): FieldError[] {
  const { expiryDate, youngestChildDateOfBirth: birth } = category
  const breaches: FieldError[] = []
  if (typeof expiryDate === 'string' && isIsoDate(expiryDate) && expiryDate < today) {
    const detail = 'This date is in the past, so the entry has expired. Correct the date, or leave the category out.'
    breaches.push({ pointer: `${pointer}/expiryDate`, code: 'out_of_range', detail })
  }
  if (typeof birth === 'string' && isIsoDate(birth) && birth > today) {
    const detail = 'A date of birth cannot be in the future. Correct it, or send expiryDate instead.'
    breaches.push({ pointer: `${pointer}/youngestChildDateOfBirth`, code: 'out_of_range', detail })
  }
  return breaches
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
