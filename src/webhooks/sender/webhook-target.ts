import { type AddressClass, classifyAddress } from '../../platform/outbound/address-class.ts'
import { NameResolutionFailed, type NameResolver } from '../../platform/outbound/name-lookup.ts'
import { isReceiverPort, type WebhookTarget } from './webhook-url.ts'

/** The rules for which addresses messages may be sent to. */
export interface EgressRules {
  /** `WEBHOOK_ALLOW_LOOPBACK`: allows receivers on this machine, on any port. Never set in live deployments. */
  allowLoopback: boolean
  /** Defaults to `classifyAddress`. Tests pass their own, which treats loopback addresses as public. */
  classify?: (address: string) => AddressClass
  /** Whether the operator forbids this address (`WEBHOOK_DENY`). */
  isDenied?: (address: string) => boolean
  /** The public addresses of this deployment, which would let a partner reach it from inside. */
  ownAddresses?: () => Promise<ReadonlySet<string>>
}

type TargetAddresses =
  /** Connect only to one of these addresses. All are public, or all are loopback. */
  | { kind: 'usable'; addresses: readonly string[]; isLoopback: boolean }
  /** The address is not allowed; `detail` names the rule, and says whether a setting allows exceptions. */
  | { kind: 'not-allowed'; detail: string }
  /** The name does not resolve to an address. */
  | { kind: 'unreachable'; detail: string }

/**
 * Resolves a webhook's host and keeps the addresses that may be contacted. Called at registration and before every
 * connection. Each connection is pinned to the result, so that an attacker gains nothing by changing the DNS record
 * later.
 */
export async function resolveTarget(
  resolver: NameResolver,
  rules: EgressRules,
  target: Pick<WebhookTarget, 'hostname' | 'port' | 'isAddress'>,
): Promise<TargetAddresses> {
  if (!isReceiverPort(target.port) && !rules.allowLoopback) return portNotAllowed(target.port)
  let addresses: readonly string[]
  try {
    addresses = target.isAddress ? [target.hostname] : await resolver.resolve(target.hostname)
  } catch (error) {
    if (!(error instanceof NameResolutionFailed)) throw error
    if (!isReceiverPort(target.port)) return portNotAllowed(target.port)
    return {
      kind: 'unreachable',
      detail: `The DNS lookup of ${target.hostname} failed. Check the host name, or retry shortly.`,
    }
  }
  if (addresses.length === 0) {
    if (!isReceiverPort(target.port)) return portNotAllowed(target.port)
    return {
      kind: 'unreachable',
      detail: `${target.hostname} does not resolve to an IP address. Check the host name and its DNS records.`,
    }
  }
  return judgeAddresses(addresses, target, rules, (await rules.ownAddresses?.()) ?? new Set())
}

function judgeAddresses(
  addresses: readonly string[],
  { hostname, port, isAddress }: Pick<WebhookTarget, 'hostname' | 'port' | 'isAddress'>,
  rules: EgressRules,
  own: ReadonlySet<string>,
): TargetAddresses {
  const classes = addresses.map((address) => ({ address, ...classifyFor(rules, own, address) }))
  const open = classes.filter(({ kind }) => kind === 'public').map(({ address }) => address)
  if (open.length > 0 && isReceiverPort(port)) return { kind: 'usable', addresses: open, isLoopback: false }

  const loopback = classes.filter(({ kind }) => kind === 'loopback').map(({ address }) => address)
  if (loopback.length > 0 && rules.allowLoopback) return { kind: 'usable', addresses: loopback, isLoopback: true }

  if (open.length > 0) return portNotAllowed(port)
  // Names only the class, never the address: a partner must not learn how names resolve inside the operator's network.
  const words = [...new Set(classes.map((found) => found.words))].join(' and ')
  const setting =
    loopback.length > 0
      ? ' A sandbox started with WEBHOOK_ALLOW_LOOPBACK=true accepts receivers on its own machine.'
      : ' No setting allows this.'
  return {
    kind: 'not-allowed',
    detail: `${hostname} ${isAddress ? 'is' : 'resolves to'} ${words}. Webhooks are only delivered to public addresses.${setting}`,
  }
}

function classifyFor(rules: EgressRules, own: ReadonlySet<string>, address: string): AddressClass {
  const found = (rules.classify ?? classifyAddress)(address)
  if (found.kind !== 'public') return found
  if (rules.isDenied?.(address))
    return { kind: 'forbidden', words: 'an address that the operator of this service forbids' }
  if (own.has(address)) return { kind: 'forbidden', words: 'an address of this service itself' }
  return found
}

function portNotAllowed(port: number): TargetAddresses {
  return {
    kind: 'not-allowed',
    detail: `Port ${port} is not allowed. Use port 443 or any port from 1024. Other ports are only allowed for a receiver on the same machine as a sandbox started with WEBHOOK_ALLOW_LOOPBACK=true.`,
  }
}
