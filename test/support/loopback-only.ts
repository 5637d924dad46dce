// Keeps this process on this machine: a connection to any other address, and a question to a name server anywhere else,
// throws, is remembered, and makes the process end with exit code 1 whoever swallowed the error. For every test and
// every benchmark: `node --import ./test/support/loopback-only.ts …`; whoever starts the service or a receiver imports it.
import dns from 'node:dns'
import { isIP, Socket } from 'node:net'

/** For the environment of a process that a test or a benchmark starts, so that it stays here as well. */
export const stayOnLoopback = { NODE_OPTIONS: `--import=${import.meta.url}` } as const

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

/** What Socket.connect is called with: options, a path, a port and a host, or an array of these that Node has normalised. */
function optionsOf(given: readonly unknown[]): ConnectOptions {
  const [first, second] = given
  if (Array.isArray(first)) return optionsOf(first)
  if (typeof first === 'object' && first !== null) return first
  if (typeof first === 'string' && Number.isNaN(Number(first))) return { path: first }
  return { host: typeof second === 'string' ? second : 'localhost' }
}

type LookedUp = (error: Error | null, found: string | readonly dns.LookupAddress[], family?: number) => void
type Lookup = (hostname: string, options: unknown, callback: LookedUp) => unknown

/** A look-up of the caller's own may give any name an address, but of loopback only. */
function checked(lookup: Lookup): Lookup {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, found, family) => {
      if (error !== null) return callback(error, found, family)
      const addresses = typeof found === 'string' ? [found] : found.map(({ address }) => address)
      const foreign = addresses.find((address) => !isLoopback(address))
      if (foreign === undefined) return callback(error, found, family)
      forbidden.push(`a connection to ${foreign}`)
      callback(new Error(`a connection to ${foreign}: tests and benchmarks stay on loopback`), '')
    })
}

/** The guarded one below, or what a test has put in its place. */
const lookupOfTheMoment: Lookup = (...given) => Reflect.apply(dns.lookup, dns, given)

const connect: (...given: never[]) => Socket = Socket.prototype.connect
Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
  const options = optionsOf(given)
  const host = options.host ?? 'localhost'
  if (options.path === undefined || options.path === null) {
    if (isIP(host) === 0) options.lookup = checked(options.lookup ?? lookupOfTheMoment)
    else if (!isLoopback(host)) forbid(`a connection to ${host}`)
  }
  return Reflect.apply(connect, this, given)
} as typeof Socket.prototype.connect

function guardLookup(holder: { lookup: unknown }): void {
  const lookup = holder.lookup as (...given: unknown[]) => unknown
  holder.lookup = (hostname: string, ...rest: unknown[]) => {
    if (!isLoopback(hostname)) forbid(`a look-up of ${hostname}`)
    return Reflect.apply(lookup, holder, [hostname, ...rest])
  }
}
guardLookup(dns)
guardLookup(dns.promises)

/** Questions to name servers that a test runs itself, on loopback, are none to the outside. */
const onlyOwnServers = (servers: readonly string[]) =>
  servers.every((server) => isLoopback(server.replace(/:\d+$/, '')))

for (const resolver of [dns.Resolver.prototype, dns.promises.Resolver.prototype] as object[]) {
  for (const name of Object.getOwnPropertyNames(resolver).filter((each) => /^(resolve|reverse)/.test(each))) {
    const ask: unknown = Reflect.get(resolver, name)
    if (typeof ask !== 'function') continue
    Reflect.set(resolver, name, function (this: dns.Resolver, question: string, ...rest: unknown[]) {
      if (!onlyOwnServers(this.getServers())) forbid(`a question to a name server about ${question}`)
      return Reflect.apply(ask, this, [question, ...rest])
    })
  }
}
for (const holder of [dns, dns.promises] as object[]) {
  for (const name of Object.keys(holder).filter((each) => /^(resolve|reverse|lookupService)/.test(each))) {
    if (typeof Reflect.get(holder, name) === 'function')
      Reflect.set(holder, name, (question: string) => forbid(`a question to a name server about ${question}`))
  }
}

process.on('exit', () => {
  if (forbidden.length === 0) return
  console.error(`Left this machine, or tried to: ${[...new Set(forbidden)].join('; ')}`)
  process.exitCode = 1
})
