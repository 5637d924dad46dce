import { InvalidArgumentError, Option } from 'commander'
import { isValidClientId } from '../../partners/client-secret.ts'
import { isAddressRange } from '../../partners/managing/address-range.ts'
import { confirmers, nudgings, type PartnerSettings } from '../../partners/partner-settings.schema.ts'
import { areReturnUrls, maxReturnUrls } from '../../partners/return-url.ts'
import { scopes as allScopes, isScope, type Scope } from '../../partners/scopes.ts'
import { isPlausibleEmail } from '../../platform/kernel/email.ts'
import { isName } from '../../platform/kernel/plain-text.ts'

export const maxNameLength = 100

/** Checks the name of a partner or of credentials. */
export function parseDisplayName(value: string): string {
  const name = value.trim()
  if (!isName(name) || [...name].length > maxNameLength) {
    throw new InvalidArgumentError(
      `Must be 1 to ${maxNameLength} characters on one line, with a letter or digit, and without bidirectional controls.`,
    )
  }
  return name
}

export function parseClientId(value: string): string {
  if (!isValidClientId(value) || value !== value.trim()) {
    throw new InvalidArgumentError('Must be 1 to 255 visible ASCII characters.')
  }
  return value
}

/** Parses a list such as `a,b` into valid scopes, without duplicates, in the order of the documentation. */
export function parseScopes(value: string): readonly Scope[] {
  const wanted = value.split(',').map((each) => each.trim())
  const unknown = wanted.filter((each) => !isScope(each))
  if (unknown.length > 0) {
    const named = unknown.map((each) => `"${each}"`).join(', ')
    throw new InvalidArgumentError(`Unknown scope: ${named}. Choose from: ${allScopes.join(', ')}.`)
  }
  return allScopes.filter((scope) => wanted.includes(scope))
}

/** The `--allow-from` option of the commands that create credentials. */
export function allowFromOption(): Option {
  return new Option(
    '--allow-from <addresses>',
    'IP addresses and ranges such as 192.0.2.0/24,2001:db8::/48 from which they may be used (default: any)',
  ).argParser(parseAddressRanges)
}

const maxRanges = 100

/** Parses a list of IP addresses and CIDR ranges such as `192.0.2.0/24,2001:db8::1`. */
export function parseAddressRanges(value: string): readonly string[] {
  const ranges = value.split(',').map((each) => each.trim())
  const invalid = ranges.filter((each) => !isAddressRange(each))
  if (invalid.length > 0 || ranges.length > maxRanges) {
    const named = invalid.map((each) => `"${each}"`).join(', ')
    throw new InvalidArgumentError(
      `Must be 1 to ${maxRanges} IP addresses or ranges such as 192.0.2.0/24, separated by commas${named === '' ? '' : `; invalid: ${named}`}.`,
    )
  }
  return ranges
}

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/**
 * Returns a parser that converts a duration such as `24h`, `30m`, `90d` or `45s` to seconds. It accepts durations up to
 * `maxDays`, and
 * `0` if `zeroIsAllowed`.
 */
export function durationParser(maxDays: number, zeroIsAllowed: boolean): (value: string) => number {
  return (value) => {
    const [, digits = '', unit = ''] = /^(\d{1,9})([smhd]?)$/.exec(value) ?? []
    const seconds = Number(digits) * (unitSeconds[unit] ?? (Number(digits) === 0 ? 1 : Number.NaN))
    const shortest = zeroIsAllowed ? 0 : 1
    if (digits === '' || !(seconds >= shortest && seconds <= maxDays * 86_400)) {
      throw new InvalidArgumentError(
        `Must be a number followed by s, m, h or d, such as 24h, up to ${maxDays}d${zeroIsAllowed ? ', or 0' : ''}.`,
      )
    }
    return seconds
  }
}

/** Each setting of a partner: the option that sets it, and what the command says of it afterwards. */
export const settingOptions: Readonly<
  Record<keyof PartnerSettings, { option: Option; describe: (partner: PartnerSettings) => string }>
> = {
  contactEmail: {
    option: new Option('--contact-email <address>', 'whom to write to, or "none"').argParser(parseContactEmail),
    describe: ({ contactEmail }) => `contact ${contactEmail ?? 'none'}`,
  },
  requestsPerSecond: {
    option: new Option('--requests-per-second <number>', 'the calls a second, or "default"').argParser(
      parseRequestsPerSecond,
    ),
    describe: ({ requestsPerSecond }) =>
      requestsPerSecond === null ? "the deployment's own limit" : `${requestsPerSecond} calls a second`,
  },
  confirmations: {
    option: new Option('--confirmations <who>', 'who sends tenants the confirmations of their contracts').choices([
      ...confirmers,
      'default',
    ]),
    describe: ({ confirmations }) =>
      `contracts confirmed ${confirmations === null ? 'by default' : `by the ${confirmations}`}`,
  },
  nudges: {
    option: new Option('--nudges <on|off>', 'whether tenants who have not signed are reminded').choices([
      ...nudgings,
      'default',
    ]),
    describe: ({ nudges }) => `tenants ${nudges === 'off' ? 'not reminded' : 'reminded'}`,
  },
  returnUrls: {
    option: new Option(
      '--return-urls <addresses>',
      'the pages to which tenants may be sent back, separated by commas, or "none"',
    ).argParser(parseReturnUrls),
    describe: ({ returnUrls }) => `tenants sent back ${returnUrls === null ? 'nowhere' : `to ${returnUrls.join(' ')}`}`,
  },
}

/** Parses a list of addresses, or `none`: `default`, which clears it. */
function parseReturnUrls(value: string): string[] | 'default' {
  if (value === 'none') return 'default'
  const urls = value.split(',').map((each) => each.trim())
  if (areReturnUrls(urls)) return urls
  throw new InvalidArgumentError(
    `Must be up to ${maxReturnUrls} addresses such as https://lettings.example/bills, without a query, or "none". Plain http is for localhost.`,
  )
}

/** Parses an e-mail address, or `none`: `default`, which clears it. The library takes null for a missing value. */
function parseContactEmail(value: string): string {
  if (value === 'none') return 'default'
  if (!isPlausibleEmail(value)) throw new InvalidArgumentError('Must be an e-mail address, or "none".')
  return value
}

/** Parses a number of calls a second, or `default`: the deployment's own limit. */
function parseRequestsPerSecond(value: string): number | 'default' {
  if (value === 'default') return value
  if (!/^[1-9]\d{0,6}$/.test(value) || Number(value) > 1_000_000)
    throw new InvalidArgumentError('Must be a whole number from 1 to 1,000,000, or "default".')
  return Number(value)
}
