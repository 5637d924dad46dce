import type { Queryable } from '../../db/database.ts'
import type { Caller } from '../auth/caller.ts'
import type { BroadbandDatabase } from './broadband-database.ts'
import type { HomeTelecom } from './home-telecom.ts'
import { findSteering } from './steering.store.ts'
import type { SteeredUpstreams } from './steering.ts'

/** The usual upstreams, and in a sandbox the ways to steer them. */
export interface BroadbandUpstreams {
  homeTelecom: HomeTelecom
  broadbandDatabase: BroadbandDatabase
  steeredUpstreams?: SteeredUpstreams | undefined
}

/** One upstream as a partner has it for a home. What a steered one answers is that partner's alone. */
export interface UpstreamForHome<Port> {
  port: Port
  isSteered: boolean
}

/**
 * Both upstreams as they are to behave for this partner and home: as usual, but for what a sandbox partner has steered.
 * In live nothing is looked up.
 */
export async function upstreamsForHome(
  deps: BroadbandUpstreams & { db: Queryable },
  caller: Caller,
  addressUid: string,
): Promise<{ homeTelecom: UpstreamForHome<HomeTelecom>; broadbandDatabase: UpstreamForHome<BroadbandDatabase> }> {
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
