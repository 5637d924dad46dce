import type { TestContext } from 'node:test'
import { type AddressClass, classifyAddress } from '../../src/platform/outbound/address-class.ts'
import type { NameResolver } from '../../src/platform/outbound/name-lookup.ts'
import { newWebhookSecret, signMessage } from '../../src/webhooks/secrets/secret.ts'
import type { ConnectOptions } from '../../src/webhooks/sender/pinned-connect.ts'
import { createWebhookSender } from '../../src/webhooks/sender/webhook-sender.ts'
import { receiverCertificate } from './receiver-fixture.ts'

const at = new Date('2026-11-20T09:29:10.041Z')
const messageId = 'event_01m7w4kmmrf228899q5c8ptd31'
const body = JSON.stringify({
  id: messageId,
  type: 'quote.status.changed',
  timestamp: at.toISOString(),
  data: {
    quoteId: 'quote_01m7w4kmkrf2288963w0nq8dax',
    reference: null,
    branch: null,
    soldBy: null,
    previousStatus: null,
    status: 'draft',
    reason: null,
  },
})

/** A webhook message as a receiver gets it. */
export const sampleMessage = {
  messageId,
  body,
  headers: {
    'content-type': 'application/json',
    'user-agent': 'Housebill-Webhooks/1',
    ...signMessage([newWebhookSecret()], { id: messageId, timestamp: at, body }),
  },
} as const

/**
 * In these tests, 127.0.0.1 to .9 count as public, so that the rules for public addresses can be tested on this
 * machine.
 */
function publicLab(address: string): AddressClass {
  return /^127\.0\.0\.\d$/.test(address) ? { kind: 'public', words: 'a public address' } : classifyAddress(address)
}

/** Resolves any name to the next list of addresses at each lookup; the last list repeats. */
export function changingResolver(...answers: readonly (readonly string[])[]): NameResolver & { lookups: number } {
  const resolver = {
    lookups: 0,
    async resolve(_hostname: string) {
      resolver.lookups += 1
      return answers[Math.min(resolver.lookups, answers.length) - 1] ?? []
    },
  }
  return resolver
}

/**
 * A webhook sender for which all names resolve to 127.0.0.1, unless `options` says otherwise. It is closed after the
 * test.
 */
export function openSender(t: TestContext, options: Partial<ConnectOptions> = {}) {
  const sender = createWebhookSender({
    resolver: changingResolver(['127.0.0.1']),
    egress: { allowLoopback: false, classify: publicLab },
    extraCa: [receiverCertificate],
    ...options,
  })
  t.after(() => sender.close())
  return {
    send: (url: string, timeoutMs = 60_000) => sender.send({ ...sampleMessage, url, timeoutMs }),
  }
}
