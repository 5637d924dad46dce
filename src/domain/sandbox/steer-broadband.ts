import { type Database, inTransaction } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { AddressSource } from '../addresses/address-source.ts'
import type { Caller } from '../auth/caller.ts'
import { findSteering, saveSteering } from '../broadband/steering.store.ts'
import type { BroadbandSteering, SteeredUpstreams } from '../broadband/steering.ts'

/**
 * POST /Sandbox/broadband/{addressUid}: how the simulated upstreams behave for this partner's calls about a home from now on.
 * A half that is not given stays as it was; answers both. Throws `not_found` for an unknown home, and
 * `service_unavailable` where the sandbox asks a real upstream, which nobody here can steer.
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
  for (const half of ['homeTelecom', 'broadbandDatabase'] as const) {
    if (steering[half] !== undefined && steeredUpstreams?.[half] === undefined) throw cannotBeSteered(half)
  }
  return inTransaction(db, caller, async (tx) => {
    await saveSteering(tx, caller.partnerId, property.addressUid, steering)
    return { addressUid: property.addressUid, ...(await findSteering(tx, caller.partnerId, property.addressUid)) }
  })
}

function cannotBeSteered(half: keyof BroadbandSteering): DomainError {
  return new DomainError(
    'service_unavailable',
    `This sandbox uses a real provider, which cannot be simulated. Leave ${half} out.`,
    { retryAfterSeconds: 3_600 },
  )
}
