import type { OperatorPayment } from '../../payments/ledger/operator-payments.store.ts'
import type { Database } from '../../platform/db/database.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import type { FeedCursor, FeedRequest } from '../contract-feed/feed-cursor.ts'
import { decodeFeedCursor, encodeFeedCursor } from '../contract-feed/feed-cursor.ts'
import { listSharedMeterPoints } from '../contract-feed/feed-rows.store.ts'
import { type FeedPage, readContractFeed } from '../contract-feed/read-contract-feed.ts'
import { listPayments } from '../payments/list-payments.ts'
import { type PsrEntry, readPsrFeed } from '../psr-feed/read-psr-feed.ts'
import { contactColumns, contactOf, contractFiles, homeOf, propertyColumns } from './contract-files.ts'
import type { ExportKind, ExportPage, Row } from './export-page.ts'

/** The needs to register: one line for each customer. docs/operator/files.md describes the columns. */
const registerColumns: readonly string[] = [
  ...['customerId', 'version', 'change', 'changedAt', 'acknowledged', 'partnerId', 'quoteId', 'contractNumber'],
  ...[...contactColumns, 'dateOfBirth', ...propertyColumns, 'mpan', 'mprn', 'needs', 'needsEndOn'],
  ...['contactName', 'contactRelationship', 'contactPhone', 'contactEmail', 'password', 'communicationFormat', 'notes'],
]

/** The line of an entry. `needs` are the codes that hold now, `needsEndOn` their last days in the same order. */
function registerRow({ registration, ...entry }: PsrEntry): Row {
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

/** The payments that are due: one line each. docs/operator/files.md describes the columns. */
const paymentColumns: readonly string[] = [
  ...['entryId', 'dueDate', 'amount', 'kind', 'status', 'partnerId', 'quoteId', 'customerId', 'contractNumber'],
  ...['processorCustomerId', 'paymentId', 'description', 'partnerName', 'partnerStatus', 'onHold'],
]

/** The line of a payment. */
function paymentRow(payment: OperatorPayment): Row {
  const { entryId, date: dueDate, kind, status, partnerId, quoteId, customerId, contractNumber } = payment
  const { processorCustomerId, paymentId, description, partnerName, partnerStatus, onHold } = payment
  // Of a refund, a part may have been paid.
  const amount = kind === 'refund' ? payment.amount - (payment.collectedAmount ?? 0) : payment.amount
  return {
    ...{
      entryId,
      dueDate,
      amount,
      kind,
      status: status === 'planned' ? 'scheduled' : status,
      partnerId,
      quoteId,
      customerId,
    },
    ...{ contractNumber, processorCustomerId, paymentId, description, partnerName, partnerStatus, onHold },
  }
}

/** The columns of each kind, in their order. */
export const exportColumns: Readonly<Record<ExportKind, readonly string[]>> = {
  contracts: contractFiles.contracts.columns,
  supply: contractFiles.supply.columns,
  broadband: contractFiles.broadband.columns,
  register: registerColumns,
  payments: paymentColumns,
}

export interface ExportDependencies {
  db: Database
  cipher: FieldCipher
  now: Date
}

/**
 * What a file contains: from the beginning or a cursor on, up to a position. `dueBefore` is for payments, the others
 * for feeds.
 */
export interface ExportRequest {
  since?: string | undefined
  until?: string | undefined
  dueBefore?: IsoDate | undefined
  /** Of files of contracts: only those priced on this rate card. */
  quotingToolVersionId?: string | undefined
}

/** How many contracts, customers or payments are read in one transaction. */
const batchSize = 1_000

/**
 * Reads a file in batches, so that memory use does not grow with its length. Each batch is a transaction of its own and
 * an entry in the audit log of the partners in it. Throws `feed_reset` for a cursor from before a restore.
 */
export function exportPages(
  deps: ExportDependencies,
  kind: ExportKind,
  request: ExportRequest,
): AsyncGenerator<ExportPage> {
  if (kind === 'payments') return paymentPages(deps, request)
  if (kind === 'register')
    return feedPages(
      (page) => readPsrFeed(deps, page),
      (entry) => [registerRow(entry)],
      request,
    )
  const { selection, rows } = contractFiles[kind]
  const pages = feedPages(
    (page) => readContractFeed(deps, { ...page, selection, quotingToolVersionId: request.quotingToolVersionId }),
    ({ record }) => rows(record),
    request,
  )
  return kind === 'supply' ? namingSharedMeters(deps, pages) : pages
}

/** Names in each line the other households that have its meter point. */
async function* namingSharedMeters(
  { db }: ExportDependencies,
  pages: AsyncGenerator<ExportPage>,
): AsyncGenerator<ExportPage> {
  for await (const page of pages) {
    const found = await listSharedMeterPoints(db, [...new Set(page.rows.map(({ quoteId }) => String(quoteId)))])
    const sharedBy = new Map(found.map(({ quoteId, service, others }) => [`${quoteId} ${service}`, others]))
    const rows = page.rows.map((row) => ({
      ...row,
      meterPointAlsoOf: sharedBy.get(`${row.quoteId} ${row.service}`) ?? null,
    }))
    yield { ...page, rows }
  }
}

async function* feedPages<Entry>(
  read: (page: FeedRequest) => Promise<FeedPage<Entry>>,
  rowsOf: (entry: Entry) => Row[],
  { since, until }: ExportRequest,
): AsyncGenerator<ExportPage> {
  const first = since === undefined ? undefined : decodeFeedCursor(since)
  for (let after: FeedCursor | undefined = first; ; ) {
    const { entries, next, hasMore, lastPosition } = await read({ after, until, limit: batchSize })
    const [begin, end, now] = [first?.position ?? '0', until ?? lastPosition, next.position].map(Number)
    yield { rows: entries.flatMap(rowsOf), cursor: encodeFeedCursor(next), share: shareOf(begin, end, now) }
    if (!hasMore) return
    after = next
  }
}

function shareOf(begin = 0, end = 0, now = 0): number {
  return end <= begin ? 1 : (now - begin) / (end - begin)
}

/** Everything that is owed and due before the day: what is asked for, and what failed. */
async function* paymentPages(deps: ExportDependencies, { dueBefore }: ExportRequest): AsyncGenerator<ExportPage> {
  let after: { date: string; entryId: string } | undefined
  let read = 0
  for (;;) {
    const page = await listPayments(deps, { dueBefore, statuses: ['planned', 'failed'], after, limit: batchSize })
    read += page.payments.length
    yield { rows: page.payments.map(paymentRow), cursor: null, share: page.hasMore ? read / (read + batchSize) : 1 }
    if (!page.hasMore) return
    after = page.payments.at(-1)
  }
}
