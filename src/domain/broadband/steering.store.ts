import type { Queryable, Tx } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { Id } from '../../kernel/ids.ts'
import {
  type Behaviour,
  type BroadbandDatabaseOutcome,
  type BroadbandSteering,
  defaultBehaviour,
  type HomeTelecomOutcome,
} from './steering.ts'

type SteeringRow =
  | ({ upstream: 'home-telecom' } & Behaviour<HomeTelecomOutcome>)
  | ({ upstream: 'broadband-database' } & Behaviour<BroadbandDatabaseOutcome>)

/** How the partner wants both upstreams to behave for a property. */
export async function findSteering(
  db: Queryable,
  partnerId: Id<'partner'>,
  addressUid: string,
): Promise<BroadbandSteering> {
  const rows = await db.query<SteeringRow>(sql`
    select upstream, outcome, seconds from broadband_steering
    where partner_id = ${partnerId} and address_uid = ${addressUid}`)
  const steering: BroadbandSteering = { homeTelecom: defaultBehaviour, broadbandDatabase: defaultBehaviour }
  for (const { upstream, ...behaviour } of rows) {
    if (upstream === 'home-telecom') steering.homeTelecom = behaviour as Behaviour<HomeTelecomOutcome>
    else steering.broadbandDatabase = behaviour as Behaviour<BroadbandDatabaseOutcome>
  }
  return steering
}

/** Stores the given settings. `ok` is the default and needs no row. */
export async function saveSteering(
  tx: Tx,
  partnerId: Id<'partner'>,
  addressUid: string,
  steering: Partial<BroadbandSteering>,
): Promise<void> {
  const settings = [
    ['home-telecom', steering.homeTelecom],
    ['broadband-database', steering.broadbandDatabase],
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
