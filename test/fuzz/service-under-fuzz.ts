import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { classifyAddress } from '../../src/platform/outbound/address-class.ts'
import { connectOperator } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { testTime } from '../support/quote-fixtures.ts'
import { defaultRateCard } from '../support/rate-cards.ts'
import { succeeded } from '../support/responses.ts'
import { movableClock, startTestService } from '../support/service.ts'

/** What the campaign needs to know of the service that it tests. */
export interface ServiceUnderFuzz {
  baseUrl: string
  credentials: { clientId: string; clientSecret: string }
  /** Access tokens of new partners. */
  tokens: readonly string[]
  /**
   * The token of the operator's software, and what only the operator manages: a partner, its credentials and a draft of
   * a rate card.
   */
  operator: {
    operatorToken: string
    managedPartnerId: string
    managedClientId: string
    cardId: string
    personId: string
  }
  /** The receiver for webhooks, which always returns 410. */
  receiverUrl: string
  stop(): Promise<void>
}

const partnersWanted = 4

const pem = (name: string) => readFileSync(new URL(`../support/test-only-receiver-${name}.pem`, import.meta.url))
/** Starts the service with partners, a receiver, and something of everything that the operator manages. */
export async function startServiceUnderFuzz(): Promise<ServiceUnderFuzz> {
  const receiver = createServer({ key: pem('key'), cert: pem('certificate') }, (request, response) => {
    request.resume().on('end', () => response.writeHead(410).end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const { port } = receiver.address() as AddressInfo

  const service = await startTestService(
    { WEBHOOK_ALLOW_LOOPBACK: 'true' },
    {
      clock: movableClock(testTime),
      // Whatever a damaged URL contains, only this machine is contacted, and no name server is queried.
      resolver: { resolve: async (hostname) => (/^(localhost|receiver\.test)$/.test(hostname) ? ['127.0.0.1'] : []) },
      egress: {
        allowLoopback: true,
        classify(address) {
          const found = classifyAddress(address)
          return found.kind === 'public' ? { kind: 'forbidden', words: 'not allowed in a fuzzing run' } : found
        },
      },
    },
  )
  const partners = []
  for (let count = 0; count < partnersWanted; count += 1) partners.push(await connectNewPartner(service))
  const operator = await connectOperator(service)
  // Requests may suspend this partner and remove its credentials, so it makes no requests itself.
  const managed = succeeded(await operator.post<{ partnerId: string }>('/Partners', { name: 'Managed' }))
  const credentials = succeeded(
    await operator.post<{ clientId: string }>(`/Partners/${managed.partnerId}/credentials`, {
      scopes: ['quotes:read'],
    }),
  )
  const card = { ...(await defaultRateCard()), id: 'fuzz-1' }
  succeeded(await operator.post('/RateCards', { card }))
  const invited = { name: 'Pat', email: 'pat@example.com', partnerId: managed.partnerId, roles: ['agent'] }
  const { personId } = succeeded(await operator.post<{ personId: string }>('/People', invited))
  return {
    baseUrl: service.baseUrl,
    credentials: service.credentials,
    tokens: partners.map(({ token }) => token),
    operator: {
      operatorToken: operator.token,
      managedPartnerId: managed.partnerId,
      managedClientId: credentials.clientId,
      cardId: card.id,
      personId,
    },
    receiverUrl: `https://localhost:${port}`,
    async stop() {
      await service.stop()
      receiver.closeAllConnections()
      receiver.close()
    },
  }
}
