import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PageDeployment } from '../../app/http/route-dependencies.ts'
import { getCustomer } from '../../onboarding/get-customer.ts'
import type { PageAddress } from '../../pages/page-set.ts'
import { dependenciesOfPartner } from '../../partners/dependencies-of-partner.ts'
import type { SetupIntent } from '../../payments/payment-processor.ts'
import { clientAddressOf } from '../../platform/http/client-address.ts'
import { networkOf } from '../../platform/http/plugins/network-of.ts'
import { type Id, isId } from '../../platform/kernel/ids.ts'
import { secondsLeft } from '../../platform/rate-limits/call-counter.ts'
import { findPartnerOfCustomer, type LinkOwner } from '../../quoting/tenants/customers.store.ts'
import { findPsrGivenAt } from '../../quoting/tenants/psr.store.ts'
import { cardEntryPage } from '../before-signing/card-entry.page.ts'
import { sendFirstLink } from '../fresh-links.ts'
import { cookiePath, type TenantHttp, type TenantPagesOptions } from '../tenant-http.ts'
import { originOf, type PageDependencies, type TenantPage, type Visit } from '../tenant-visit.ts'
import { findMailOutcome } from './tenant-sessions.store.ts'
import { deviceMarks, findTenantSession, type SessionOwner, signOut } from './tenant-sessions.ts'

/** How many e-mails with a code one link gives: to one network, and in all. */
const codesPerHour = { network: 5, link: 20 }

/** How long a browser that was confirmed needs no other code. */
const deviceDays = 365

type Owner = LinkOwner & { customerId: Id<'tenant'> }
type OfPartner = ReturnType<typeof dependenciesOfPartner<PageDeployment>>

/** Finds out whose pages a request is about. */
export interface Visits {
  /** The partner of a customer; undefined if there is no such customer. */
  ownerOf(customerId: string): Promise<Owner | undefined>
  /** The customer with a database that shows only the partner's rows. */
  sessionOwner(request: FastifyRequest, owner: Owner, operation: string): SessionOwner
  /** The tenant of the session that the cookie names, as things are now; undefined if there is no such session. */
  visitOf(
    request: FastifyRequest,
    reply: FastifyReply,
    at: PageAddress,
    page: Pick<TenantPage, 'name'>,
  ): Promise<Visit | undefined>
}

/** Builds it for a deployment. */
export function createVisits(
  deployment: PageDeployment,
  { cookies }: Pick<TenantHttp, 'cookies'>,
  { publicUrl, counters, requestsPerSecond }: TenantPagesOptions,
): Visits {
  const { databases, clock } = deployment
  const windowSeconds = 3_600
  const codesOfLink = counters.open({ name: 'tenant-codes-of-link', quota: codesPerHour.link, windowSeconds })
  const codesOfNetwork = counters.open({ name: 'tenant-codes', quota: codesPerHour.network, windowSeconds })
  /** Where the card is entered: the simulator's page, or ours with the processor's field. */
  const simulatorPage = ({ setupIntentId, clientSecret }: SetupIntent, path: Visit['path']) => {
    const given = new URLSearchParams({ client_secret: clientSecret, return_url: `${publicUrl}${path('card')}` })
    return `${publicUrl}/sandbox/card-setup/${setupIntentId}#${given.toString()}`
  }
  const ownPage = (_: SetupIntent, path: Visit['path']) => path(cardEntryPage.name)
  const cardEntry =
    deployment.sandboxProcessor !== undefined
      ? simulatorPage
      : deployment.publishableKey === undefined
        ? undefined
        : ownPage
  return { ownerOf, sessionOwner, visitOf }

  async function visitOf(
    request: FastifyRequest,
    reply: FastifyReply,
    address: PageAddress,
    { name }: Pick<TenantPage, 'name'>,
  ): Promise<Visit | undefined> {
    const owner = await ownerOf(address.parameters.customerId ?? '')
    const secret = cookies.session.in(request)
    if (owner === undefined || secret === undefined) return undefined
    // The partner can export the audit log, and must not learn from it who told us of a death.
    const shownName = name === 'death' ? 'home' : name || 'start'
    const { at, ofPartner } = openFor(request, owner, `tenantPage ${shownName}`)
    const session = await findTenantSession(at, { secret, revision: owner.onboardingRevision })
    if (session === undefined) return undefined
    const { db, partnerId, customerId, now } = at
    const caller = { partnerId, clientId: 'tenant', requestId: request.id, now }
    const deps = pageDependencies(ofPartner)
    const [view, psrGivenAt] = await Promise.all([
      getCustomer(deps, caller, customerId),
      findPsrGivenAt(db, partnerId, customerId),
    ])
    const path = cookiePath(customerId)
    return {
      ...view,
      ...address,
      ...{ deps, caller, customerId, session, psrGivenAt },
      partnerName: owner.partnerName,
      isPartnerStopped: owner.isPartnerStopped,
      from: originOf(request, clientAddressOf(request)),
      markDevice() {
        const [mark = ''] = deviceMarks(deployment.cipher, owner)
        cookies.device.set(reply, mark, { seconds: deviceDays * 86_400, path })
      },
      async signOut() {
        await signOut(at, session)
        for (const cookie of [cookies.session, cookies.device]) cookie.clear(reply, { path })
      },
    }
  }

  function pageDependencies(ofPartner: OfPartner): PageDependencies {
    return {
      ...ofPartner,
      cardEntry,
      sendLink: async (caller, customerId, isAskedFor = false) => {
        const { partnerId, now } = caller
        if (!(await sendFirstLink(ofPartner, caller, customerId, isAskedFor))) return 'link_by_partner'
        await ofPartner.sendTenantMails(partnerId, customerId)
        const mail = { kind: isAskedFor ? 'fresh_link' : 'link', createdAt: now } as const
        const became = await findMailOutcome(ofPartner.db, { partnerId, customerId }, mail)
        return became === 'sent' ? 'link_sent' : 'link_not_taken'
      },
      countCode,
    }
  }

  /**
   * Counts by the link's number: whoever else has a link can use up its codes, but not those of the tenant's next one,
   * which ends the link.
   */
  async function countCode({ customerId, session, from }: Pick<Visit, 'customerId' | 'session' | 'from'>) {
    if (requestsPerSecond === 0) return 0
    const link = `${customerId} ${session.revision}`
    const ofNetwork = await codesOfNetwork.add(`${link} ${deployment.cipher.hash(networkOf(from.tenantIp))}`, 1)
    if (ofNetwork.total > codesPerHour.network) return secondsLeft(ofNetwork)
    const ofLink = await codesOfLink.add(link, 1)
    return ofLink.total > codesPerHour.link ? secondsLeft(ofLink) : 0
  }

  async function ownerOf(customerId: string): Promise<(LinkOwner & { customerId: Id<'tenant'> }) | undefined> {
    if (!isId('tenant', customerId)) return undefined
    const owner = await findPartnerOfCustomer(databases.system, customerId)
    return owner === undefined ? undefined : { ...owner, customerId }
  }

  function sessionOwner(request: FastifyRequest, owner: Owner, operation: string): SessionOwner {
    return openFor(request, owner, operation).at
  }

  function openFor(
    request: FastifyRequest,
    { partnerId, customerId, clockOffsetSeconds }: Owner,
    operation: string,
  ): { at: SessionOwner; ofPartner: OfPartner } {
    const origin = { actor: 'tenant', requestId: request.id, operation } as const
    const ofPartner = dependenciesOfPartner(deployment, { partnerId, origin, method: request.method })
    const now = new Date(clock.now().getTime() + clockOffsetSeconds * 1000)
    return { at: { db: ofPartner.db, cipher: deployment.cipher, partnerId, customerId, now }, ofPartner }
  }
}
