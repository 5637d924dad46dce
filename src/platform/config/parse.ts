import ipaddr from 'ipaddr.js'
import type { Environment, VariableName } from './env.ts'

/**
 * Parses single variables and collects the problems. For an invalid variable, the fallback is returned, so that
 * checking can continue.
 */
export class VariableReader {
  readonly problems: string[] = []
  readonly #environment: Environment

  constructor(environment: Environment) {
    this.#environment = environment
  }

  has(name: VariableName): boolean {
    return this.#environment[name] !== undefined
  }

  text(name: VariableName): string | undefined {
    return this.#environment[name]
  }

  choice<Choice extends string>(name: VariableName, choices: readonly [Choice, ...Choice[]]): Choice {
    const value = this.#environment[name]
    if (value === undefined) return choices[0]
    const found = choices.find((choice) => choice === value)
    if (found === undefined) this.problems.push(`${name} must be one of ${choices.join(', ')}; it is "${value}"`)
    return found ?? choices[0]
  }

  integer(name: VariableName, fallback: number, range: { min: number; max: number }): number {
    const value = this.#environment[name]
    if (value === undefined) return fallback
    const number = Number(value)
    if (/^\d+$/.test(value) && number >= range.min && number <= range.max) return number
    this.problems.push(`${name} must be a whole number from ${range.min} to ${range.max}; it is "${value}"`)
    return fallback
  }

  flag(name: VariableName, fallback = false): boolean {
    const value = this.#environment[name]
    if (value === undefined) return fallback
    if (value !== 'true' && value !== 'false') this.problems.push(`${name} must be true or false; it is "${value}"`)
    return value === 'true'
  }

  /**
   * An http(s) URL without query or fragment; a trailing slash is removed. Rejected values are never quoted: they may
   * hold a secret.
   */
  url(
    name: VariableName,
    credentials: 'no credentials' | 'may carry credentials' = 'no credentials',
  ): string | undefined {
    const value = this.#environment[name]
    if (value === undefined) return undefined
    const parsed = URL.parse(value)
    const isWeb = parsed !== null && (parsed.protocol === 'http:' || parsed.protocol === 'https:')
    const isPlain = isWeb && parsed.search === '' && parsed.hash === ''
    if (!isPlain) this.problems.push(`${name} must be an http or https URL without a query or fragment`)
    else if (credentials === 'no credentials' && parsed.username + parsed.password !== '') {
      this.problems.push(`${name} must be a URL without user name and password`)
    }
    return value.replace(/\/+$/, '')
  }

  /** A URL of only a scheme, a host and an optional port, such as `https://bills.example`, in its usual spelling. */
  origin(name: VariableName): string | undefined {
    const before = this.problems.length
    const url = this.url(name)
    if (this.problems.length > before || url === undefined) return url
    const { origin, pathname } = new URL(url)
    if (pathname !== '/')
      this.problems.push(
        `${name} must consist of only a scheme, a host and an optional port, without a path, such as https://bills.example`,
      )
    return origin
  }

  /** IP addresses and CIDR ranges, separated by commas. */
  addresses(name: VariableName): readonly string[] {
    const entries = this.list(name)
    const bad = entries.filter((entry) => !(ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry)))
    if (bad.length > 0) {
      this.problems.push(
        `${name} must be IP addresses or ranges such as 10.0.0.0/8, separated by commas; invalid: ${bad.join(', ')}`,
      )
    }
    return entries
  }

  integers(name: VariableName, fallback: readonly number[], range: { min: number; max: number }): readonly number[] {
    const value = this.#environment[name]
    if (value === undefined) return fallback
    const numbers = value.split(',').map((entry) => (/^\s*\d+\s*$/.test(entry) ? Number(entry) : Number.NaN))
    if (numbers.length <= 50 && numbers.every((number) => number >= range.min && number <= range.max)) return numbers
    this.problems.push(
      `${name} must be whole numbers from ${range.min} to ${range.max}, separated by commas; it is "${value}"`,
    )
    return fallback
  }

  list(name: VariableName): readonly string[] {
    return (this.#environment[name] ?? '')
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
  }
}
