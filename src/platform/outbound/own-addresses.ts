import { networkInterfaces } from 'node:os'
import type { Clock } from '../kernel/clock.ts'
import { refreshed } from '../kernel/refreshed.ts'
import { classifyAddress } from './address-class.ts'
import type { NameResolver } from './name-lookup.ts'

/**
 * The public addresses of this deployment: those of the machine's network interfaces, and those that PUBLIC_URL's host
 * name has. They are looked up once a minute at most. If the lookup fails, the last known ones are used.
 */
export function followOwnAddresses({
  publicUrl,
  resolver,
  clock,
}: {
  publicUrl: string
  resolver: NameResolver
  clock: Clock
}): () => Promise<ReadonlySet<string>> {
  const hostname = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  return refreshed<ReadonlySet<string>>(
    clock,
    async (previous) => {
      const ofMachine = Object.values(networkInterfaces()).flatMap((found) =>
        (found ?? []).map(({ address }) => address),
      )
      const ofName = await resolver.resolve(hostname).catch(() => [...(previous ?? [])])
      return new Set([...ofMachine, ...ofName].filter((address) => classifyAddress(address).kind === 'public'))
    },
    60_000,
  )
}
