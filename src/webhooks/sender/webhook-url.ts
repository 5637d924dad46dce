import { isIP } from 'node:net'

/** A webhook URL that passed every syntax rule. `webhook-target.ts` checks its addresses. */
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
 */
export function isReceiverPort(port: number): boolean {
  return port === 443 || port >= 1_024
}

/** The host of a registered webhook. */
export function hostOfWebhook(url: string): string {
  return parseWebhookUrl(url).target?.hostname ?? url
}
