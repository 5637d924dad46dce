import { InvalidArgumentError, Option } from 'commander'
import { isValidClientId } from '../../partners/client-secret.ts'
import { isAddressRange } from '../../partners/managing/address-range.ts'
import { scopes as allScopes, isScope, type Scope } from '../../partners/scopes.ts'
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

/** Returns a parser that converts a duration such as `24h`, `30m`, `90d` or `45s`, of up to `maxDays`, to seconds. */
export function durationParser(maxDays: number): (value: string) => number {
  return (value) => {
    const [, digits = '', unit = ''] = /^(\d{1,9})([smhd])$/.exec(value) ?? []
    const seconds = Number(digits) * (unitSeconds[unit] ?? Number.NaN)
    if (!(seconds >= 1 && seconds <= maxDays * 86_400))
      throw new InvalidArgumentError(`Must be a number followed by s, m, h or d, such as 24h, up to ${maxDays}d.`)
    return seconds
  }
}
