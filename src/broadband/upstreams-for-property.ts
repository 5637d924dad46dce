import type { Caller } from '../partners/caller.ts'
import type { Queryable } from '../platform/db/database.ts'
import type { BroadbandDatabase, HomeTelecom } from './broadband-providers.ts'
import { findUpstreamBehaviour } from './upstream-behaviour.store.ts'
import type { SimulatedUpstreams } from './upstream-behaviour.ts'

/** The upstreams. In a sandbox, `simulatedUpstreams` creates the clients that behave as a partner has set. */
export interface BroadbandUpstreams {
  homeTelecom: HomeTelecom
  broadbandDatabase: BroadbandDatabase
  simulatedUpstreams?: SimulatedUpstreams | undefined
}

/**
 * The upstream to use for one partner and property. `isSteered`: the partner has set how the upstream behaves, so its
 * responses count only for that partner and are not stored.
 */
interface UpstreamForProperty<Port> {
  port: Port
  isSteered: boolean
}

/**
 * The upstreams to use for this partner and property. In a sandbox, an upstream whose behaviour the partner has set is
 * replaced by a client with that behaviour. Outside a sandbox, this runs no query.
 */
export async function upstreamsForProperty(
  deps: BroadbandUpstreams & { db: Queryable },
  caller: Caller,
  addressUid: string,
): Promise<{
  homeTelecom: UpstreamForProperty<HomeTelecom>
  broadbandDatabase: UpstreamForProperty<BroadbandDatabase>
}> {
  const { simulatedUpstreams } = deps
  const usual = {
    homeTelecom: { port: deps.homeTelecom, isSteered: false },
    broadbandDatabase: { port: deps.broadbandDatabase, isSteered: false },
  }
  if (simulatedUpstreams === undefined) return usual
  const { homeTelecom, broadbandDatabase } = await findUpstreamBehaviour(deps.db, caller.partnerId, addressUid)
  if (homeTelecom.outcome !== 'ok' && simulatedUpstreams.homeTelecom !== undefined) {
    usual.homeTelecom = { port: simulatedUpstreams.homeTelecom(homeTelecom), isSteered: true }
  }
  if (broadbandDatabase.outcome !== 'ok' && simulatedUpstreams.broadbandDatabase !== undefined) {
    usual.broadbandDatabase = { port: simulatedUpstreams.broadbandDatabase(broadbandDatabase), isSteered: true }
  }
  return usual
}

/** Limits how often a partner's requests may need upstream calls, which are slow. */
export interface UpstreamAllowance {
  /** Counts one check. Throws `rate_limited` if the allowance is used up. */
  charge(): Promise<void>
}
