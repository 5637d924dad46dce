import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { DeploymentDependencies } from '../../app/http/route-dependencies.ts'
import { createHouseholdRoute } from '../../onboarding/create-household.route.ts'
import { createHousehold } from '../../onboarding/create-household.ts'
import { checkedBody } from '../../pages/checked-body.ts'
import { isOwnOrigin } from '../../pages/cookies.ts'
import { sendPage } from '../../pages/frame.ts'
import { type Html, html } from '../../pages/html.ts'
import { assetOf, createLook, serveAssets, serveLook } from '../../pages/look.ts'
import { orErrorPage, sendStale } from '../../pages/register-pages.ts'
import { dependenciesOfPartner } from '../../partners/dependencies-of-partner.ts'
import { hasDesk } from '../../platform/config/desk.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { loadExamples } from '../../platform/openapi/examples.ts'
import { lookupAddresses } from '../../properties/lookup-addresses.ts'
import { presentElements } from '../../quoting/pricing/cost.schema.ts'
import { presentQuoteAddress } from '../../quoting/quotes/quote.schema.ts'
import { type DrawnHousehold, firstCall, landingBody } from './landing-body.ts'

interface LandingOptions {
  publicUrl: string
  /** Whether the operator has an identity provider, with which its people sign in to the desk. */
  hasProvider: boolean
  /** The client id of a sandbox on the reader's own machine. */
  clientIdHere: (request: FastifyRequest) => string | undefined
}

const picture = (name: string) =>
  assetOf(readFileSync(new URL(`../../../docs/pictures/${name}.png`, import.meta.url)), 'png', 'image/png')

/** Serves `/`: what Housebill is, the first call and, in a sandbox on the reader's own machine, a button that makes it. */
export function registerLanding(
  app: FastifyInstance,
  deployment: DeploymentDependencies,
  { publicUrl, hasProvider, clientIdHere }: LandingOptions,
): void {
  const { realm, operator } = deployment
  const look = createLook({ moreCss: readFileSync(new URL('./assets/landing.css', import.meta.url), 'utf8') })
  const [light, dark] = [picture('tenant-page'), picture('tenant-page-dark')]
  serveLook(app, look)
  serveAssets(app, [light, dark])
  const at = { realm, publicUrl, hasProvider }
  const reader = {
    ...at,
    operator: operator.trader,
    hasDesk: hasDesk(at),
    pictures: { light: light.path, dark: dark.path },
  }
  const links = { '/docs': 'Docs', '/docs/reference': 'API reference', '/workplace': 'Workplace' }
  const frame = {
    siteName: 'Housebill',
    cssPath: look.css.path,
    scriptPath: look.script.path,
    header: html`<p class="name">Housebill</p><nav aria-label="Pages"><ul>${Object.entries(links).map(([path, text]) => html`<li><a href="${path}">${text}</a></li>`)}</ul></nav>`,
  }
  let stored: DrawnHousehold | undefined

  app.get('/', (request, reply) => {
    stored ??= storedHousehold(publicUrl)
    return sendPage(
      reply,
      { ...frame, isPublic: true },
      { title: 'Sell household bills', isWide: true, body: bodyFor(request, stored) },
    )
  })
  if (realm === 'sandbox')
    app.post('/', (request, reply) =>
      orErrorPage(request, reply, { frame, notNow: 'The sample home cannot be quoted now.' }, async () => {
        const clientId = clientIdHere(request)
        if (clientId === undefined) throw new DomainError('not_found', 'Only a sandbox on your own machine has this.')
        if (!isOwnOrigin(request, publicUrl)) return sendStale(reply, frame, '/')
        const body = bodyFor(request, await quoteSample(request, clientId))
        return sendPage(reply, frame, { title: 'A sample household', isWide: true, body })
      }),
    )

  function bodyFor(request: FastifyRequest, household: DrawnHousehold): Html {
    return landingBody({ ...reader, clientId: clientIdHere(request) }, household)
  }

  /** Makes the first call as the sandbox's partner, as if its program had sent it. */
  async function quoteSample(request: FastifyRequest, clientId: string): Promise<DrawnHousehold> {
    const { operationId } = createHouseholdRoute
    const credential = await deployment.partners.find(clientId)
    if (credential === undefined || credential.partnerDisabledAt !== null || credential.partnerSuspendedAt !== null)
      throw new DomainError('not_found', 'The sandbox has no partner that may call.')
    const { partnerId, clockOffsetSeconds } = credential
    const now = new Date(deployment.clock.now().getTime() + clockOffsetSeconds * 1_000)
    const caller = { partnerId, clientId, requestId: request.id, now }
    const origin = { actor: 'client', credential: clientId, requestId: request.id, operation: operationId } as const
    const deps = dependenciesOfPartner(deployment, { partnerId, origin })
    const [property] = await lookupAddresses(deps, firstCall)
    if (property === undefined) throw new DomainError('not_found', 'This sandbox has no sample properties.')
    const { packages, tenants } = firstCall
    const body = checkedBody(
      createHouseholdRoute,
      { addressUid: property.addressUid, packages, tenants },
      { caller, deps },
    )
    const { quote, links } = await createHousehold(deps, caller, body)
    if (quote.price === null) throw new Error('the household has packages but no price')
    const { addressLine1, city, postCode } = presentQuoteAddress(quote.address)
    return {
      address: `${addressLine1}, ${city} ${postCode}`,
      monthlyCost: quote.price.monthlyCost,
      lines: quote.price.lines.map(({ name, monthlyCost }) => ({ name, monthlyCost })),
      shares: presentElements(quote.price, quote.tenants).map(({ tenantId, tenantName, monthlyCost }) => ({
        name: tenantName,
        monthlyCost,
        url: links.find(({ customerId }) => customerId === tenantId)?.url,
      })),
    }
  }
}

/** The recorded response of an estimate for three tenants, as the API document shows it. */
function storedHousehold(publicUrl: string): DrawnHousehold {
  // Safe: `npm run generate` records the response, and a test compares it with its schema.
  const { response } = loadExamples(publicUrl).operations.estimateQuote as {
    response: { monthlyCost: number; lines: DrawnHousehold['lines']; shares: { monthlyCost: number }[] }
  }
  const shares = response.shares.map((share, index) => ({ ...share, name: firstCall.tenants[index]?.name ?? '' }))
  return { ...response, shares }
}
