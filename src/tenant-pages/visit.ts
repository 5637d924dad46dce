import type { FastifyRequest } from 'fastify'
import type { RouteDependencies } from '../app/http/route-dependencies.ts'
import type { CustomerView } from '../onboarding/get-customer.ts'
import type { Caller } from '../partners/caller.ts'
import type { SetupIntent } from '../payments/payment-processor.ts'
import type { Html } from '../platform/http/pages/html.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Form } from './layout/form.ts'
import type { TenantSession } from './session/tenant-sessions.ts'
import type { Notice } from './words.ts'

/** What pages use. The database shows only the rows of the tenant's partner. */
export interface PageDependencies extends Omit<RouteDependencies, 'upstreamAllowance'> {
  /** The address of the page where the tenant enters a card; undefined if the operator has none. */
  cardEntry: ((intent: SetupIntent, path: Visit['path']) => string) | undefined
  /**
   * E-mails somebody whom a tenant named the link to their own pages, or a tenant who asked for one (`isAskedFor`).
   * Returns false where the partner sends it.
   */
  sendLink(caller: Caller, customerId: Id<'tenant'>, isAskedFor?: boolean): Promise<boolean>
  /** Counts an e-mail with a code. Returns for how many seconds no other can be sent; 0 if this one can. */
  countCode(visit: Pick<Visit, 'customerId' | 'session' | 'from'>): Promise<number>
}

/** A tenant who has opened a page in a session, and how things are with them now. */
export interface Visit extends CustomerView {
  deps: PageDependencies
  caller: Caller
  customerId: Id<'tenant'>
  session: TenantSession
  /** The name of the partner that the tenant came from. */
  partnerName: string
  /** When the tenant told of needs for the Priority Services Register; null if they told of none. */
  psrGivenAt: Date | null
  /** The path of another of the tenant's pages. */
  path(page: string): string
  /** The query of the page's address, e.g. which housemate it is about. */
  query: URLSearchParams
  /** Where the request came from, for the evidence of an agreement. */
  from: { tenantIp: string; tenantUserAgent?: string }
}

/** Another page that the tenant has to see instead, as its path, and what that page tells them has happened. */
export interface GoTo {
  goTo: string
  notice?: Notice
}

/** What a page shows. */
export interface Shown {
  title: string
  body: Html
  progress?: string | undefined
  back?: string | undefined
  /** What the page loads from elsewhere, as directives of its Content-Security-Policy. */
  allowed?: readonly string[]
  /** Whether the tenant's session is over, so that nothing more can be done with it. */
  isOver?: boolean
}

/** One of a tenant's pages. */
export interface TenantPage {
  /** The last part of its address. */
  name: string
  /** `code` if it shows or does more than a link alone allows: the tenant first enters a code from their e-mails. */
  needs: 'link' | 'code'
  /** Whether it is there for tenants who have not signed, who have, or all. */
  when: 'before signing' | 'after signing' | 'always'
  /** What the page shows. `form` is what was entered before, with what was wrong. Changes nothing. */
  show(visit: Visit, form: Form): Promise<Shown | GoTo>
  /**
   * Does what the tenant sent, and returns the path of the page to show next, or what to show instead.
   * Throws `FormRejected` for what cannot be used, and the operations' errors.
   */
  submit?(visit: Visit, form: Form): Promise<string | GoTo | Shown>
  /** The fields of the form by the pointers in the operations' errors, with what to say. */
  problems?: Readonly<Record<string, { field: string; text: string }>>
}

/** The address and browser of a request. */
export function originOf({ headers }: FastifyRequest, address: string): Visit['from'] {
  const browser = headers['user-agent']
  return { tenantIp: address, ...(browser === undefined ? {} : { tenantUserAgent: browser.slice(0, 1_000) }) }
}
