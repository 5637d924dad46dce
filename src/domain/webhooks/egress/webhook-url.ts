import { isIP } from 'node:net'

/** A webhook URL that passed every syntax rule. `webhook-target.ts` checks its addresses. */
export interface WebhookTarget {
  /** Normalised for the request: host in ASCII without a trailing dot, alternative IP spellings resolved, no fragment. */
  url: URL
  /** A name, or an IP address without brackets. */
  hostname: string
  port: number
  /** Whether the host is an IP address, so that nothing has to be resolved. */
  isAddress: boolean
}

export type ParsedWebhookUrl = { target: WebhookTarget; refusal?: never } | { target?: never; refusal: string }

export const maxWebhookUrlLength = 2_048

/**
 * Checks a webhook URL against the rules that need no lookup: https, no credentials, valid syntax. `refusal` says which rule it breaks,
 * for the partner. The WHATWG parser resolves alternative spellings (0x7f.1, 2130706433, full-width digits, IDN), so that the address
 * that is checked is the one that will be connected to.
 */
export function parseWebhookUrl(text: string): ParsedWebhookUrl {
  if (text.length > maxWebhookUrlLength)
    return { refusal: `The URL must have at most ${maxWebhookUrlLength} characters.` }
  if (!/^[^\s\\\p{Cc}]+$/u.test(text) || !URL.canParse(text)) {
    return {
      refusal:
        'This is not a valid URL. Send an absolute URL without spaces or backslashes, such as https://example.com/hooks.',
    }
  }
  const authority = /^https:\/\/([^/?#]+)/i.exec(text)?.[1]
  if (authority === undefined) {
    return { refusal: 'The URL must start with https://. No setting changes this, not even in a sandbox.' }
  }
  if (authority.includes('@')) {
    return {
      refusal: 'The URL must not contain credentials. Verify the signature instead of using a user name and password.',
    }
  }
  const url = new URL(text)
  url.hash = ''
  const withoutDot = url.hostname.replace(/\.$/, '')
  if (withoutDot === '') return { refusal: 'The URL has no host.' }
  const hostname = withoutDot.replace(/^\[(.*)\]$/, '$1')
  if (isIP(hostname) === 0 && !isDnsName(hostname)) {
    return {
      refusal:
        "The URL's host is not a valid DNS name. Use labels of up to 63 letters, digits and hyphens, separated by single dots.",
    }
  }
  url.hostname = withoutDot
  return { target: { url, hostname, port: url.port === '' ? 443 : Number(url.port), isAddress: isIP(hostname) !== 0 } }
}

/**
 * Whether the host can be looked up. The URL parser also accepts empty labels, which other software may read as another host, and
 * characters that no host name has. Underscores are not allowed in host names either, but names with them exist.
 */
function isDnsName(hostname: string): boolean {
  return hostname.length <= 253 && /^[a-z\d_-]{1,63}(\.[a-z\d_-]{1,63})*$/.test(hostname)
}

/** Ports that receivers use. The others below 1024 belong to services that do not speak HTTP. */
export function isReceiverPort(port: number): boolean {
  return port === 443 || port >= 1_024
}
