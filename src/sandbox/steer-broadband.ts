import { findUpstreamBehaviour, saveUpstreamBehaviour } from '../broadband/upstream-behaviour.store.ts'
import type { SimulatedUpstreams, UpstreamBehaviours } from '../broadband/upstream-behaviour.ts'
import type { Caller } from '../partners/caller.ts'
import { type Database, inTransaction } from '../platform/db/database.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { AddressSource } from '../properties/property.ts'

/**
 * POST /Sandbox/broadband/{addressUid}: sets how the simulated upstreams respond to this partner's calls about a
 * property. An omitted upstream keeps its setting. Returns both settings. Throws `not_found` for an unknown property,
 * and
 * `service_unavailable` if the sandbox uses a real upstream.
 */
export async function steerBroadband(
  deps: { db: Database; addresses: AddressSource; simulatedUpstreams?: SimulatedUpstreams | undefined },
  caller: Caller,
  input: { addressUid: string; behaviours: Partial<UpstreamBehaviours> },
): Promise<UpstreamBehaviours & { addressUid: string }> {
  const { db, addresses, simulatedUpstreams } = deps
  const { behaviours } = input
  const property = await addresses.findByUid(input.addressUid)
  if (property === null) {
    throw new DomainError(
      'not_found',
      'No property has this addressUid. Look up its postcode with GET /Addresses/lookup and use an addressUid from the response.',
    )
  }
  for (const upstream of ['homeTelecom', 'broadbandDatabase'] as const) {
    if (behaviours[upstream] !== undefined && simulatedUpstreams?.[upstream] === undefined)
      throw cannotBeSimulated(upstream)
  }
  return inTransaction(db, caller, async (tx) => {
    await saveUpstreamBehaviour(tx, caller.partnerId, property.addressUid, behaviours)
    return {
      addressUid: property.addressUid,
      ...(await findUpstreamBehaviour(tx, caller.partnerId, property.addressUid)),
    }
  })
}

function cannotBeSimulated(upstream: keyof UpstreamBehaviours): DomainError {
  return new DomainError(
    'service_unavailable',
    `This sandbox uses a real provider, which cannot be simulated. Leave ${upstream} out.`,
    { retryAfterSeconds: 3_600 },
  )
}
