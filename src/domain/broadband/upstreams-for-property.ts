import type { Queryable } from '../../db/database.ts'
import type { Caller } from '../auth/caller.ts'
import type { BroadbandDatabase } from './broadband-database.ts'
import type { HomeTelecom } from './home-telecom.ts'
import { findSteering } from './steering.store.ts'
import type { SteeredUpstreams } from './steering.ts'

/** The upstreams and, in a sandbox, their steered versions. */
export interface BroadbandUpstreams {
  homeTelecom: HomeTelecom
  broadbandDatabase: BroadbandDatabase
  steeredUpstreams?: SteeredUpstreams | undefined
}

/** The upstream to use for one partner and property. Responses from a steered upstream are for that partner only. */
export interface UpstreamForProperty<Port> {
  port: Port
  isSteered: boolean
}

/**
 * The upstreams to use for this partner and property: in a sandbox, the steered ones if the partner has set them. Outside a
 * sandbox, this runs no query.
 */
export async function upstreamsForProperty(
  deps: BroadbandUpstreams & { db: Queryable },
  caller: Caller,
  addressUid: string,
): Promise<{
  homeTelecom: UpstreamForProperty<HomeTelecom>
  broadbandDatabase: UpstreamForProperty<BroadbandDatabase>
}> {
  const { steeredUpstreams } = deps
  const usual = {
    homeTelecom: { port: deps.homeTelecom, isSteered: false },
    broadbandDatabase: { port: deps.broadbandDatabase, isSteered: false },
  }
  if (steeredUpstreams === undefined) return usual
  const { homeTelecom, broadbandDatabase } = await findSteering(deps.db, caller.partnerId, addressUid)
  if (homeTelecom.outcome !== 'ok' && steeredUpstreams.homeTelecom !== undefined) {
    usual.homeTelecom = { port: steeredUpstreams.homeTelecom(homeTelecom), isSteered: true }
  }
  if (broadbandDatabase.outcome !== 'ok' && steeredUpstreams.broadbandDatabase !== undefined) {
    usual.broadbandDatabase = { port: steeredUpstreams.broadbandDatabase(broadbandDatabase), isSteered: true }
  }
  return usual
}
