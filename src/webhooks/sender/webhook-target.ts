import { isIP } from 'node:net'
import { type AddressClass, classifyAddress } from '../../platform/outbound/address-class.ts'
import { NameResolutionFailed, type NameResolver } from '../../platform/outbound/name-lookup.ts'

/** A webhook URL that passed every syntax rule. `resolveTarget` checks its addresses. */
export interface WebhookTarget {
  /** Normalised for the request: host in ASCII without a trailing dot, IP addresses in canonical form, no fragment. */
  url: URL
  /** A name, or an IP address without brackets. */
  hostname: string
  port: number
  /** Whether the host is an IP address, so that no DNS lookup is needed. */
  isAddress: boolean
}

type ParsedWebhookUrl = { target: WebhookTarget; rejection?: never } | { target?: never; rejection: string }

export const maxWebhookUrlLength = 2_048

/**
 * Checks a webhook URL against the rules that need no lookup: https, no credentials, valid syntax. `rejection` tells
 * the partner which rule the URL breaks. The WHATWG parser resolves alternative spellings (0x7f.1, 2130706433,
 * full-width digits, IDN), so that the address that is checked is the one to which a connection will be made.
 */
export function parseWebhookUrl(text: string): ParsedWebhookUrl {
  if (text.length > maxWebhookUrlLength)
    return { rejection: `The URL must have at most ${maxWebhookUrlLength} characters.` }
  if (!/^[^\s\\\p{Cc}]+$/u.test(text) || !URL.canParse(text)) {
    return {
      rejection:
        'This is not a valid URL. Send an absolute URL without spaces or backslashes, such as https://example.com/hooks.',
    }
  }
  const authority = /^https:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined) {
    return { rejection: 'The URL must start with https://. No setting changes this, not even in a sandbox.' }
  }
  if (authority.includes('@')) {
    return {
      rejection:
        'The URL must not contain credentials. Verify the signature instead of using a user name and password.',
    }
  }
  const url = new URL(text)
  url.hash = ''
  const withoutDot = url.hostname.replace(/\.$/, '')
  if (withoutDot === '') return { rejection: 'The URL has no host.' }
  const hostname = withoutDot.replace(/^\[(.*)\]$/, '$1')
  if (isIP(hostname) === 0 && !isDnsName(hostname)) {
    return {
      rejection:
        "The URL's host is not a valid DNS name. Use labels of up to 63 letters, digits and hyphens, separated by single dots.",
    }
  }
  url.hostname = withoutDot
  return { target: { url, hostname, port: url.port === '' ? 443 : Number(url.port), isAddress: isIP(hostname) !== 0 } }
}

/**
 * Whether the host can be looked up. The URL parser also accepts empty labels, which other software may read as another
 * host, and characters that do not occur in host names. Underscores are accepted although they are not allowed in host
 * names, because names with underscores exist.
 */
function isDnsName(hostname: string): boolean {
  return hostname.length <= 253 && /^[a-z\d_-]{1,63}(\.[a-z\d_-]{1,63})*$/.test(hostname)
}

/**
 * Whether a public receiver may use the port. Below 1024, the ports other than 443 belong to services that do not speak
 * HTTPS.
 * @internal Tested alone.
 */
export function isReceiverPort(port: number): boolean {
  return port === 443 || port >= 1_024
}

/** The host of a registered webhook. */
export function hostOfWebhook(url: string): string {
  return parseWebhookUrl(url).target?.hostname ?? url
}

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
