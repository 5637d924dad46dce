import type { Queryable, Tx } from '../platform/db/database.ts'
import { sql } from '../platform/db/sql.ts'
import type { Id } from '../platform/kernel/ids.ts'
import {
  type Behaviour,
  type BroadbandDatabaseOutcome,
  defaultBehaviour,
  type HomeTelecomOutcome,
  type UpstreamBehaviours,
} from './upstream-behaviour.ts'

type BehaviourRow =
  | ({ upstream: 'home-telecom' } & Behaviour<HomeTelecomOutcome>)
  | ({ upstream: 'broadband-database' } & Behaviour<BroadbandDatabaseOutcome>)

/** Finds how the partner wants both simulated upstreams to behave for a property. */
export async function findUpstreamBehaviour(
  db: Queryable,
  partnerId: Id<'partner'>,
  addressUid: string,
): Promise<UpstreamBehaviours> {
  const rows = await db.query<BehaviourRow>(sql`
    select upstream, outcome, seconds from broadband_steering
    where partner_id = ${partnerId} and address_uid = ${addressUid}`)
  const behaviours: UpstreamBehaviours = { homeTelecom: defaultBehaviour, broadbandDatabase: defaultBehaviour }
  for (const { upstream, ...behaviour } of rows) {
    if (upstream === 'home-telecom') behaviours.homeTelecom = behaviour as Behaviour<HomeTelecomOutcome>
    else behaviours.broadbandDatabase = behaviour as Behaviour<BroadbandDatabaseOutcome>
  }
  return behaviours
}

/** Stores the given behaviours. `ok` is the default and needs no row. */
export async function saveUpstreamBehaviour(
  tx: Tx,
  partnerId: Id<'partner'>,
  addressUid: string,
  behaviours: Partial<UpstreamBehaviours>,
): Promise<void> {
  const settings = [
    ['home-telecom', behaviours.homeTelecom],
    ['broadband-database', behaviours.broadbandDatabase],
  ] as const
  for (const [upstream, behaviour] of settings) {
    if (behaviour === undefined) continue
    if (behaviour.outcome === 'ok') {
      await tx.query(sql`
        delete from broadband_steering
        where partner_id = ${partnerId} and address_uid = ${addressUid} and upstream = ${upstream}`)
    } else {
      await tx.query(sql`
        insert into broadband_steering (partner_id, address_uid, upstream, outcome, seconds)
        values (${partnerId}, ${addressUid}, ${upstream}, ${behaviour.outcome}, ${behaviour.seconds})
        on conflict (partner_id, address_uid, upstream)
        do update set outcome = excluded.outcome, seconds = excluded.seconds`)
    }
  }
}
