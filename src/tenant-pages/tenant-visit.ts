import type { FastifyRequest } from 'fastify'
import type { HouseholdDependencies } from '../app/http/route-dependencies.ts'
import type { CausedKind } from '../contracts/mails/caused-mails.store.ts'
import { countCausedMails } from '../contracts/mails/count-caused-mails.ts'
import type { CustomerView } from '../onboarding/get-customer.ts'
import type { Problem } from '../pages/form.ts'
import type * as pages from '../pages/page-set.ts'
import type { Caller } from '../partners/caller.ts'
import type { SetupIntent } from '../payments/payment-processor.ts'
import type { Database } from '../platform/db/database.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { TenantSession } from './session/tenant-sessions.ts'
import type { Notice } from './words.ts'

/** What pages use. The database shows only the rows of the tenant's partner. */
export interface PageDependencies extends HouseholdDependencies {
  db: Database
  /** The address of the page where the tenant enters a card; undefined if the operator has none. */
  cardEntry: ((intent: SetupIntent, path: Visit['path']) => string) | undefined
  /**
   * E-mails somebody whom a tenant named the link to their own pages, or a tenant who asked for one (`isAskedFor`).
   * Returns what became of it: sent, not taken by the mail server yet, or left to the partner.
   */
  sendLink(
    caller: Caller,
    customerId: Id<'tenant'>,
    isAskedFor?: boolean,
  ): Promise<'link_sent' | 'link_not_taken' | 'link_by_partner'>
  /** Counts an e-mail with a code. Returns for how many seconds no other can be sent; 0 if this one can. */
  countCode(visit: Pick<Visit, 'customerId' | 'session' | 'from'>): Promise<number>
}

/** A tenant who has opened a page in a session, and how things are with them now. */
export interface Visit extends CustomerView, pages.SignedIn {
  deps: PageDependencies
  caller: Caller
  customerId: Id<'tenant'>
  session: TenantSession
  /** The name of the partner that the tenant came from. */
  partnerName: string
  /** When the tenant told of needs for the Priority Services Register; null if they told of none. */
  psrGivenAt: Date | null
  /** Whether the partner may do nothing at present. */
  isPartnerStopped: boolean
  /** Keeps a mark in the browser that saves the tenant the next code. */
  markDevice(): void
  /** Ends the session. The browser forgets it and the mark. */
  signOut(): Promise<void>
  /** Where the request came from, for the evidence of an agreement. */
  from: { tenantIp: string; tenantUserAgent?: string }
}

/** Where a page leads, and what it tells has happened. */
export type GoTo = pages.GoTo<Notice>

/** One of a tenant's pages. */
export interface TenantPage extends pages.Page<Visit, GoTo> {
  /** Always in words for tenants. */
  problems?: Readonly<Record<string, Problem>>
  /** `code` if it shows or does more than a link alone allows: the tenant first enters a code from their e-mails. */
  needs: 'link' | 'code'
  /** Whether it is there for tenants who have not signed, who have, or all. */
  when: 'before signing' | 'after signing' | 'always'
}

/** The address and browser of a request. */
export function originOf({ headers }: FastifyRequest, address: string): Visit['from'] {
  const browser = headers['user-agent']
  return { tenantIp: address, ...(browser === undefined ? {} : { tenantUserAgent: browser.slice(0, 1_000) }) }
}

/**
 * Counts the e-mails to others that the tenant is about to cause. Call it before what causes them. Throws
 * `rate_limited` above the caps of a day.
 */
export function causes(
  { deps, caller, quote, customerId }: Visit,
  kind: CausedKind,
  emails: readonly string[],
): Promise<void> {
  return countCausedMails(deps, caller, { kind, quoteId: quote.quoteId, causedBy: customerId, emails })
}
