import { classifyAddress } from '../../src/platform/outbound/address-class.ts'
import type { NameResolver } from '../../src/platform/outbound/name-lookup.ts'
import type { EgressRules } from '../../src/webhooks/sender/webhook-target.ts'

const names: Record<string, readonly string[]> = {
  'hooks.test': ['127.0.0.2'],
  'mixed.test': ['10.0.0.5', '127.0.0.2'],
  'private.test': ['10.0.0.5'],
  'cloud-metadata.test': ['169.254.169.254'],
  'loopback.test': ['127.0.0.1'],
}

/** Resolves only the names above, without asking a real name server. No other name resolves. */
const resolver: NameResolver = { resolve: async (hostname) => names[hostname] ?? [] }

/** Treats 127.0.0.2, where nothing listens, as a public address, so that tests never contact a real one. */
const egress: EgressRules = {
  allowLoopback: false,
  classify: (address) =>
    address === '127.0.0.2' ? { kind: 'public', words: 'a public address' } : classifyAddress(address),
}

/** What a service needs instead of the usual to register these names as receivers. */
export const receivers = { egress, resolver }

/**
 * The webhook without `failingSince`, which the worker may set at any time because nothing listens at these test URLs.
 */
export function withoutFailingSince<Webhook extends { failingSince: unknown }>(
  webhook: Webhook,
): Omit<Webhook, 'failingSince'> {
  const { failingSince: _movesByItself, ...rest } = webhook
  return rest
}
