import { type Database, inTransaction } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { AddressSource } from '../addresses/address-source.ts'
import type { Caller } from '../auth/caller.ts'
import { findSteering, saveSteering } from '../broadband/steering.store.ts'
import type { BroadbandSteering, SteeredUpstreams } from '../broadband/steering.ts'

/**
 * POST /Sandbox/broadband/{addressUid}: sets how the simulated upstreams respond to this partner's calls about a property. An
 * omitted upstream keeps its setting. Returns both settings. Throws `not_found` for an unknown property, and
 * `service_unavailable` if the sandbox uses a real upstream.
 */
export async function steerBroadband(
  deps: { db: Database; addresses: AddressSource; steeredUpstreams?: SteeredUpstreams | undefined },
  caller: Caller,
  input: { addressUid: string; steering: Partial<BroadbandSteering> },
): Promise<BroadbandSteering & { addressUid: string }> {
  const { db, addresses, steeredUpstreams } = deps
  const { steering } = input
  const property = await addresses.findByUid(input.addressUid)
  if (property === null) {
    throw new DomainError(
      'not_found',
      'No property has this addressUid. Look up its postcode with GET /Addresses/lookup and use an addressUid from the response.',
    )
  }
  for (const upstream of ['homeTelecom', 'broadbandDatabase'] as const) {
    if (steering[upstream] !== undefined && steeredUpstreams?.[upstream] === undefined) throw cannotBeSteered(upstream)
  }
  return inTransaction(db, caller, async (tx) => {
    await saveSteering(tx, caller.partnerId, property.addressUid, steering)
    return { addressUid: property.addressUid, ...(await findSteering(tx, caller.partnerId, property.addressUid)) }
  })
}

function cannotBeSteered(upstream: keyof BroadbandSteering): DomainError {
  return new DomainError(
    'service_unavailable',
    `This sandbox uses a real provider, which cannot be simulated. Leave ${upstream} out.`,
    { retryAfterSeconds: 3_600 },
  )
}
