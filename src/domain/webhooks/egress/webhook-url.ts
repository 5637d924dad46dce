import { isIP } from 'node:net'

/** A webhook URL that passed every rule of spelling; where it leads is a matter of addresses (`webhook-target.ts`). */
export interface WebhookTarget {
  /** Normalised for the request: host in ASCII without a trailing dot, odd IP spellings resolved, no fragment. */
  url: URL
  /** A name, or an IP address without brackets. */
  hostname: string
  port: number
  /** True where the URL names an IP address, so that nothing is left to resolve. */
  isAddress: boolean
}

export type ParsedWebhookUrl = { target: WebhookTarget; refusal?: never } | { target?: never; refusal: string }

export const longestWebhookUrl = 2_048

/**
 * Reads a webhook URL by the rules that need no look-up: https, no credentials, a URL at all. `refusal` says which
 * rule it breaks, for the partner. The WHATWG parser resolves the odd spellings (0x7f.1, 2130706433, full-width
 * digits, IDN), so that what is checked is what will be connected to.
 */
export function parseWebhookUrl(text: string): ParsedWebhookUrl {
  if (text.length > longestWebhookUrl) return { refusal: `The URL must have at most ${longestWebhookUrl} characters.` }
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
 * Whether it can be looked up. The URL parser also takes empty labels, which other software may read as another host, and
 * signs that no host name has. Underscores are no letters of a host name either, but names with them exist.
 */
function isDnsName(hostname: string): boolean {
  return hostname.length <= 253 && /^[a-z\d_-]{1,63}(\.[a-z\d_-]{1,63})*$/.test(hostname)
}

/** Ports where receivers live. The others below 1024 belong to services that are not meant to be spoken to in HTTP. */
export function isReceiverPort(port: number): boolean {
  return port === 443 || port >= 1_024
}
