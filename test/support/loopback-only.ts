// Blocks every connection to a non-loopback address and every query to a remote name server. The attempt throws, is
// recorded, and makes the process exit with code 1 even if the error is swallowed. Used for every test and benchmark:
// `node --import ./test/support/loopback-only.ts …`. Files that start the service or a receiver import it.
import dns from 'node:dns'
import { isIP, Socket } from 'node:net'

/** The environment that keeps child processes of tests and benchmarks on loopback too. */
export const loopbackOnlyEnvironment = { NODE_OPTIONS: `--import=${import.meta.url}` } as const

const forbidden: string[] = []

function forbid(what: string): never {
  forbidden.push(what)
  throw new Error(`${what}: tests and benchmarks stay on loopback`)
}

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, '$1')
  if (isIP(address) === 0) return address === 'localhost'
  return address === '::1' || /^(::ffff:)?127\./.test(address)
}

interface ConnectOptions {
  host?: string | null
  path?: string | null
  lookup?: Lookup
}

/**
 * Reads the arguments of Socket.connect: options, a path, a port and host, or an array of these that Node has
 * normalised.
 */
function optionsOf(given: readonly unknown[]): ConnectOptions {
  const [first, second] = given
  if (Array.isArray(first)) return optionsOf(first)
  if (typeof first === 'object' && first !== null) return first
  if (typeof first === 'string' && Number.isNaN(Number(first))) return { path: first }
  return { host: typeof second === 'string' ? second : 'localhost' }
}

type LookedUp = (error: Error | null, found: string | readonly dns.LookupAddress[], family?: number) => void
type Lookup = (hostname: string, options: unknown, callback: LookedUp) => unknown

/**
 * Wraps a caller's lookup function: it may look up any name, but fails if an address that it finds is not a loopback
 * address.
 */
function checked(lookup: Lookup): Lookup {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      if (error !== null) return callback(error, found, family)
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      const foreign = addresses.find((address) => !isLoopback(address))
      if (foreign === undefined) return callback(error, found, family)
      forbidden.push(`connection to ${foreign}`)
      callback(new Error(`connection to ${foreign}: tests and benchmarks stay on loopback`), '')
    })
}

/** Calls the current `dns.lookup`, which is guarded below or mocked by a test. */
const lookupOfTheMoment: Lookup = (...given) => Reflect.apply(dns.lookup, dns, given)

const connect: (...given: never[]) => Socket = Socket.prototype.connect
Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
  const options = optionsOf(given)
  const host = options.host ?? 'localhost'
  if (options.path === undefined || options.path === null) {
    if (isIP(host) === 0) options.lookup = checked(options.lookup ?? lookupOfTheMoment)
    else if (!isLoopback(host)) forbid(`connection to ${host}`)
  }
  return Reflect.apply(connect, this, given)
} as typeof Socket.prototype.connect

function guardLookup(holder: { lookup: unknown }): void {
  const lookup = holder.lookup as (...given: unknown[]) => unknown
  holder.lookup = (hostname: string, ...rest: unknown[]) => {
    if (!isLoopback(hostname)) forbid(`DNS lookup of ${hostname}`)
    return Reflect.apply(lookup, holder, [hostname, ...rest])
  }
}
guardLookup(dns)
guardLookup(dns.promises)

/** Allows queries only to name servers on loopback, such as those that tests run. */
const onlyOwnServers = (servers: readonly string[]) =>
  servers.every((server) => isLoopback(server.replace(/:\d+$/, '')))

for (const resolver of [dns.Resolver.prototype, dns.promises.Resolver.prototype] as object[]) {
  for (const name of Object.getOwnPropertyNames(resolver).filter((each) => /^(resolve|reverse)/.test(each))) {
    const ask: unknown = Reflect.get(resolver, name)
    if (typeof ask !== 'function') continue
    Reflect.set(resolver, name, function (this: dns.Resolver, question: string, ...rest: unknown[]) {
      if (!onlyOwnServers(this.getServers())) forbid(`DNS query for ${question}`)
      return Reflect.apply(ask, this, [question, ...rest])
    })
  }
}
for (const holder of [dns, dns.promises] as object[]) {
  for (const name of Object.keys(holder).filter((each) => /^(resolve|reverse|lookupService)/.test(each))) {
    if (typeof Reflect.get(holder, name) === 'function')
      Reflect.set(holder, name, (question: string) => forbid(`DNS query for ${question}`))
  }
}

process.on('exit', () => {
  if (forbidden.length === 0) return
  console.error(`Tried to leave loopback: ${[...new Set(forbidden)].join('; ')}`)
  process.exitCode = 1
})
