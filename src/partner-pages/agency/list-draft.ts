import { createHash } from 'node:crypto'
import type { Static } from 'typebox'
import { createHouseholdRoute } from '../../onboarding/create-household.route.ts'
import { isoDate, londonDate } from '../../platform/kernel/dates.ts'
import { comparableEmail } from '../../platform/kernel/email.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { matchAddressesRoute, mostLines } from '../../properties/matching/match-addresses.route.ts'
import type { Service } from '../../quoting/packages/services.ts'
import type { AgencyVisit } from './agency-visit.ts'
import { noHome } from './sell.page.ts'
import {
  type CellProblem,
  type ColumnKind,
  type ListContext,
  ownDomainOf,
  problemsAmong,
  type ReadRow,
  readRow,
  type WrittenList,
} from './written-list.ts'

/** A home that may be meant: its addressUid and its address. */
export type Home = readonly [addressUid: string, address: string]

/** A row between the steps of a list, as its import's draft keeps it. */
export interface DraftRow {
  cells: string[]
  /** Whether it was left out. */
  isOut?: boolean
  /** The address that was matched, and what was found. */
  matched?: { of: string; homes: Home[]; isSure: boolean; reason: string }
  /** The home that somebody chose. */
  chosen?: string
  /** What a dry run said of what would be sent, whose hash is `of`. */
  checked?: { of: string; problem: string; field: string; notes: Note[]; quoteId: string | null; services: Service[] }
}

interface Note {
  text: string
  quoteId: string | null
}

/** All that is kept of a list until it is sent, and then of the rows that were not. */
export interface ListDraft extends Omit<WrittenList, 'rows'> {
  /** Tells it from what programs keep in drafts. */
  madeBy: 'sell-list'
  rows: DraftRow[]
  services: Service[]
  permission: { from: 'all' | 'column' | 'nobody'; how: string; day: string }
  /** The homes of the rows that were sent, in their order. */
  sent: string[]
}

/** A row with all that is known of it. */
export interface JudgedRow extends DraftRow {
  index: number
  read: ReadRow
  /** The home that is meant; undefined unless it is certain or was chosen. */
  home: Home | undefined
  problems: CellProblem[]
  state: 'red' | 'choose' | 'held' | 'ready' | 'there' | 'out'
}

/** Judges the rows by what is known: nothing is asked. */
export function judge(draft: ListDraft, visit: AgencyVisit): JudgedRow[] {
  const context: ListContext = { today: londonDate(visit.now), ownDomain: ownDomainOf(visit.person.email ?? '') }
  const read = draft.rows.map(({ cells }) => readRow(draft.columns, cells, context))
  const kept = read.map((row, index) => (draft.rows[index]?.isOut ? { ...row, address: '', tenants: [] } : row))
  const among = problemsAmong(kept, draft.columns)
  const addressAt = draft.columns.indexOf('address')
  return draft.rows.flatMap((row, index) => {
    const own = read[index]
    if (own === undefined) return []
    const { matched, chosen, checked, isOut } = row
    const isMatched = matched?.of === addressOf(own)
    const homes = isMatched ? matched.homes : []
    const home = isMatched && matched.isSure ? homes[0] : homes.find(([uid]) => uid === chosen)
    const problems = [...own.problems, ...(among.get(index) ?? [])]
    if (isMatched && homes.length === 0)
      problems.push({ column: addressAt, text: noHome[matched.reason] ?? 'No home matches' })
    const judged = { ...row, index, read: own, home, problems }
    const isChecked = home !== undefined && checked?.of === triedAs(bodyOf(draft, visit, judged))
    if (isChecked && checked.problem !== '')
      problems.push({ column: columnOf(draft.columns, checked.field), text: checked.problem })
    const isThere = isChecked && checked.quoteId !== null
    const known = problems.length > 0 ? 'held' : isThere ? 'there' : 'ready'
    const wrong = problems.some(({ isHeld }) => !isHeld)
    const state = isOut ? 'out' : wrong ? 'red' : home === undefined ? 'choose' : known
    return [{ ...judged, state } as const]
  })
}

const addressOf = ({ address, postcode }: ReadRow) => `${address}\n${postcode}`
const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('base64url')
/** Says whether a row was tried as it is, whoever looks at it. */
const triedAs = (body: NewHousehold) => hashOf({ ...body, soldBy: null })

/** The column in which to correct what an operation found wrong; the whole row if none. */
function columnOf(columns: readonly ColumnKind[], pointer: string): number | null {
  const [named = ''] = /StartDate|EndDate|email|phone|name|address|reference|branch|soldBy/.exec(pointer) ?? []
  const column = columns.indexOf(({ StartDate: 'start', EndDate: 'end' }[named] ?? named) as ColumnKind)
  return column === -1 ? null : column
}

type NewHousehold = Static<NonNullable<(typeof createHouseholdRoute)['body']>>

/** Whether we may write to the tenants of a row. */
export function mayWriteTo({ permission }: ListDraft, { mayPassOn }: ReadRow): boolean {
  if (permission.from === 'nobody' || mayPassOn === false) return false
  return permission.from === 'all' || mayPassOn === true
}

/** What is sent of a row. Its reference says whether it was sent before. */
export function bodyOf(
  draft: ListDraft,
  { person }: AgencyVisit,
  { read, home, checked }: Pick<JudgedRow, 'read' | 'home' | 'checked'>,
): NewHousehold {
  const { start, end, tenants, reference, branch, soldBy } = read
  const { how: by, day } = draft.permission
  const mayWrite = mayWriteTo(draft, read)
  const contactPermission = { by, givenAt: `${day}T00:00:00Z` }
  const people = tenants.map((tenant) => comparableEmail(tenant.email || tenant.name)).sort()
  return {
    addressUid: home?.[0] ?? '',
    packages: checked?.services ?? draft.services,
    ...(start !== null && { contractStartDate: start }),
    ...(end !== null && { contractEndDate: end }),
    tenants: tenants.map(({ name, email, phone }) => ({
      ...{ name, ...(email !== '' && { email }), ...(phone !== '' && { phone }) },
      ...(mayWrite && email !== '' ? { contactPermission } : { link: 'returned' as const }),
    })),
    sendEmails: mayWrite && tenants.some(({ email }) => email !== ''),
    reference: reference || `list-${hashOf([home?.[0], start, people]).slice(0, 24)}`,
    onDuplicateReference: 'return',
    soldBy: soldBy || person.personId,
    ...(branch !== '' && { branch }),
  }
}

/** Finds the homes of addresses that are new, and tries the rows that could be sent. Returns the draft with the results. */
export async function check(draft: ListDraft, visit: AgencyVisit): Promise<ListDraft> {
  const rows = await matchNew(draft, visit)
  const next = { ...draft, rows }
  const found: DraftRow[] = [...rows]
  for (const judged of judge(next, visit)) {
    if (judged.state !== 'ready') continue
    const own = rows[judged.index]
    if (own === undefined || judged.checked?.of === triedAs(bodyOf(next, visit, judged))) continue
    found[judged.index] = { ...own, checked: await tryRow(next, visit, judged, draft.services) }
  }
  return { ...next, rows: found }
}

async function matchNew(draft: ListDraft, visit: AgencyVisit): Promise<DraftRow[]> {
  const rows = [...draft.rows]
  const fresh = judge(draft, visit).filter(
    ({ read, matched, isOut }) => !isOut && read.address !== '' && matched?.of !== addressOf(read),
  )
  for (let first = 0; first < fresh.length; first += mostLines) {
    const some = fresh.slice(first, first + mostLines)
    const lines = some.map(({ read: { address, postcode } }) => ({
      address: address.slice(0, 500),
      ...(postcode !== '' && { postcode: postcode.slice(0, 100) }),
    }))
    const { matches } = await visit.call(matchAddressesRoute, { body: { lines } })
    for (const [index, { index: row, read }] of some.entries()) {
      const match = matches[index]
      if (match === undefined) continue
      const homes = match.candidates
        .slice(0, 3)
        .map(
          ({ addressUid, addressLine1, addressLine2, city, postCode }): Home => [
            addressUid,
            [addressLine1, addressLine2, city, postCode].filter(Boolean).join(', '),
          ],
        )
      const matched = { of: addressOf(read), homes, isSure: match.outcome === 'sure', reason: match.reason ?? '' }
      rows[row] = { cells: rows[row]?.cells ?? [], matched }
    }
  }
  return rows
}

const gas: Service = 'gas'

/** Tries a row without effect. A home that cannot have gas is offered the rest. */
async function tryRow(
  draft: ListDraft,
  visit: AgencyVisit,
  row: JudgedRow,
  services: readonly Service[],
): Promise<NonNullable<DraftRow['checked']>> {
  const tried = { of: '', problem: '', field: '', notes: [] as Note[], quoteId: null, services: [...services] }
  const body = bodyOf(draft, visit, { ...row, checked: tried })
  const of = triedAs(body)
  try {
    const made = await visit.call(createHouseholdRoute, { query: { dryRun: 'true' }, body })
    const isThere = made.createdAt !== visit.now.toISOString()
    const notes = made.warningDetails.flatMap(({ code, quoteId }) => {
      const text = noteTexts[code]
      return text === undefined ? [] : [{ text, quoteId }]
    })
    if (services.length < draft.services.length)
      notes.unshift({ text: 'This home has no gas: it is left out.', quoteId: null })
    return { ...tried, of, notes: isThere ? [] : notes, quoteId: isThere ? made.quoteId : null }
  } catch (error) {
    if (!(error instanceof DomainError) || ['service_unavailable', 'rate_limited'].includes(error.code)) throw error
    if (error.code === 'package_not_available' && services.length > 1 && services.includes(gas))
      return tryRow(
        draft,
        visit,
        row,
        services.filter((service) => service !== gas),
      )
    const [field] = error.fields
    return { ...tried, of, problem: field?.detail ?? error.message, field: field?.pointer ?? '' }
  }
}

const noteTexts: Readonly<Record<string, string>> = {
  property_already_covered: 'You already sold this home on some of these days.',
  property_already_quoted: 'You have quoted this home in the last 90 days.',
  tenant_already_invited: 'You have invited one of these tenants in the last 90 days.',
  prepayment_meter: 'The energy is prepaid at present.',
  tenancy_disagrees: 'The kind of tenancy does not fit the home.',
}

/** A day as people write it. */
export const dayWritten = (day: string) => isoDate(day).split('-').reverse().join('/')
