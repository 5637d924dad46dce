import { fullName } from '../../quoting/tenants/customer.ts'
import type { PsrEntry } from '../psr-feed/read-psr-feed.ts'
import { contactColumns, contactOf, homeColumns, homeOf } from './contract-files.ts'
import type { Row } from './export-page.ts'

/** The needs to register: one line for each customer. docs/operator/files.md describes the columns. */
export const registerColumns: readonly string[] = [
  ...['customerId', 'version', 'change', 'changedAt', 'acknowledged', 'partnerId', 'quoteId', 'contractNumber'],
  ...[...contactColumns, 'dateOfBirth', ...homeColumns, 'mpan', 'mprn', 'needs', 'needsEndOn'],
  ...['contactName', 'contactRelationship', 'contactPhone', 'contactEmail', 'password', 'communicationFormat', 'notes'],
]

/** The line of an entry. `needs` are the codes that hold now, `needsEndOn` their last days in the same order. */
export function registerRow({ registration, ...entry }: PsrEntry): Row {
  const { customerId, version, change, changedAt, isAcknowledged, partnerId, quoteId, contractNumber } = entry
  const needs = registration?.needs.filter(({ hasEnded }) => !hasEnded) ?? []
  const { authorisedContact: contact, password, communicationFormat, notes } = registration?.details ?? {}
  return {
    ...{ customerId, version, change, changedAt: changedAt.toISOString(), acknowledged: isAcknowledged },
    ...{ partnerId, quoteId, contractNumber },
    ...contactOf(registration?.personal),
    dateOfBirth: registration?.personal.dateOfBirth ?? null,
    ...homeOf(registration?.address),
    mpan: registration?.address.mpan ?? null,
    mprn: registration?.address.mprn ?? null,
    needs: needs.map(({ code }) => code).join(' '),
    needsEndOn: needs.map(({ lastDay }) => lastDay ?? '-').join(' '),
    contactName: contact === undefined ? null : fullName(contact),
    contactRelationship: contact?.relationship ?? null,
    contactPhone: contact?.phone ?? null,
    contactEmail: contact?.email ?? null,
    password: password ?? null,
    communicationFormat: communicationFormat ?? null,
    notes: notes ?? null,
  }
}
